"""Checks that look at files and folders."""

from __future__ import annotations

import re
from collections.abc import Mapping
from pathlib import Path
from typing import ClassVar

from echostudio.checks.kind import CheckKind, Finding, shortened
from echostudio.checks.reading import LIMIT, Text, Unreadable, is_known, read_text, what_is
from echostudio.checks.world import World

_PATH_HELP = "the file; relative to the working folder, ~ is the home"


class FileExists(CheckKind):
    """A plain file is there."""

    kind: ClassVar[str] = "file_exists"
    help: ClassVar[str] = "The file is there."
    keys: ClassVar[Mapping[str, str]] = {"path": _PATH_HELP}

    def judge(self, parameters: Mapping[str, str], world: World) -> Finding:
        """Look for the file."""
        path = world.resolve(parameters["path"])
        what = what_is(path)
        passed = what.startswith("a file of ") if is_known(what) else None
        sentence = f"{path} is there." if passed else f"{path}: {what}."
        return Finding(passed, f"a file {path}", what, sentence)


class FileAbsent(CheckKind):
    """Nothing stands at a path."""

    kind: ClassVar[str] = "file_absent"
    help: ClassVar[str] = "Nothing is there."
    keys: ClassVar[Mapping[str, str]] = {"path": _PATH_HELP}

    def judge(self, parameters: Mapping[str, str], world: World) -> Finding:
        """Look whether the path is free."""
        path = world.resolve(parameters["path"])
        what = what_is(path)
        passed = what == "no such file" if is_known(what) else None
        sentence = f"{path} is not there." if passed else f"{path}: {what}."
        return Finding(passed, f"nothing at {path}", what, sentence)


class TextContains(CheckKind):
    """A file's text holds another text."""

    kind: ClassVar[str] = "text_contains"
    help: ClassVar[str] = "The file's text holds this text, letter by letter."
    keys: ClassVar[Mapping[str, str]] = {"path": _PATH_HELP, "text": "what it must hold"}

    def judge(self, parameters: Mapping[str, str], world: World) -> Finding:
        """Read the file and look for the text."""
        path = world.resolve(parameters["path"])
        wanted = parameters["text"].replace("\r\n", "\n")
        expected = f"holds “{shortened(wanted)}”"
        if not wanted:
            return Finding(None, expected, "", "There is no text to look for.")
        found = read_text(path)
        if isinstance(found, Unreadable):
            return _unreadable(path, expected, found)
        return _judged(path, expected, found, wanted in found.text, wanted)


class TextMatches(CheckKind):
    """A file's text matches a regular expression somewhere."""

    kind: ClassVar[str] = "text_matches"
    help: ClassVar[str] = "The file's text matches this regular expression somewhere."
    keys: ClassVar[Mapping[str, str]] = {
        "path": _PATH_HELP,
        "pattern": "a regular expression; ^ and $ are line ends; double its own braces",
    }
    patterns: ClassVar[frozenset[str]] = frozenset({"pattern"})

    def judge(self, parameters: Mapping[str, str], world: World) -> Finding:
        """Read the file and search it."""
        path = world.resolve(parameters["path"])
        expected = f"matches {shortened(parameters['pattern'])}"
        found = read_text(path)
        if isinstance(found, Unreadable):
            return _unreadable(path, expected, found)
        match = re.search(parameters["pattern"], found.text, re.MULTILINE)
        return _judged(path, expected, found, match is not None, match.group() if match else "")


class DirectoryListing(CheckKind):
    """A folder holds exactly these entries."""

    kind: ClassVar[str] = "directory_listing"
    help: ClassVar[str] = "The folder holds exactly these entries; hidden ones do not count."
    keys: ClassVar[Mapping[str, str]] = {
        "path": "the folder; relative to the working folder, ~ is the home",
        "names": "all names, one per line or with commas between",
    }

    def judge(self, parameters: Mapping[str, str], world: World) -> Finding:
        """List the folder and compare."""
        path = world.resolve(parameters["path"])
        wanted = {name.strip() for name in re.split(r"[,\n]", parameters["names"]) if name.strip()}
        expected = shortened(", ".join(sorted(wanted)) or "nothing")
        try:
            there = {entry.name for entry in path.iterdir() if not entry.name.startswith(".")}
        except (FileNotFoundError, NotADirectoryError):
            return Finding(False, expected, "no such folder", f"{path} is not a folder.")
        except (OSError, ValueError) as fault:
            return Finding(None, expected, f"not readable: {fault}", f"{path} cannot be listed.")
        actual = shortened(", ".join(sorted(there)) or "nothing")
        if there == wanted:
            return Finding(True, expected, actual, f"{path} holds exactly what it must.")
        return Finding(False, expected, actual, f"{path}: {_difference(wanted - there, there - wanted)}.")


_PLAIN_VERBS = {"holds": "hold", "matches": "match"}


def _difference(missing: set[str], surplus: set[str]) -> str:
    parts = [f"{', '.join(sorted(missing))} missing"] if missing else []
    if surplus:
        parts.append(f"{', '.join(sorted(surplus))} not expected")
    return shortened("; ".join(parts), length=160)


def _unreadable(path: Path, expected: str, found: Unreadable) -> Finding:
    return Finding(False if found.known else None, expected, found.reason, f"{path}: {found.reason}.")


def _judged(path: Path, expected: str, found: Text, hit: bool, around: str) -> Finding:
    """Return the finding for a text that was read; a cut text without a hit cannot be judged."""
    first_line = around.splitlines()[0] if around.splitlines() else ""
    actual = f"“{shortened(found.text, first_line)}”" if found.text else "an empty file"
    if hit:
        return Finding(True, expected, actual, f"{path} {expected}.")
    if not found.whole:
        size = LIMIT // (1024 * 1024)
        return Finding(None, expected, actual, f"{path} is larger than {size} MB; the first part does not decide.")
    verb, _, rest = expected.partition(" ")
    return Finding(False, expected, actual, f"{path} does not {_PLAIN_VERBS[verb]} {rest}.")
