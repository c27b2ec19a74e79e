"""Running checks: fields filled in, groups resolved, one result each."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping

from echostudio.checks.catalogue import CATALOGUE, GROUPS, validate
from echostudio.checks.kind import shortened
from echostudio.checks.substitution import fill
from echostudio.checks.world import World
from echostudio.episode.check import Check, CheckResult


def run(checks: Iterable[Check], values: Mapping[str, str], world: World) -> tuple[CheckResult, ...]:
    """Judge every check against the world with the values of this run, in order.

    Raises ``UsageError`` before anything is looked at when a check is malformed or names a field without a value.
    """
    known = tuple(checks)
    for check in known:
        validate(check, values.keys())
    return tuple(_judged(check, values, world) for check in known)


def _judged(check: Check, values: Mapping[str, str], world: World) -> CheckResult:
    if check.kind in GROUPS:
        return _group(check.kind, [_judged(part, values, world) for part in check.parts])
    kind = CATALOGUE[check.kind]
    parameters = {
        key: fill(value, values, quote=re.escape if key in kind.patterns else str)
        for key, value in check.parameters.items()
    }
    found = kind().judge(parameters, world)
    return CheckResult(check.kind, found.passed, found.expected, found.actual, found.sentence)


def _group(kind: str, parts: list[CheckResult]) -> CheckResult:
    """Combine in three-valued logic: what cannot be judged decides only where the others do not."""
    verdicts = [part.passed for part in parts]
    passed: bool | None
    if kind == "not":
        passed = None if verdicts[0] is None else not verdicts[0]
    else:
        decisive = kind == "any"
        passed = decisive if decisive in verdicts else None if None in verdicts else not decisive
    between = {"all": " and ", "any": " or ", "not": ""}[kind]
    expected = between.join(part.expected for part in parts)
    actual = "; ".join(part.actual for part in parts)
    sentence = " ".join(part.sentence for part in parts)
    if kind == "not":
        expected = f"not: {expected}"
    return CheckResult(kind, passed, shortened(expected, length=240), shortened(actual, length=240), sentence)
