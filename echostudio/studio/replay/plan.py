"""The left side of Replay: values, place, gates, steps; and what is shown while nothing is chosen."""

from __future__ import annotations

from PySide6.QtCore import QEvent, QObject, QSize, Qt, Signal
from PySide6.QtWidgets import QListView, QScrollArea, QSizePolicy, QVBoxLayout, QWidget

from echostudio.studio.library.empty import Emblem
from echostudio.studio.parts.controls import button
from echostudio.studio.parts.text import label, rule
from echostudio.studio.replay.gates import GateReport
from echostudio.studio.replay.place import PlaceForm
from echostudio.studio.replay.state import ReplayState
from echostudio.studio.replay.steps import ReplayStepDelegate, ReplaySteps
from echostudio.studio.replay.values import ValuesForm


class _Fitting(QScrollArea):
    """A scroll area that asks for exactly the height of what it holds."""

    def __init__(self, content: QWidget) -> None:
        super().__init__()
        self._content = content
        self.setObjectName("panel")
        self.setWidgetResizable(True)
        self.setWidget(content)
        self.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setSizePolicy(QSizePolicy.Policy.Preferred, QSizePolicy.Policy.Preferred)
        self.setMinimumHeight(160)
        content.installEventFilter(self)

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:  # noqa: N802 - Qt's name
        """Ask anew when the content needs another height."""
        if event.type() == QEvent.Type.LayoutRequest:
            self.updateGeometry()
        return super().eventFilter(watched, event)

    def sizeHint(self) -> QSize:  # noqa: N802 - Qt's name
        """Ask for the content's height at the present width."""
        height = max(self._content.sizeHint().height(), self._content.heightForWidth(self.viewport().width()))
        return QSize(super().sizeHint().width(), height + 2)


class PlanPanel(QWidget):
    """Values and place to choose, gates and steps to watch."""

    def __init__(self) -> None:
        super().__init__()
        self.setObjectName("leftpanel")
        self.setAttribute(Qt.WidgetAttribute.WA_StyledBackground)
        self.setMinimumWidth(270)
        self.values, self.place, self.gates = ValuesForm(), PlaceForm(), GateReport()
        self.steps = QListView()
        self._model = ReplaySteps(self.steps)
        self._set_up_steps()
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 1, 8)
        column.setSpacing(6)
        column.addWidget(_Fitting(self._form()))
        column.addWidget(rule())
        head = label(self.tr("Steps"), "section")
        head.setContentsMargins(16, 4, 0, 0)
        column.addWidget(head)
        column.addWidget(self.steps, 1)

    def show_state(self, state: ReplayState, breakpoints: set[int]) -> None:
        """Show how far gates and steps are."""
        self._model.show_state(state, breakpoints)
        self.gates.show_state(state)

    def _form(self) -> QWidget:
        form = QWidget()
        form.setObjectName("panelbody")
        column = QVBoxLayout(form)
        column.setContentsMargins(16, 12, 16, 10)
        column.setSpacing(8)
        column.addWidget(label(self.tr("Values"), "section"))
        column.addWidget(self.values)
        column.addWidget(rule())
        column.addWidget(label(self.tr("Where"), "section"))
        column.addWidget(self.place)
        column.addWidget(rule())
        column.addWidget(self.gates)
        column.addStretch()
        return form

    def _set_up_steps(self) -> None:
        view = self.steps
        view.setAccessibleName(self.tr("Steps of the replay"))
        view.setMouseTracking(True)
        view.setUniformItemSizes(True)
        view.setMinimumHeight(176)
        view.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        view.setModel(self._model)
        view.setItemDelegate(ReplayStepDelegate(self._model, view))


class NothingChosen(QWidget):
    """Says what to do before anything can be replayed."""

    wanted = Signal()

    def __init__(self) -> None:
        super().__init__()
        column = QVBoxLayout(self)
        column.setSpacing(12)
        middle = Qt.AlignmentFlag.AlignHCenter
        go = button(self.tr("Open the Library"), "primary", "books")
        go.clicked.connect(self.wanted)
        column.addStretch(2)
        column.addWidget(Emblem("play-circle"), 0, middle)
        column.addWidget(label(self.tr("Nothing chosen to replay"), "title"), 0, middle)
        column.addWidget(label(self.tr("Choose a memory in the Library and press F5."), tone="muted"), 0, middle)
        column.addWidget(go, 0, middle)
        column.addStretch(3)
