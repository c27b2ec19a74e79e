"""The Lab's background work: read, look, survey the crops, draw the map, test a proposed target. Newest wins."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Final

from PySide6.QtCore import QObject, QSize, Qt, Signal
from PySide6.QtGui import QImage

from echostudio.cancel import CancelToken
from echostudio.codec import Pixels
from echostudio.episode.memory import Memory
from echostudio.episode.verdict import CropMatch, ReaimResult
from echostudio.errors import EchoError
from echostudio.operations import lab, lab_search, library, retarget
from echostudio.operations.lab import LabScreen, Past
from echostudio.operations.retarget import Proposal
from echostudio.operations.services import Services
from echostudio.settings import ReaimSettings
from echostudio.studio.lab.state import CropKey, LabState, Source
from echostudio.studio.page import Studio
from echostudio.studio.pictures import to_image

_THUMB: Final = QSize(224, 126)


@dataclass(frozen=True, eq=False)
class Prepared:
    """What is known about a step before any picture is looked at."""

    memory: Memory
    step: int
    role: str
    base: ReaimSettings
    sources: tuple[Source, ...]
    past: tuple[Past, ...]


@dataclass(frozen=True, eq=False)
class Loaded:
    """A picture, read and ready to be painted; ``reduced`` to the width of the view where it is larger."""

    source: Source
    screen: LabScreen
    image: QImage
    reduced: QImage
    thumb: QImage


@dataclass(frozen=True, eq=False)
class Found:
    """What a search decided, under which thresholds, in how many milliseconds."""

    result: ReaimResult
    policy: ReaimSettings
    ms: float


class Searcher(QObject):
    """Asks the operations and hands their answers on, on the GUI thread."""

    prepared = Signal(object)
    loaded = Signal(object)
    found = Signal(object)
    surveyed = Signal(object)
    mapped = Signal(object)
    tested = Signal(object)
    failed = Signal(object)
    stopped = Signal()

    def __init__(self, studio: Studio, parent: QObject) -> None:
        super().__init__(parent)
        self._studio = studio
        self._token = CancelToken()
        self._open: set[str] = set()
        self._waiting: tuple[Pixels, Proposal, ReaimSettings] | None = None

    @property
    def busy(self) -> bool:
        """Whether an answer is still awaited."""
        return bool(self._open)

    def prepare(self, ref: str, step: int, role: str = "") -> None:
        """Read a memory, what is stored of a step, and its past replays."""
        services = self._studio.services
        self._ask("prepare", services.jobs.pool(_prepare, services, ref, step, role), self.prepared)

    def load(self, state: LabState, source: Source, width: int, given: Callable[[], LabScreen] | None = None) -> None:
        """Read a picture for a view of that width; ``given`` reads one that is not stored."""
        self.stop()
        services, memory = self._studio.services, state.memory
        if memory is None:
            return
        if given is None:
            stored = source.stored
            assert stored is not None
            given = lambda: lab.open_screen(services, memory, stored, state.role)  # noqa: E731
        words = self.tr("Reading a picture") if source.kind != "live" else self.tr("Looking at the desktop")
        self._ask("load", services.jobs.pool(_load, source, width, given), self.loaded, words)

    def look(self, state: LabState, screen: LabScreen, policy: ReaimSettings) -> None:
        """Search; an older search is cancelled."""
        self.stop()
        self._token = CancelToken()
        services, memory = self._studio.services, state.memory
        if memory is not None:
            future = services.jobs.pool(_look, services, memory, state.step, state.role, screen, policy, self._token)
            self._ask("look", future, self.found, self.tr("Looking for the target"))

    def survey(self, state: LabState, screen: LabScreen) -> None:
        """Let every crop be looked for, also those that did not decide."""
        services, memory, result = self._studio.services, state.memory, state.result
        if memory is not None and result is not None:
            future = services.jobs.pool(_survey, services, memory, state, screen, self._token)
            self._ask("survey", future, self.surveyed, self.tr("Searching every crop"))

    def map(self, state: LabState, screen: LabScreen, key: CropKey) -> None:
        """Draw the score map of one crop."""
        services, memory = self._studio.services, state.memory
        if memory is not None:
            future = services.jobs.pool(_map, services, memory, state, screen, key, self._token)
            self._ask("map", future, self.mapped, self.tr("Drawing the score map"))

    def test(self, pixels: Pixels, proposal: Proposal, policy: ReaimSettings) -> None:
        """Test a proposed target; while one test runs only the newest proposal waits."""
        if "test" in self._open:
            self._waiting = (pixels, proposal, policy)
            return
        self._waiting = None
        future = self._studio.services.jobs.pool(retarget.tested, pixels, proposal, policy)
        self._ask("test", future, self.tested)

    def stop(self) -> None:
        """Cancel what searches; nothing of it is delivered."""
        self._token.cancel()
        self._open -= {"look", "survey", "map"}

    def _stop_for_person(self) -> None:
        self.stop()
        self.stopped.emit()

    def _ask(self, key: str, future: object, answer: object, words: str = "") -> None:
        self._open.add(key)

        def came(value: object) -> None:
            self._open.discard(key)
            answer.emit(value)  # type: ignore[attr-defined]
            if key == "test" and self._waiting is not None:
                self.test(*self._waiting)

        def missed(error: EchoError) -> None:
            self._open.discard(key)
            self.failed.emit(error)

        cancel = self._stop_for_person if words and key != "load" else None
        self._studio.work.ask(self, key, future, came, missed, words=words, cancel=cancel)  # type: ignore[arg-type]


def _prepare(services: Services, ref: str, step: int, role: str) -> Prepared:
    memory = library.memory(services, ref)
    able = [one.index for one in memory.program if one.targets]
    wanted = step if step in able or not able else min(able, key=lambda one: abs(one - step))
    chosen, found, _ = lab.target(memory, wanted, role)
    stored = lab.screens(services, memory, chosen.index, found)
    sources = tuple(Source(one.kind, "", one) for one in stored)
    past = lab.past(services, memory)
    return Prepared(memory, chosen.index, found, lab.policy_of(services, memory), sources, past)


def _load(source: Source, width: int, given: Callable[[], LabScreen]) -> Loaded:
    screen = given()
    image = to_image(screen.frame.pixels)
    smooth = Qt.TransformationMode.SmoothTransformation
    reduced = image.scaledToWidth(width, smooth) if 0 < width < image.width() else image
    thumb = reduced.scaled(_THUMB, Qt.AspectRatioMode.KeepAspectRatio, smooth)
    return Loaded(source, screen, image, reduced, thumb)


def _look(
    services: Services,
    memory: Memory,
    step: int,
    role: str,
    screen: LabScreen,
    policy: ReaimSettings,
    token: CancelToken,
) -> Found:
    began = time.perf_counter()
    result = lab.look(services, memory, step, role, screen, policy, token)
    return Found(result, policy, 1000 * (time.perf_counter() - began))


def _survey(
    services: Services, memory: Memory, state: LabState, screen: LabScreen, token: CancelToken
) -> tuple[CropMatch, ...]:
    assert state.result is not None
    _, _, evidence = lab.target(memory, state.step, state.role)
    pictures = lab.recorded(services, memory, state.step, state.role)
    window = lab.allowed(evidence, screen)
    return lab_search.survey(screen.frame.pixels, pictures, state.result, state.searched, window, token)


def _map(
    services: Services, memory: Memory, state: LabState, screen: LabScreen, key: CropKey, token: CancelToken
) -> lab_search.Heat | None:
    pictures = lab.recorded(services, memory, state.step, state.role)
    crop = next((one for one in pictures.crops if (one.kind.value, one.variant.value) == key), None)
    return lab_search.heatmap(screen.frame, crop, state.searched, token) if crop is not None else None
