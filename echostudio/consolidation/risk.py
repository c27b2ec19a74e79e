"""Which steps do something that cannot be taken back, by the words on what they act on."""

from __future__ import annotations

import re

from echostudio.episode.action import POINTER_KINDS, ActionKind
from echostudio.episode.evidence import ElementFacts
from echostudio.episode.step import Step

RISKY_WORDS = frozenset(
    {
        "send", "delete", "remove", "pay", "overwrite", "replace", "submit", "discard",
        "format", "erase", "purchase", "order", "publish", "post",
    }
)  # fmt: skip
RISKY_SIGNS = (
    "发送",
    "删除",
    "移除",
    "支付",
    "付款",
    "覆盖",
    "替换",
    "提交",
    "丢弃",
    "格式化",
    "清除",
    "购买",
    "下单",
    "发布",
)
"""The same in Chinese, which has no spaces between words."""

_DOCUMENT_ROLES = ("text", "entry", "document", "paragraph", "terminal", "editbar")
_PRESSABLE_ROLES = ("button", "menu item", "link")


def is_risky(step: Step) -> bool:
    """Whether the words of the step's target mean something that cannot be taken back.

    What is typed, and what a document says, does not count: only the names of things that are operated.
    """
    if step.action.kind in POINTER_KINDS:
        return any(_says_risk(words) for words in _pointed_words(step))
    if step.action.kind is ActionKind.PRESS and step.action.parameters.get("key") in ("enter", "space"):
        focus = step.screen_before.focus if step.screen_before else None
        return focus is not None and _role_of(focus, _PRESSABLE_ROLES) and _says_risk(focus.name)
    return False


def _pointed_words(step: Step) -> list[str]:
    elements = [target.element for target in step.targets.values() if target.element is not None]
    if any(_role_of(element, _DOCUMENT_ROLES) for element in elements):
        return []
    return [step.words, *(element.name for element in elements)]


def _role_of(element: ElementFacts, roles: tuple[str, ...]) -> bool:
    return any(role in element.role.casefold() for role in roles)


def _says_risk(words: str) -> bool:
    # Menu labels mark their shortcut letter: _Delete or &Delete.
    plain = re.sub(r"[_&](?=\w)", "", words).casefold()
    return bool(RISKY_WORDS & set(re.findall(r"\w+", plain))) or any(sign in words for sign in RISKY_SIGNS)
