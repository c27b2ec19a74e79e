"""The Library's right pane: one memory, ready to be promoted or not, its steps, its history."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QHBoxLayout, QLineEdit, QScrollArea, QTabWidget, QVBoxLayout, QWidget

from echostudio.episode.lifecycle import LifecycleEvent, LifecycleState
from echostudio.episode.memory import Memory
from echostudio.episode.report import ReplayReport
from echostudio.studio.library.state import findings, may_become
from echostudio.studio.looks import FLEXIBLE, OUTCOMES, STATES, Look
from echostudio.studio.parts.badge import Badge, fact
from echostudio.studio.parts.controls import button
from echostudio.studio.parts.lines import Line, LineList
from echostudio.studio.parts.text import label, rule
from echostudio.studio.timeline.facts import event_line
from echostudio.studio.wording import action_icon, count, seconds, when


@dataclass(frozen=True)
class Detail:
    """What the pane shows of one memory."""

    memory: Memory
    blockers: tuple[str, ...]
    history: tuple[LifecycleEvent, ...]
    replays: tuple[ReplayReport, ...]


class DetailPane(QWidget):
    """Shows a memory and offers the changes of its life; each needs a reason."""

    decided = Signal(str, str)
    replay_opened = Signal(str)

    def __init__(self) -> None:
        super().__init__()
        self.setObjectName("rightpanel")
        self.setAttribute(Qt.WidgetAttribute.WA_StyledBackground)
        self.setMinimumWidth(320)
        self._detail: Detail | None = None
        self.title = label("", "heading", wrap=True)
        self._badges = QHBoxLayout()
        self._badges.setSpacing(6)
        self.tabs = QTabWidget()
        self.tabs.setAccessibleName(self.tr("About this memory"))
        self.tabs.setDocumentMode(True)
        self._evidence = LineList()
        self._replays = LineList()
        self._replays.opened.connect(self.replay_opened)
        self._steps = LineList()
        self._history = LineList()
        self.reason = QLineEdit()
        self.reason.setPlaceholderText(self.tr("Reason (goes into the history)"))
        self.reason.setAccessibleName(self.tr("Reason"))
        self.reason.textChanged.connect(self._refresh_buttons)
        self.promote = button(self.tr("Promote to active"), "primary", "shield-check")
        self.quarantine = button(self.tr("Quarantine"), "", "warning")
        self.deprecate = button(self.tr("Deprecate"), "", "archive")
        self.hint = label("", "small", "muted", wrap=True)
        for name, one in (("promote", self.promote), ("quarantine", self.quarantine), ("deprecate", self.deprecate)):
            one.clicked.connect(lambda _=False, name=name: self.decide(name))
        self._lay_out()

    def _lay_out(self) -> None:
        column = QVBoxLayout(self)
        column.setContentsMargins(1, 0, 0, 0)
        column.setSpacing(0)
        head = QVBoxLayout()
        head.setContentsMargins(16, 14, 16, 12)
        head.setSpacing(10)
        head.addWidget(self.title)
        head.addLayout(self._badges)
        column.addLayout(head)
        self.tabs.addTab(self._promote_tab(), self.tr("Promote"))
        self.tabs.addTab(_scrolled(self._steps), self.tr("Steps"))
        self.tabs.addTab(_scrolled(self._history), self.tr("History"))
        column.addWidget(self.tabs, 1)

    def _promote_tab(self) -> QWidget:
        tab = QWidget()
        tab.setObjectName("panelbody")
        column = QVBoxLayout(tab)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(0)
        inner = QWidget()
        inner.setObjectName("panelbody")
        lines = QVBoxLayout(inner)
        lines.setContentsMargins(16, 14, 16, 8)
        lines.setSpacing(8)
        self._question = label("", "section")
        self._replay_head = label(self.tr("Last replays"), "section")
        lines.addWidget(self._question)
        lines.addWidget(self._evidence)
        lines.addSpacing(8)
        lines.addWidget(self._replay_head)
        lines.addWidget(self._replays)
        lines.addStretch()
        area = QScrollArea()
        area.setObjectName("panel")
        area.setWidgetResizable(True)
        area.setWidget(inner)
        area.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        column.addWidget(area, 1)
        column.addWidget(rule())
        column.addWidget(self._foot())
        return tab

    def _foot(self) -> QWidget:
        foot = QWidget()
        column = QVBoxLayout(foot)
        column.setContentsMargins(16, 12, 16, 14)
        column.setSpacing(8)
        column.addWidget(self.reason)
        row = QHBoxLayout()
        row.setSpacing(8)
        row.addWidget(self.promote, 1)
        row.addWidget(self.quarantine)
        row.addWidget(self.deprecate)
        column.addLayout(row)
        column.addWidget(self.hint)
        return foot

    @property
    def detail(self) -> Detail | None:
        """What is shown now."""
        return self._detail

    def show_detail(self, detail: Detail | None) -> None:
        """Show another memory; the reason that was being written is dropped with the old one."""
        if detail is None or self._detail is None or detail.memory.id != self._detail.memory.id:
            self.reason.clear()
        self._detail = detail
        self.setVisible(detail is not None)
        if detail is None:
            return
        memory = detail.memory
        self.title.setText(memory.intent)
        self._show_badges(memory)
        active = memory.state == LifecycleState.ACTIVE
        open_question = may_become(memory.state, LifecycleState.ACTIVE)
        words = (
            self.tr("In use") if active else self.tr("Ready to promote?") if open_question else self.tr("Not in use")
        )
        self._question.setText(words)
        blockers = detail.blockers if open_question else ()
        self._evidence.show_lines([Line(f.look, f.sentence, f.where) for f in findings(memory, blockers)])
        self._replay_head.setVisible(bool(detail.replays))
        self._replays.show_lines([_replay_line(report) for report in detail.replays[:6]])
        self._steps.show_lines(_step_lines(memory))
        self._history.show_lines([event_line(event) for event in reversed(detail.history)])
        self._refresh_buttons()

    def _show_badges(self, memory: Memory) -> None:
        while item := self._badges.takeAt(0):
            if widget := item.widget():
                widget.deleteLater()
        looks: list[Look] = [STATES[memory.state], fact(f"rev {memory.revision}")]
        if memory.fields:
            looks.append(Look(FLEXIBLE.icon, count(len(memory.fields), "field"), FLEXIBLE.token))
        looks.append(fact(count(len(memory.checks), "check")))
        for look in looks:
            self._badges.addWidget(Badge(look))
        self._badges.addStretch()

    def decide(self, deed: str) -> None:
        """Ask for a change of life, when there is a reason and it is allowed; else point at what is missing."""
        if not self.reason.text().strip():
            self.tabs.setCurrentIndex(0)
            self.reason.setFocus()
            return
        allowed = {"promote": self.promote, "quarantine": self.quarantine, "deprecate": self.deprecate}[deed]
        if allowed.isEnabled():
            self.decided.emit(deed, self.reason.text().strip())

    def decided_well(self) -> None:
        """Clear the reason once the change is made."""
        self.reason.clear()

    def _refresh_buttons(self) -> None:
        if self._detail is None:
            return
        state, blockers = self._detail.memory.state, self._detail.blockers
        reason = bool(self.reason.text().strip())
        can_promote = may_become(state, LifecycleState.ACTIVE) and not blockers
        self.promote.setEnabled(reason and can_promote)
        self.quarantine.setEnabled(reason and may_become(state, LifecycleState.QUARANTINED))
        self.deprecate.setEnabled(reason and may_become(state, LifecycleState.DEPRECATED))
        self.promote.setVisible(may_become(state, LifecycleState.ACTIVE))
        if state == LifecycleState.DEPRECATED:
            self.hint.setText(self.tr("A deprecated revision stays as it is; nothing is erased."))
        elif blockers and may_become(state, LifecycleState.ACTIVE):
            words = count(len(blockers), self.tr("point"))
            self.hint.setText(self.tr("{0} to settle before it can be promoted.").format(words))
        else:
            self.hint.setText("" if reason else self.tr("Each change asks for a reason and is kept for good."))


def _scrolled(lines: LineList) -> QScrollArea:
    inner = QWidget()
    inner.setObjectName("panelbody")
    column = QVBoxLayout(inner)
    column.setContentsMargins(16, 14, 16, 14)
    column.addWidget(lines)
    column.addStretch()
    area = QScrollArea()
    area.setObjectName("panel")
    area.setWidgetResizable(True)
    area.setWidget(inner)
    area.setFocusPolicy(Qt.FocusPolicy.NoFocus)
    return area


def _replay_line(report: ReplayReport) -> Line:
    look = OUTCOMES[report.outcome]
    where = f"{when(report.started)} · {seconds(report.seconds)}"
    words = f"{look.word}: {report.refusal.sentence}" if report.refusal else look.word
    return Line(look, words, where, key=report.run)


def _step_lines(memory: Memory) -> Sequence[Line]:
    lines = [
        (
            step.run_step,
            Line(Look(action_icon(step.action), step.action.kind, "muted"), step.words, str(step.index + 1)),
        )
        for step in memory.program
    ]
    lines += [
        (drop.run_step, Line(Look("minus-circle", "dropped", "faint"), drop.words, drop.reason, struck=True))
        for drop in memory.reasoning.dropped
    ]
    return [line for _, line in sorted(lines, key=lambda pair: pair[0])]
