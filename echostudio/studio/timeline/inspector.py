"""The right inspector of the Timeline: one tab per question about the chosen step and its memory."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QGridLayout, QHBoxLayout, QScrollArea, QTabWidget, QVBoxLayout, QWidget

from echostudio.episode.action import PARAMETER_PATHS
from echostudio.episode.evidence import TargetEvidence
from echostudio.episode.lifecycle import LifecycleEvent
from echostudio.episode.memory import Memory
from echostudio.settings import ReaimSettings
from echostudio.studio.looks import CHECKS, FLEXIBLE, Look
from echostudio.studio.parts.badge import Badge
from echostudio.studio.parts.controls import Switch, button
from echostudio.studio.parts.lines import LineList
from echostudio.studio.parts.meter import Measure, Meter
from echostudio.studio.parts.text import label, rule
from echostudio.studio.timeline.facts import check_lines, element_facts, event_line, place_facts, run_lines
from echostudio.studio.timeline.state import TimelineState, TimelineStep, effect_sentences, flexible_paths
from echostudio.studio.wording import moment_words, parameter

_MARGIN_FULL = 0.3


class Sheet(QScrollArea):
    """One tab: sections below each other, rebuilt when its content changes."""

    def __init__(self) -> None:
        super().__init__()
        self.setObjectName("panel")
        self.setWidgetResizable(True)
        self.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.column = QVBoxLayout()
        self.begin()

    def begin(self) -> QVBoxLayout:
        """Take everything away and start anew; returns the column to fill."""
        body = QWidget()
        body.setObjectName("panelbody")
        self.column = QVBoxLayout(body)
        self.column.setContentsMargins(16, 14, 16, 14)
        self.column.setSpacing(8)
        self.setWidget(body)
        return self.column


class Inspector(QTabWidget):
    """Shows a step; asks for fields and checks by signals."""

    field_wanted = Signal(int, str)
    field_dropped = Signal(str)
    checks_wanted = Signal()
    check_wanted = Signal()

    def __init__(self, policy: ReaimSettings) -> None:
        super().__init__()
        self.setAccessibleName(self.tr("Inspector"))
        self.setDocumentMode(True)
        self.setUsesScrollButtons(False)
        self._policy = policy
        names = (
            self.tr("Action"),
            self.tr("Target"),
            self.tr("Fields"),
            self.tr("Effect"),
            self.tr("Checks"),
            self.tr("Log"),
        )
        self._sheets = tuple(Sheet() for _ in names)
        for sheet, name in zip(self._sheets, names, strict=True):
            self.addTab(sheet, name)

    def show_step(self, state: TimelineState, step: TimelineStep | None) -> None:
        """Show another step of a timeline."""
        if step is None:
            return
        action, target, fields, effect, checks, _ = self._sheets
        self._fill_action(action.begin(), state, step)
        self._fill_target(target.begin(), step)
        self._fill_fields(fields.begin(), state)
        self._fill_effect(effect.begin(), step)
        self._fill_checks(checks.begin(), state.memory)

    def show_log(self, events: Sequence[LifecycleEvent], state: TimelineState) -> None:
        """Show the memory's life, or the run's health."""
        column = self._sheets[5].begin()
        lines = LineList()
        if state.memory is None:
            column.addWidget(label(self.tr("Recording"), "section"))
            lines.show_lines(run_lines(state))
        else:
            column.addWidget(label(self.tr("Lifecycle"), "section"))
            lines.show_lines([event_line(event) for event in reversed(events)])
        column.addWidget(lines)
        column.addStretch()

    def _fill_action(self, column: QVBoxLayout, state: TimelineState, step: TimelineStep) -> None:
        column.addWidget(label(step.words, "heading", wrap=True))
        if step.dropped:
            column.addWidget(_badges([Look("minus-circle", "dropped", "skipped")]))
            column.addWidget(label(step.reason, tone="muted", wrap=True))
        if step.error:
            column.addWidget(label(step.error, tone="failed", wrap=True))
        if step.risky:
            column.addWidget(_badges([Look("warning-fill", "risky: cannot be taken back", "refused")]))
        if step.action is not None:
            column.addSpacing(4)
            column.addWidget(label(self.tr("Parameters"), "section"))
            column.addLayout(self._parameters(state, step))
        facts = place_facts(step)
        if facts:
            column.addSpacing(6)
            column.addWidget(rule())
            column.addWidget(label(self.tr("Where it happened"), "section"))
            column.addLayout(_table(facts))
        column.addStretch()

    def _parameters(self, state: TimelineState, step: TimelineStep) -> QGridLayout:
        assert step.action is not None
        grid = _grid()
        editable = state.memory is not None and step.index is not None
        flexible = flexible_paths(step.action)
        shown = [p for p in PARAMETER_PATHS[step.action.kind] if p in step.action.parameters or p in flexible]
        for row, path in enumerate(shown):
            name = step.field_at(path)
            value = parameter(step.action.parameters.get(path)).rstrip()
            grid.addWidget(label(path, tone="muted"), row, 0, Qt.AlignmentFlag.AlignTop)
            cell = QVBoxLayout()
            cell.setSpacing(4)
            cell.addWidget(label(value, wrap=True))
            if name:
                cell.addWidget(_badges([Look(FLEXIBLE.icon, name, FLEXIBLE.token)]))
            grid.addLayout(cell, row, 1, Qt.AlignmentFlag.AlignTop)
            if editable and (path in flexible or name):
                grid.addWidget(self._switch(step, path, name), row, 2, Qt.AlignmentFlag.AlignTop)
        if not shown:
            grid.addWidget(label(self.tr("This action has none."), tone="muted"), 0, 0)
        return grid

    def _switch(self, step: TimelineStep, path: str, name: str) -> Switch:
        switch = Switch(self.tr("{0} may change").format(path), "field")
        switch.setToolTip(
            self.tr("Declared as {0}: may change").format(name) if name else self.tr("Fixed. Turn on to let it change.")
        )
        switch.setChecked(bool(name))

        def flipped(on: bool) -> None:
            switch.blockSignals(True)
            switch.setChecked(bool(name))
            switch.blockSignals(False)
            if on:
                self.field_wanted.emit(step.index, path)
            else:
                self.field_dropped.emit(name)

        switch.toggled.connect(flipped)
        return switch

    def _fill_target(self, column: QVBoxLayout, step: TimelineStep) -> None:
        if not step.targets:
            column.addWidget(
                label(
                    self.tr("This step has no target on the screen; it goes to the keyboard focus."),
                    tone="muted",
                    wrap=True,
                )
            )
            focus = step.screen.focus if step.screen else None
            if focus is not None:
                column.addLayout(_table([("focus", f"{focus.role} “{focus.name}”")]))
        for place, (name, target) in enumerate(step.targets):
            if place:
                column.addWidget(rule())
            if len(step.targets) > 1:
                column.addWidget(label(name, "heading"))
            self._fill_evidence(column, target)
        column.addStretch()

    def _fill_evidence(self, column: QVBoxLayout, target: TargetEvidence) -> None:
        column.addWidget(label(self.tr("Could it be found again?"), "section"))
        test = target.self_test
        if test is None:
            column.addWidget(label(self.tr("It was not tested while it was recorded."), tone="muted", wrap=True))
        else:
            column.addWidget(Meter(Measure(self.tr("score"), test.best, self._policy.eta_match)))
            column.addWidget(
                Meter(Measure(self.tr("margin to the second best"), test.margin, self._policy.eta_margin, _MARGIN_FULL))
            )
            look = CHECKS[True] if test.passed else Look("warning-fill", "has a twin", "refused")
            column.addWidget(
                _badges([Look(look.icon, f"{test.crop} {'unique' if test.passed else 'not unique'}", look.token)])
            )
            if test.sentence:
                column.addWidget(label(test.sentence, tone="muted", wrap=True))
        column.addSpacing(6)
        column.addWidget(rule())
        column.addWidget(label(self.tr("Crops"), "section"))
        crops = [
            (
                f"{crop.kind.value.replace('_', ' ')}",
                f"{crop.box.width}×{crop.box.height} at {crop.box.x}, {crop.box.y} · {crop.variant}",
            )
            for crop in target.crops
        ]
        column.addLayout(_table(crops))
        column.addSpacing(6)
        column.addWidget(rule())
        column.addWidget(label(self.tr("Element and window"), "section"))
        column.addLayout(_table(element_facts(target)))

    def _fill_fields(self, column: QVBoxLayout, state: TimelineState) -> None:
        memory = state.memory
        if memory is None:
            column.addWidget(
                label(self.tr("A run has no fields. Consolidate it into a memory first."), tone="muted", wrap=True)
            )
            column.addStretch()
            return
        column.addWidget(label(self.tr("What may change in a replay"), "section"))
        for field in memory.fields:
            head = QHBoxLayout()
            head.addWidget(Badge(Look(FLEXIBLE.icon, field.name, FLEXIBLE.token)))
            head.addStretch()
            remove = button("", "quiet", "trash", self.tr("Make {0} fixed again").format(field.name))
            remove.setFixedWidth(32)
            remove.clicked.connect(lambda _=False, name=field.name: self.field_dropped.emit(name))
            head.addWidget(remove)
            column.addLayout(head)
            places = ", ".join(f"step {binding.action_index + 1} · {binding.path}" for binding in field.bindings)
            rows = [("kind", field.kind.value), ("fills", places)]
            rows += [("pattern", field.pattern)] if field.pattern else []
            rows += [("choices", ", ".join(field.choices))] if field.choices else []
            rows.append(("recorded", "***" if field.kind.value == "secret" else field.recorded or "none"))
            column.addLayout(_table(rows))
            column.addWidget(rule())
        if not memory.fields:
            column.addWidget(label(self.tr("Nothing yet: every replay uses exactly the recorded values."), wrap=True))
        column.addWidget(
            label(
                self.tr(
                    "Everything else is fixed. A request to change it is refused before any input. Turn on the switch "
                    "beside a parameter under Action to let it change."
                ),
                "small",
                "muted",
                wrap=True,
            )
        )
        column.addStretch()

    def _fill_effect(self, column: QVBoxLayout, step: TimelineStep) -> None:
        column.addWidget(label(self.tr("What the step did"), "section"))
        for sentence in effect_sentences(step):
            column.addWidget(label(sentence, wrap=True))
        boxes = step.effect.boxes if step.effect else ()
        if boxes:
            column.addSpacing(6)
            column.addWidget(rule())
            column.addWidget(label(self.tr("Changed areas"), "section"))
            column.addLayout(
                _table([(str(n + 1), f"{b.width}×{b.height} at {b.x}, {b.y}") for n, b in enumerate(boxes[:12])])
            )
        column.addStretch()

    def _fill_checks(self, column: QVBoxLayout, memory: Memory | None) -> None:
        if memory is None:
            column.addWidget(
                label(self.tr("A run has no checks. Consolidate it into a memory first."), tone="muted", wrap=True)
            )
            column.addStretch()
            return
        column.addWidget(label(self.tr("What must be true when the job is done"), "section"))
        lines = LineList()
        lines.show_lines(check_lines(memory))
        column.addWidget(lines)
        if not memory.checks:
            column.addWidget(
                label(self.tr("No check yet. Without one, no replay can be verified."), tone="refused", wrap=True)
            )
        row = QHBoxLayout()
        add = button(self.tr("Add a check…"), icon="plus")
        add.clicked.connect(self.check_wanted)
        run = button(self.tr("Run now"), icon="play")
        run.setEnabled(bool(memory.checks))
        run.clicked.connect(self.checks_wanted)
        row.addWidget(add)
        row.addWidget(run)
        row.addStretch()
        column.addLayout(row)
        if memory.validation.at:
            column.addWidget(
                label(self.tr("Last run {0}").format(moment_words(memory.validation.at)), "small", "muted")
            )
        column.addStretch()


def _grid() -> QGridLayout:
    grid = QGridLayout()
    grid.setContentsMargins(0, 0, 0, 0)
    grid.setHorizontalSpacing(14)
    grid.setVerticalSpacing(8)
    grid.setColumnMinimumWidth(0, 84)
    grid.setColumnStretch(1, 1)
    return grid


def _table(rows: Sequence[tuple[str, str]]) -> QGridLayout:
    grid = _grid()
    for place, (name, value) in enumerate(rows):
        grid.addWidget(label(name, tone="muted"), place, 0, Qt.AlignmentFlag.AlignTop)
        grid.addWidget(label(value, wrap=True), place, 1)
    return grid


def _badges(looks: Sequence[Look]) -> QWidget:
    box = QWidget()
    row = QHBoxLayout(box)
    row.setContentsMargins(0, 0, 0, 0)
    row.setSpacing(6)
    for look in looks:
        row.addWidget(Badge(look))
    row.addStretch()
    return box
