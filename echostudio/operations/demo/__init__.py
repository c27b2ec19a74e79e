"""The whole line on a real program, played and judged: ``echostudio demo``."""

from __future__ import annotations

from echostudio.operations.demo.play import Plan, run_demo
from echostudio.operations.demo.result import DemoResult, Part

__all__ = ["DemoResult", "Part", "Plan", "run_demo"]
