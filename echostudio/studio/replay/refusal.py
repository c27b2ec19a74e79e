"""The right side of Replay: how it ended; for a refusal why, where, by how much, and what to do next."""

from __future__ import annotations

from typing import Final

from PySide6.QtCore import QRectF, QSize, Qt, Signal
from PySide6.QtGui import QColor, QImage, QPainter, QPainterPath, QPaintEvent, QPen
from PySide6.QtWidgets import QHBoxLayout, QScrollArea, QSizePolicy, QVBoxLayout, QWidget

from echostudio.episode.geometry import FrameBox, FramePoint
from echostudio.episode.verdict import Outcome, Refusal
from echostudio.studio import theme
from echostudio.studio.looks import CHANGED, CHECKS, OUTCOMES, Look
from echostudio.studio.parts.badge import Badge
from echostudio.studio.parts.controls import button
from echostudio.studio.parts.lines import Glyph, Line, LineList
from echostudio.studio.parts.text import label, rule
from echostudio.studio.replay.state import HEADLINES, ReplayState
from echostudio.studio.wording import seconds

_CUT: Final = 220


class Cutting(QWidget):
    """A part of a frame around a place, enlarged to fill, with the place ringed."""

    def __init__(self, name: str) -> None:
        super().__init__()
        self.setAccessibleName(name)
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
        self.setFixedHeight(100)
        self._image: QImage | None = None
        self._point: FramePoint | None = None
        self._box: FrameBox | None = None
        self._token = "recorded"

    def sizeHint(self) -> QSize:  # noqa: N802 - Qt's name
        """Ask for half of the pane."""
        return QSize(140, 104)

    def show_cut(self, image: QImage | None, point: FramePoint | None, box: FrameBox | None, token: str) -> None:
        """Show the surroundings of a place; without one an empty frame."""
        self._image, self._point, self._box, self._token = image, point, box, token
        self.update()

    def paintEvent(self, event: QPaintEvent) -> None:  # noqa: N802 - Qt's name
        """Draw the cut, the box and the ring."""
        now = theme.current()
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.setRenderHint(QPainter.RenderHint.SmoothPixmapTransform)
        frame = QRectF(self.rect()).adjusted(0.5, 0.5, -0.5, -0.5)
        path = QPainterPath()
        path.addRoundedRect(frame, 6, 6)
        painter.fillPath(path, now.colour("inset"))
        place = self._point or (self._box.center if self._box else None)
        if self._image is not None and place is not None:
            painter.setClipPath(path)
            self._paint_cut(painter, place)
            painter.setClipping(False)
        painter.setPen(QPen(now.colour("line"), 1))
        painter.setBrush(Qt.BrushStyle.NoBrush)
        painter.drawPath(path)
        painter.end()

    def _paint_cut(self, painter: QPainter, place: FramePoint) -> None:
        assert self._image is not None
        width = min(_CUT, self._image.width())
        height = width * self.height() / self.width()
        left = max(0.0, min(place.x - width / 2, self._image.width() - width))
        top = max(0.0, min(place.y - height / 2, self._image.height() - height))
        painter.drawImage(QRectF(self.rect()), self._image, QRectF(left, top, width, height))
        scale = self.width() / width
        colour = theme.current().colour(self._token)
        if self._box is not None:
            box = self._box
            painter.setPen(QPen(colour, 2))
            painter.drawRect(
                QRectF((box.x - left) * scale, (box.y - top) * scale, box.width * scale, box.height * scale)
            )
        if self._point is not None:
            middle = QRectF((place.x + 0.5 - left) * scale - 13, (place.y + 0.5 - top) * scale - 13, 26, 26)
            painter.setPen(QPen(QColor(255, 255, 255, 150), 3.4))
            painter.drawEllipse(middle)
            painter.setPen(QPen(colour, 2))
            painter.drawEllipse(middle)


class OutcomePane(QScrollArea):
    """Says how the replay stands or ended."""

    again = Signal()
    opened = Signal()
    quarantined = Signal(str)

    def __init__(self) -> None:
        super().__init__()
        self.setObjectName("panel")
        self.setWidgetResizable(True)
        self.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.recorded = Cutting(self.tr("The target as recorded"))
        self.live = Cutting(self.tr("The best place now"))
        self._glyph = Glyph(OUTCOMES[Outcome.VERIFIED], 20)
        self._head = label("", "heading", wrap=True)
        self._sentence = label("", tone="muted", wrap=True)
        self._code = Badge()
        self._changed, self._checks, self._undo = LineList(), LineList(), LineList()
        self._next = label("", wrap=True)
        self._sections: dict[str, QWidget] = {}
        body = QWidget()
        body.setObjectName("panelbody")
        column = QVBoxLayout(body)
        column.setContentsMargins(16, 16, 16, 16)
        column.setSpacing(10)
        column.addLayout(self._head_row())
        column.addWidget(self._sentence)
        column.addWidget(self._code)
        column.addWidget(self._section("pair", self.tr("Recorded · now"), self._pair()))
        column.addWidget(self._section("next", self.tr("Get it going again"), self._next_box()))
        column.addWidget(self._section("checks", self.tr("Checks"), self._checks))
        column.addWidget(self._section("changed", self.tr("Changed in this run"), self._changed))
        column.addWidget(self._section("undo", self.tr("Changes so far that may need undoing"), self._undo))
        column.addWidget(
            self._section("quarantine", self.tr("Or this memory no longer applies"), self._quarantine_box())
        )
        column.addStretch()
        self.setWidget(body)
        self.show_state(ReplayState())

    def _head_row(self) -> QHBoxLayout:
        row = QHBoxLayout()
        row.setSpacing(10)
        row.addWidget(self._glyph, 0, Qt.AlignmentFlag.AlignTop)
        row.addWidget(self._head, 1)
        return row

    def _section(self, key: str, title: str, content: QWidget) -> QWidget:
        box = QWidget()
        column = QVBoxLayout(box)
        column.setContentsMargins(0, 6, 0, 0)
        column.setSpacing(8)
        column.addWidget(rule())
        column.addSpacing(2)
        column.addWidget(label(title, "section"))
        column.addWidget(content)
        self._sections[key] = box
        return box

    def _pair(self) -> QWidget:
        box = QWidget()
        row = QHBoxLayout(box)
        row.setContentsMargins(0, 0, 0, 0)
        row.setSpacing(8)
        row.addWidget(self.recorded, 1)
        row.addWidget(self.live, 1)
        return box

    def _next_box(self) -> QWidget:
        box = QWidget()
        column = QVBoxLayout(box)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(8)
        column.addWidget(self._next)
        again = button(self.tr("Try again"), "", "arrow-counter-clockwise")
        again.clicked.connect(self.again)
        timeline = button(self.tr("Look at the recorded step"), "", "film-strip")
        timeline.clicked.connect(self.opened)
        column.addWidget(again)
        column.addWidget(timeline)
        return box

    def _quarantine_box(self) -> QWidget:
        box = QWidget()
        row = QHBoxLayout(box)
        row.setContentsMargins(0, 0, 0, 0)
        ask = button(self.tr("Quarantine with a reason…"), "danger", "warning")
        ask.clicked.connect(lambda: self.quarantined.emit(self._sentence.text()))
        row.addWidget(ask)
        row.addStretch()
        return box

    def show_state(self, state: ReplayState) -> None:
        """Show where the replay stands."""
        self._show_head(state)
        refusal = state.refusal
        aim = (step := state.step(state.refused_index)) and step.aim
        self._sections["pair"].setVisible(bool(refusal and aim))
        self._sections["next"].setVisible(refusal is not None)
        self._sections["quarantine"].setVisible(refusal is not None and not refusal.code.local)
        self._next.setText(refusal.next if refusal else "")
        self._checks.show_lines(
            [
                Line(CHECKS[c.passed], c.kind.replace("_", " "), _found(c.expected, c.actual), under=True)
                for c in state.checks
            ]
        )
        self._sections["checks"].setVisible(bool(state.checks))
        self._changed.show_lines([Line(CHANGED, f"{name} = {value}") for name, value in state.changed.items()])
        self._sections["changed"].setVisible(bool(state.changed))
        undo = Look("arrow-u-up-left", "may need undoing", "refused")
        self._undo.show_lines([Line(undo, words) for words in state.undo])
        self._sections["undo"].setVisible(bool(state.undo) and state.outcome != Outcome.VERIFIED)

    def _show_head(self, state: ReplayState) -> None:
        refusal, outcome = state.refusal, state.outcome
        self._code.show_look(_code_look(refusal) if refusal else None)
        if outcome is not None:
            look = OUTCOMES[outcome]
            self._glyph.show_look(look)
            head = HEADLINES.get(refusal.code.value, look.word) if refusal else _outcome_words(state)
            self._head.setText(head)
            self._sentence.setText(refusal.sentence if refusal else _outcome_sentence(state))
        elif state.running:
            paused = state.paused is not None
            self._glyph.show_look(
                Look("pause-circle-fill" if paused else "caret-circle-right-fill", "running", "accent")
            )
            self._head.setText(self.tr("Paused") if paused else self.tr("Running"))
            self._sentence.setText(state.paused or state.waiting or self.tr("Every decision appears as it is made."))
        else:
            self._glyph.show_look(Look("play-circle", "ready", "accent"))
            self._head.setText(self.tr("Ready"))
            self._sentence.setText(
                self.tr(
                    "A dry run judges every gate, looks for the first target, and sends nothing. "
                    "A run stops before it touches anything it is not sure of."
                )
            )


def _found(expected: str, actual: str) -> str:
    return f"expected {expected} · actual {actual}"


def _code_look(refusal: Refusal) -> Look:
    where = "local" if refusal.code.local else "structural"
    return Look("", f"{refusal.code.value} · {where}", "refused" if refusal.code.local else "failed")


def _outcome_words(state: ReplayState) -> str:
    if state.dry_run and state.outcome != Outcome.REFUSED:
        return "It would start"
    return {
        Outcome.VERIFIED: "Done, and proved",
        Outcome.COMPLETED_UNVERIFIED: "Every step done, but not proved",
        Outcome.REFUSED: "Refused",
        Outcome.BROKEN: "Broken after an input",
        Outcome.STOPPED: "Stopped by you",
    }[state.outcome or Outcome.STOPPED]


def _outcome_sentence(state: ReplayState) -> str:
    if state.dry_run:
        return "Every gate passes and the first target was found. Nothing was sent."
    done = sum(step.status == "done" for step in state.steps)
    passed = sum(check.passed is True for check in state.checks)
    proof = f" {passed} of {len(state.checks)} checks passed." if state.checks else ""
    return f"{done} of {len(state.steps)} steps done in {seconds(state.seconds)}.{proof}"
