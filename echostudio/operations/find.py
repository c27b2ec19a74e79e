"""From a request's words to memories that may be used, with every gate judged; touches nothing."""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import ExitStack

from echostudio.cancel import CancelToken
from echostudio.episode.verdict import Verdict
from echostudio.operations import desktop as desks
from echostudio.operations.services import Services
from echostudio.replay.start import StartView
from echostudio.retrieval import gates, intent
from echostudio.retrieval.request import Request, Situation
from echostudio.retrieval.search import Found, light_candidates


def find(
    services: Services,
    text: str,
    *,
    app: str = "",
    display: str | None = None,
    values: Mapping[str, str] | None = None,
) -> list[Found]:
    """Return the candidates for a request, best first; without a display the screen stays unjudged."""
    needed = services.settings.retrieval.lambda_intent
    found: list[Found] = []
    with ExitStack() as stack:
        desk = stack.enter_context(desks.opened(display)) if display else None
        for row in light_candidates(text, services.repository.rows(), needed):
            memory = services.repository.in_use(row.id)
            match = intent.match(text, (memory.intent, *memory.phrases), memory.fields)
            if match.score < needed:
                continue
            chosen = {**match.values, **(values or {})}
            view = Situation()
            if desk is not None:
                view = StartView(desk, memory, services.repository.blobs, services.settings, CancelToken()).situation()
            verdicts = gates.judge(memory, Request(text, chosen, app), view, services.settings)
            score = gates.compatibility(verdicts, match.score)
            found.append(Found(memory, match.score, score, verdicts, chosen))
    return sorted(found, key=lambda one: (not usable(services, one), -one.compatibility, -one.intent_score))


def usable(services: Services, found: Found) -> bool:
    """Whether no gate refuses and the compatibility suffices."""
    refused = any(verdict.verdict is Verdict.REFUSED for verdict in found.gates)
    return not refused and found.compatibility >= services.settings.retrieval.theta_compat
