"""The demo's play, act by act. It only calls the same operations as every other door."""

from __future__ import annotations

import os
import subprocess
import sys
import threading
import time
from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path

from echostudio import paths
from echostudio.cancel import CancelToken
from echostudio.episode.action import ActionKind
from echostudio.episode.check import Check
from echostudio.episode.field import FieldKind
from echostudio.episode.geometry import DesktopBox
from echostudio.episode.happening import ChecksJudged, GateJudged, ReplayStepFinished
from echostudio.episode.lifecycle import LifecycleState
from echostudio.episode.memory import Memory
from echostudio.episode.report import ReplayReport
from echostudio.episode.verdict import Outcome, RefusalCode
from echostudio.errors import Cancelled, DesktopError, EchoError
from echostudio.operations import consolidate, edit, promote, replay
from echostudio.operations.demo import pages
from echostudio.operations.demo.editors import Editor, choose
from echostudio.operations.demo.result import DemoResult, Part
from echostudio.operations.demo.stage import Stage, recorder, stage
from echostudio.operations.services import Services, open_services
from echostudio.replay.control import ReplayControl

INTENT = "Write two lines and save them as a file"
TEXT = "Minutes of Monday\nThe roof is finished."
OTHER_TEXT = "Minutes of Friday\nThe windows arrive in March."
PARTS = 7

Say = Callable[[str], None]


@dataclass(frozen=True, slots=True)
class Plan:
    """Sizes of the two desktops, the report's folder, and the home whose library receives the memory."""

    size: tuple[int, int]
    replay_size: tuple[int, int]
    report: Path | None = None
    home: Path | None = None


def run_demo(plan: Plan, token: CancelToken, say: Say) -> DemoResult:
    """Play the whole line and judge every part; a report is written in every case."""
    services = open_services(plan.home)
    stamp = f"{datetime.now():%Y%m%d-%H%M%S}"
    folder = (plan.report or paths.reports_folder(services.home) / f"demo-{stamp}").absolute()
    folder.mkdir(parents=True, exist_ok=True)
    play = _Play(services, plan, folder, token, say)
    try:
        play.run()
    except Cancelled:
        play.result.fault = "Stopped by the person."
    except EchoError as fault:
        play.result.fault = f"{fault.sentence} {fault.hint}".strip()
        say(f"[red]✕[/] {play.result.fault}")
    finally:
        play.result.seconds = time.monotonic() - play.begun
        pages.write(play.result, services)
        services.close()
    return play.result


class _Play:
    """The acts, in order."""

    def __init__(self, services: Services, plan: Plan, folder: Path, token: CancelToken, say: Say) -> None:
        self.begun = time.monotonic()
        self.services = services
        self.plan = plan
        self.token = token
        self.editor: Editor = choose()
        self.result = DemoResult(folder / "report.html", PARTS, editor=self.editor.name)
        self.files = folder / "files"
        self._say = say
        services.bus.subscribe(self._hear)

    def run(self) -> None:
        """Play all acts."""
        self.files.mkdir(exist_ok=True)
        memory = self._curate(self._demonstrate())
        self.result.memory = memory.id
        with stage(*self.plan.replay_size, self.files / "home-replay", self.token) as there:
            self._replay_elsewhere(there, memory)
            self._refuse_undeclared(there, memory)
            self._refuse_twin(there, memory)
            self._catch_silent_failure(there, memory)
            self._refuse_closed(there, memory)
        self._take_pictures(memory)

    def _demonstrate(self) -> str:
        """A person writes and saves; a recorder in another process watches. Returns the run's id."""
        self._act(f"Demonstration in {self.editor.name}, {self.plan.size[0]}x{self.plan.size[1]}")
        begun, path, ready = time.monotonic(), self.files / "monday.txt", self.files / "recorder-ready"
        with stage(*self.plan.size, self.files / "home", self.token) as here:
            here.start(self.editor, self.files)
            with recorder(here.display, INTENT, self.services.home, ready, self.token):
                self.editor.write_and_save(here.person, TEXT, path)
        run = ready.read_text()
        ready.unlink()
        self.result.run = run
        content = path.read_text()
        self._part("A person's work was recorded", TEXT, content, content.strip() == TEXT, begun)
        return run

    def _curate(self, run: str) -> Memory:
        """Consolidate, declare the two fields, add the checks, promote."""
        self._act("Curation")
        begun, services = time.monotonic(), self.services
        done = consolidate.consolidate(services, run)
        if done.memory is None:
            raise DesktopError("The recording holds nothing that can be replayed.", "; ".join(done.blockers))
        for step in done.steps:
            self._say(f"    {step.words}" + ("" if step.kept else f"  (dropped: {step.reason})"))
        memory = self._declare(done.memory)
        for check in (
            Check("file_exists", {"path": "{file_name}"}),
            Check("text_contains", {"path": "{file_name}", "text": "{text}"}),
        ):
            memory = edit.add_check(services, memory.id, check)
        edit.run_checks(services, memory.id)
        memory = promote.promote(services, memory.id, "the demo's checks passed on the demonstration's file")
        self._part(
            "The recording became an active memory",
            "active, 2 fields, 2 checks",
            f"{memory.state.value}, {len(memory.fields)} fields, {len(memory.checks)} checks",
            memory.state is LifecycleState.ACTIVE and len(memory.fields) == 2,
            begun,
        )
        return memory

    def _declare(self, memory: Memory) -> Memory:
        for step in memory.program:
            if step.action.kind is not ActionKind.TYPE:
                continue
            is_path = step.action.parameters["text"].startswith("/")
            name, kind = ("file_name", FieldKind.PATH) if is_path else ("text", FieldKind.TEXT)
            memory = edit.add_field(self.services, memory.id, name, step.index, "text", kind)
        return memory

    def _replay_elsewhere(self, there: Stage, memory: Memory) -> None:
        width, height = self.plan.replay_size
        self._act(f"Replay at {width}x{height}, window elsewhere, other name, other text")
        begun, path = time.monotonic(), self.files / "friday.txt"
        program = there.start(self.editor, self.files, _place(width, height))
        report = self._replay(there, memory, {"file_name": str(path), "text": OTHER_TEXT})
        content = path.read_text().strip() if path.exists() else "no file"
        held = report.outcome is Outcome.VERIFIED and content == OTHER_TEXT
        self._part(
            "Replayed elsewhere with other values",
            f"verified, {OTHER_TEXT}",
            f"{report.outcome.value}, {content}",
            held,
            begun,
            report,
        )
        program.terminate()

    def _refuse_undeclared(self, there: Stage, memory: Memory) -> None:
        self._act("Refusal: a change that nobody declared")
        begun = time.monotonic()
        program = there.start(self.editor, self.files, _place(*self.plan.replay_size))
        report = self._replay(there, memory, {"menu": "Edit"})
        self._refused("An undeclared change was refused", report, RefusalCode.UNDECLARED_CHANGE, begun)
        program.terminate()

    def _refuse_twin(self, there: Stage, memory: Memory) -> None:
        self._act("Refusal: the target is there twice")
        begun, (width, height) = time.monotonic(), self.plan.replay_size
        half = width // 2 - 40
        first = there.start(self.editor, self.files, DesktopBox(20, 60, half, height // 2))
        second = there.start(self.editor, self.files, DesktopBox(half + 60, 60, half, height // 2))
        report = self._replay(there, memory, {"file_name": str(self.files / "never.txt")})
        self._refused("A doubled target was refused", report, RefusalCode.TARGET_AMBIGUOUS, begun)
        second.terminate()
        first.terminate()

    def _refuse_closed(self, there: Stage, memory: Memory) -> None:
        self._act("Refusal: the program is not open")
        begun = time.monotonic()
        there.person.wait_for(lambda: not there.desktop.windows(), "an empty desktop")
        report = self._replay(there, memory, {})
        self._refused("A program that is not open was refused", report, RefusalCode.APP_MISMATCH, begun)

    def _catch_silent_failure(self, there: Stage, memory: Memory) -> None:
        self._act("Silent failure: every click lands, but the file loses its content")
        begun, path = time.monotonic(), self.files / "lost.txt"
        program = there.start(self.editor, self.files, _place(*self.plan.replay_size))
        with _losing_disk(path):
            report = self._replay(there, memory, {"file_name": str(path), "text": OTHER_TEXT})
        done = all(step.status == "done" for step in report.steps) and bool(report.steps)
        failed = [result.kind for result in report.checks if not result.passed]
        held = report.outcome is Outcome.COMPLETED_UNVERIFIED and done and failed == ["text_contains"]
        self._part(
            "A silent failure was caught by the check",
            "completed_unverified; text_contains failed",
            f"{report.outcome.value}; {', '.join(failed) or 'no check'} failed",
            held,
            begun,
            report,
        )
        program.terminate()

    def _refused(self, title: str, report: ReplayReport, code: RefusalCode, begun: float) -> None:
        """A refusal holds when its code is right and no step was sent."""
        got = report.refusal.code if report.refusal else None
        sent = [step for step in report.steps if step.status not in ("pending", "refused")]
        held = report.outcome is Outcome.REFUSED and got is code and not sent
        actual = f"{report.outcome.value}, {got.value if got else 'no refusal'}, {len(sent)} steps sent"
        self._part(title, f"refused, {code.value}, 0 steps sent", actual, held, begun, report)

    def _replay(self, there: Stage, memory: Memory, values: dict[str, str]) -> ReplayReport:
        wish = replay.ReplayRequest(memory=memory.id, values=values, display=there.display)
        control = ReplayControl(can_resume=False)
        control.token = self.token
        report = replay.replay(self.services, wish, control)
        if report.outcome is Outcome.STOPPED:
            self.token.check()
        return report

    def _take_pictures(self, memory: Memory) -> None:
        """Let a studio of its own show this very memory and this very replay."""
        shown = next((part.replay for part in self.result.parts if part.replay), None)
        wanted = {"studio-timeline.png": f"timeline:{memory.id}@2"}
        if shown is not None:
            wanted["studio-replay.png"] = f"replay:{shown.run}"
        for name, page in wanted.items():
            self._act(f"Picture of the studio: {page.partition(':')[0]}")
            target = self.result.report.parent / name
            _shoot(self.services.home, page, target)
            self.result.pictures[name] = page

    def _part(
        self, title: str, expected: str, actual: str, held: bool, begun: float, report: ReplayReport | None = None
    ) -> None:
        self.result.parts.append(Part(title, expected, actual, held, time.monotonic() - begun, report))
        mark = "[green]✓[/]" if held else "[red]✕[/]"
        self._say(f"{mark} [bold]{title}[/]" + ("" if held else f": expected {expected}; got {actual}"))

    def _act(self, title: str) -> None:
        self.token.check()
        self._say(f"\n[bold]{title}[/]  ({time.monotonic() - self.begun:.0f} s)")

    def _hear(self, event: object) -> None:
        match event:
            case GateJudged(verdict=gate):
                self._say(f"    gate {gate.gate.value:10s} {gate.verdict.value:9s} {gate.sentence}".replace("[", "\\["))
            case ReplayStepFinished(step=step):
                self._say(f"    {step.index + 1} {step.words}  {step.status}".replace("[", "\\["))
            case ChecksJudged(results=results):
                for result in results:
                    self._say(f"    check {result.kind}: {'passed' if result.passed else 'FAILED'}")
            case _:
                return


def _place(width: int, height: int) -> DesktopBox:
    return DesktopBox(width // 3, height // 4, width // 2, height // 2)


class _losing_disk:  # noqa: N801 - reads as what it is where it is used
    """While open, a file loses its content as soon as it is written, as a full or faulty disk would do."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._over = threading.Event()
        self._thread = threading.Thread(target=self._watch, name="losing disk")

    def __enter__(self) -> None:
        self._thread.start()

    def __exit__(self, *_: object) -> None:
        self._over.set()
        self._thread.join()

    def _watch(self) -> None:
        while not self._over.wait(0.002):
            try:
                if self._path.stat().st_size > 0:
                    os.truncate(self._path, 0)
            except FileNotFoundError:
                continue


def _shoot(home: Path, page: str, target: Path) -> None:
    environment = dict(os.environ)
    environment.setdefault("QT_QPA_PLATFORM", "offscreen")
    command = [sys.executable, "-m", "echostudio", "--home", str(home), "--open", page, "--shot", str(target)]
    done = subprocess.run(command, env=environment, capture_output=True, text=True, timeout=60, check=False)
    if done.returncode != 0 or not target.exists():
        raise DesktopError(f"The studio could not show {page}.", done.stderr[-400:])
