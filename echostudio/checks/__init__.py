"""Artifact checks: what must be true in the world when the job is done; one small class per kind, one registry.

A check looks at files and window titles, never at a program's word for it, and never changes anything. What cannot be
judged is ``passed=None``: it never counts as passed.
"""

from echostudio.checks.catalogue import CATALOGUE, GROUPS, fields_used, validate
from echostudio.checks.judge import run
from echostudio.checks.kind import CheckKind, Finding
from echostudio.checks.vacuity import vacuity
from echostudio.checks.world import World

__all__ = ["CATALOGUE", "CheckKind", "Finding", "GROUPS", "World", "fields_used", "run", "vacuity", "validate"]
