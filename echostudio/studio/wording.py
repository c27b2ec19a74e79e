"""Times, shares and other figures in the words that pages use. No Qt here."""

from __future__ import annotations

from datetime import UTC, datetime

from echostudio.episode.action import Action, ActionKind


def when(at: str, now: datetime | None = None) -> str:
    """Return a UTC ISO-8601 time as people say it: ``14:05``, ``yesterday``, ``Mon``, ``3 Aug``, ``Aug 2025``."""
    moment = parse(at)
    if moment is None:
        return "–"
    now = (now or datetime.now(UTC)).astimezone()
    local = moment.astimezone()
    days = (now.date() - local.date()).days
    if days <= 0:
        return local.strftime("%H:%M")
    if days == 1:
        return "yesterday"
    if days < 7:
        return local.strftime("%a")
    return f"{local.day} {local:%b}" if local.year == now.year else local.strftime("%b %Y")


def moment_words(at: str) -> str:
    """Return a UTC ISO-8601 time as a full local date and time, or a dash."""
    moment = parse(at)
    return moment.astimezone().strftime("%Y-%m-%d %H:%M") if moment else "–"


def parse(at: str) -> datetime | None:
    """Return the time of a UTC ISO-8601 text, or None when it is not one."""
    try:
        moment = datetime.fromisoformat(at)
    except ValueError:
        return None
    return moment if moment.tzinfo else moment.replace(tzinfo=UTC)


def share(part: int, whole: int) -> str:
    """Return a share in percent, or a dash when there is nothing to share."""
    return f"{round(100 * part / whole)} %" if whole else "–"


def seconds(value: float) -> str:
    """Return a duration: ``0.4 s``, ``12 s``, ``3 min 5 s``."""
    if value < 10:
        return f"{value:.1f} s"
    if value < 60:
        return f"{value:.0f} s"
    return f"{int(value) // 60} min {int(value) % 60} s"


def count(number: int, noun: str, plural: str = "") -> str:
    """Return ``1 step``, ``9 steps``, ``214 memories``."""
    return f"{number} {noun if number == 1 else plural or noun + 's'}"


def parameter(value: object) -> str:
    """Return a parameter's value as people write it: lists joined, booleans as words."""
    if isinstance(value, list | tuple):
        return " + ".join(str(part) for part in value) or "none"
    if isinstance(value, bool):
        return "yes" if value else "no"
    if value is None or value == "":
        return "none"
    return str(value)


def action_icon(action: Action) -> str:
    """Return the icon of an action's kind."""
    return {
        ActionKind.CLICK: "cursor",
        ActionKind.DRAG: "arrows-out-cardinal",
        ActionKind.SCROLL: "mouse",
        ActionKind.TYPE: "text-t",
        ActionKind.HOTKEY: "keyboard",
        ActionKind.PRESS: "keyboard",
        ActionKind.HOVER: "hand-pointing",
        ActionKind.WAIT: "hourglass",
        ActionKind.LAUNCH: "rocket-launch",
        ActionKind.FOCUS: "app-window",
    }[action.kind]
