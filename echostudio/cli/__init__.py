"""The command line: parse, call one operation, print, return an exit code.

With ``--json`` standard output holds exactly one JSON document; everything else goes to standard error.
"""

from __future__ import annotations

from echostudio.cli.app import build, run

__all__ = ["build", "run"]
