"""What the person's orders do to a recording: pauses, private times, marks, remarks, steps taken back."""

from __future__ import annotations

from collections.abc import Callable

from echostudio.actionlens.control import Order, OrderKind, RecordControl
from echostudio.actionlens.ledger import Ledger
from echostudio.actionlens.runfolder import RunWriter
from echostudio.actionlens.secrecy import KeyVault
from echostudio.actionlens.step_book import StepBook
from echostudio.actionlens.watch import Watch
from echostudio.episode.step import Step

_PRIVATE = "Private mode was on; nothing of this time was stored."
_BEGINS = {OrderKind.PAUSE: "paused", OrderKind.PRIVATE: "private", OrderKind.IGNORE: "ignoring"}
_ENDS = {OrderKind.RESUME: "resumed", OrderKind.PUBLIC: "public", OrderKind.LISTEN: "listening"}


class Interludes:
    """Obeys orders in the recorder's thread; ``part`` finishes whatever action is open at a time."""

    def __init__(
        self,
        control: RecordControl,
        writer: RunWriter,
        ledger: Ledger,
        book: StepBook,
        vault: KeyVault,
        watch: Watch,
        part: Callable[[float], None],
    ) -> None:
        self._control, self._writer, self._ledger = control, writer, ledger
        self._book, self._vault, self._watch, self._part = book, vault, watch, part
        self._private: Step | None = None
        self.ignored = 0
        self.stopped = False

    def pump(self, until: float) -> None:
        """Do what was asked up to ``until``, all input up to then being known."""
        for order in self._control.due(until):
            self._obey(order)

    def close(self, at: float) -> None:
        """End a private time with the recording."""
        if self._private is not None:
            self._end_private(at)

    def _obey(self, order: Order) -> None:
        if order.kind in _BEGINS:
            self._begin(order)
        elif order.kind in _ENDS:
            self._end(order)
        elif order.kind is OrderKind.STOP:
            self.stopped = True
        elif order.kind is OrderKind.MARK:
            self._writer.mark("marked", text=order.text)
        elif order.kind is OrderKind.NOTE:
            step = self._ledger.remark(order.text)
            self._writer.mark("note", text=order.text, step=step.id if step is not None else None)
        else:
            self._undo(order)

    def _begin(self, order: Order) -> None:
        """Finish what is open: nothing after this moment belongs to it."""
        self._part(order.at)
        if order.kind is not OrderKind.IGNORE:
            self._book.close(order.at)
            self._vault.settle(order.at, final=True)
        self._writer.mark(_BEGINS[order.kind], clock=order.at)
        if order.kind is OrderKind.PRIVATE:
            self._private = self._book.blocked("Private", _PRIVATE, order.at)

    def _end(self, order: Order) -> None:
        if order.kind is OrderKind.PUBLIC:
            self._end_private(order.at)
        if order.kind is not OrderKind.LISTEN:
            self._watch.forget()
        self._vault.turn(order.at)
        facts = {"events": self.ignored} if order.kind is OrderKind.LISTEN else {}
        self._writer.mark(_ENDS[order.kind], clock=order.at, **facts)

    def _end_private(self, at: float) -> None:
        step, self._private = self._private, None
        if step is not None:
            seconds = at - self._book.origin - step.started
            self._book.unblocked(step, f"Private for {seconds:.0f} s", at)

    def _undo(self, order: Order) -> None:
        self._part(order.at)
        step = self._ledger.undo()
        self._writer.mark("undone", clock=order.at, step=step.id if step is not None else None)
