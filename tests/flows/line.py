"""Given a demonstration in the scripted editor, when it is replayed, then ...: the steps of every flow."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from echostudio.cancel import CancelToken
from echostudio.desktop.scripted import ScriptedDesktop
from echostudio.desktop.scripted_editor import EditorOptions, ScriptedEditor
from echostudio.desktop.scripted_person import ScriptedPerson
from echostudio.episode.action import ActionKind
from echostudio.episode.check import Check
from echostudio.episode.memory import Memory
from echostudio.episode.report import ReplayReport
from echostudio.operations import consolidate, edit, promote, record, replay
from echostudio.operations.services import Services
from echostudio.replay.control import ReplayControl
from echostudio.retrieval.request import Request

TEXT = "hello from monday"
NAME = "monday.txt"


@dataclass
class Line:
    """One library, one folder for files, and the deeds of a flow."""

    services: Services
    folder: Path

    def editor(self, **options: Any) -> ScriptedDesktop:
        """A desktop with the editor open."""
        return ScriptedDesktop(ScriptedEditor(self.folder, EditorOptions(**options)))

    def recorded(self, demonstrate: Callable[[ScriptedPerson], None] | None = None) -> str:
        """Record a person; returns the run's id."""
        desktop, token = self.editor(), CancelToken()
        person = ScriptedPerson(desktop, planned=True)
        (demonstrate or save_a_note)(person)
        person.then(token.cancel)
        return record.on_desktop(self.services, desktop, "save a note", token).run

    def candidate(self) -> Memory:
        """Record and consolidate."""
        done = consolidate.consolidate(self.services, self.recorded())
        assert done.memory is not None, done.blockers
        assert done.viable, done.blockers
        return done.memory

    def active(self) -> Memory:
        """Record, consolidate, declare both texts, add two checks, promote."""
        memory = self.candidate()
        for step in memory.program:
            if step.action.kind is ActionKind.TYPE:
                name = "file_name" if step.action.parameters["text"] == NAME else "text"
                memory = edit.add_field(self.services, memory.id, name, step.index, "text")
        path = f"{self.folder}/{{file_name}}"
        for check in (Check("file_exists", {"path": path}), Check("text_contains", {"path": path, "text": "{text}"})):
            memory = edit.add_check(self.services, memory.id, check)
        edit.run_checks(self.services, memory.id)
        return promote.promote(self.services, memory.id, "checked")

    def replayed(
        self,
        memory: Memory,
        desktop: ScriptedDesktop,
        values: dict[str, str] | None = None,
        control: ReplayControl | None = None,
        **request: Any,
    ) -> ReplayReport:
        """Replay on a desktop."""
        wish = replay.ReplayRequest(memory=memory.id, values=values or {}, **request)
        asked = Request("", wish.values, "", wish.dry_run)
        chosen = control or ReplayControl(can_resume=False)
        return replay.on_desktop(self.services, wish, chosen, memory, asked, desktop)


def save_a_note(person: ScriptedPerson) -> None:
    """Type, File, Save As..., the name, Save."""
    person.type(TEXT)
    person.click("File")
    person.click("Save As...")
    person.click("Name")
    person.type(NAME)
    person.click("Save")


def inputs(desktop: ScriptedDesktop) -> list[str]:
    """The kinds of all inputs that were sent."""
    return [action.kind.value for action, _ in desktop.performed]
