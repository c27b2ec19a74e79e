"""Picking a target on the picture: a proposal that follows the pointer, its self test, and storing it."""

from __future__ import annotations

from PySide6.QtCore import QObject, Signal
from PySide6.QtWidgets import QWidget

from echostudio.episode.evidence import CropKind, CropVariant, SelfTest
from echostudio.episode.geometry import FrameBox, FramePoint
from echostudio.operations import lab, retarget
from echostudio.operations.lab import LabScreen
from echostudio.operations.retarget import Proposal
from echostudio.studio.lab.canvas import LabCanvas
from echostudio.studio.lab.cards import PickCard, ReasonDialog
from echostudio.studio.lab.searcher import Searcher
from echostudio.studio.lab.state import LabState
from echostudio.studio.page import Studio


class Picking(QObject):
    """Holds the proposal while a target is picked; ``stored`` carries the new revision."""

    ended = Signal()
    stored = Signal(object)

    def __init__(self, studio: Studio, searcher: Searcher, canvas: LabCanvas, parent: QWidget) -> None:
        super().__init__(parent)
        self._studio, self._searcher, self._canvas, self._window = studio, searcher, canvas, parent
        self._state = LabState()
        self._screen: LabScreen | None = None
        self.proposal: Proposal | None = None
        self.test: SelfTest | None = None
        self.card = PickCard()
        self.card.hide()
        canvas.picked.connect(self._picked)
        canvas.reshaped.connect(self._reshaped)
        searcher.tested.connect(self._tested)
        self.card.taken.connect(self.ask)
        self.card.left.connect(self.ended)

    def begin(self, state: LabState, screen: LabScreen) -> bool:
        """Begin with the target as it is on its own picture, else where it was found; False when nothing is open."""
        if state.memory is None:
            return False
        self._state, self._screen, self.test = state, screen, None
        _, _, evidence = lab.target(state.memory, state.step, state.role)
        stored = state.source.stored if state.source else None
        own = {crop.picture.digest for crop in evidence.crops if crop.variant is CropVariant.BEFORE}
        result = state.verdict.result if state.verdict else None
        self._canvas.set_picking(True)
        self.card.show()
        self._propose(None)
        if stored is not None and stored.picture.digest in own:
            self._propose(retarget.as_recorded(evidence))
        elif result is not None and result.point is not None:
            self._picked(result.point)
        return True

    def end(self) -> None:
        """Leave everything as it was."""
        self.proposal = None
        self._canvas.set_picking(False)
        self.card.hide()

    def ask(self) -> None:
        """Ask for a reason, then store the target."""
        if self.proposal is None or self._state.memory is None:
            return
        words = self.tr("A new revision of “{0}” in which step {1} looks for this place. The old one stays.")
        dialog = ReasonDialog(
            self.tr("Use as the new target"), words.format(self._state.memory.intent, self._state.step + 1),
            self.tr("Store"), self._window,
        )  # fmt: skip
        dialog.accepted.connect(lambda: self.store(dialog.reason))
        dialog.open()

    def store(self, reason: str) -> None:
        """Store the proposal as a new revision."""
        services, state = self._studio.services, self._state
        if state.memory is None or self._screen is None or self.proposal is None:
            return
        future = services.jobs.store(
            retarget.repick, services, state.memory, state.step, state.role, self._screen, self.proposal, reason
        )
        self._studio.work.ask(self, "store", future, self.stored.emit, words=self.tr("Storing the target"))

    def _picked(self, point: FramePoint) -> None:
        state, screen = self._state, self._screen
        if state.memory is None or screen is None:
            return
        _, _, evidence = lab.target(state.memory, state.step, state.role)
        self._propose(retarget.proposed(screen, point, lab.allowed(evidence, screen), state.policy))

    def _reshaped(self, kind: CropKind, box: FrameBox) -> None:
        if self.proposal is not None and self._screen is not None:
            self._propose(self.proposal.moved(kind, box, self._screen.frame.box))

    def _propose(self, proposal: Proposal | None) -> None:
        self.proposal = proposal
        if proposal is None or self._screen is None:
            self.test = None
        else:
            self._searcher.test(self._screen.frame.pixels, proposal, self._state.policy)
        self._show()

    def _tested(self, test: SelfTest) -> None:
        if self.proposal is not None:
            self.test = test
            self._show()

    def _show(self) -> None:
        self._canvas.show_proposal(self.proposal, self.test)
        self.card.show_test(self.test, self._state, proposed=self.proposal is not None)
