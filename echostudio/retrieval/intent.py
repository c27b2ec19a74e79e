"""The intent score: how well a request's words fit a memory's phrases, and which values they propose.

The formula is our own (the papers give none): with W the content words of the phrase outside recorded values and R
those of the request that no value took, ``overlap`` is the fuzzy Dice coefficient of W and R (two words count as the
same at a similarity of 0.85), and

    score = 0.25 * operations agree + 0.75 * overlap

where operations agree is 1 when both name the same operation (save, find, ...), 0.5 when one of them names none, 0
when they name different ones.
"""

from __future__ import annotations

import json
import re
import unicodedata
from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cache

from rapidfuzz import fuzz

from echostudio import paths
from echostudio.episode.field import Field

_TOKEN = re.compile(r"[\w][\w.\-/@:]*[\w]|[\w]", re.UNICODE)
_CJK = re.compile(r"[\u3040-\u30ff\u3400-\u9fff\uf900-\ufaff]+")
_SAME = 0.85


@dataclass(frozen=True, slots=True)
class IntentMatch:
    """How a request fits: score 0..1, the phrase that fitted best, and the values it proposes for fields."""

    score: float
    phrase: str
    values: dict[str, str] = field(default_factory=dict)
    operations: tuple[str | None, str | None] = (None, None)


@cache
def _lexicon() -> tuple[frozenset[str], dict[str, str]]:
    data = json.loads(paths.resource("words.json").read_text(encoding="utf-8"))
    folded = {word: name for name, words in data["operations"].items() for word in words}
    return frozenset(data["function_words"]), folded


def tokens(text: str) -> list[str]:
    """Return the content words: width and case folded, function words dropped, CJK as bigrams."""
    functions, _ = _lexicon()
    folded = unicodedata.normalize("NFKC", text).casefold()
    words: list[str] = []
    for word in _TOKEN.findall(folded):
        if _CJK.search(word):
            for run in _CJK.findall(word):
                words += [run[i : i + 2] for i in range(max(1, len(run) - 1))]
            words += _TOKEN.findall(_CJK.sub(" ", word))
        elif word not in functions:
            words.append(word)
    return words


def operation(words: Sequence[str]) -> str | None:
    """Return the folded operation that comes first among the words, or None."""
    _, folded = _lexicon()
    return next((folded[word] for word in words if word in folded), None)


def match(request: str, phrases: Sequence[str], fields: Sequence[Field] = ()) -> IntentMatch:
    """Score a request against the phrases of a memory and keep the best."""
    return max((_match_one(request, phrase, fields) for phrase in phrases), key=lambda found: found.score)


def _match_one(request: str, phrase: str, fields: Sequence[Field]) -> IntentMatch:
    masked, slots = _mask(phrase, fields)
    want = _folded(masked)
    have_words = tokens(request)
    values, rest = _propose(request, slots, want)
    have = _folded(rest)
    operations = (operation(have_words), operation(tokens(phrase)))
    score = 0.25 * _agreement(operations) + 0.75 * _overlap(want, have)
    return IntentMatch(round(score, 4), phrase, values, operations)


def _mask(phrase: str, fields: Sequence[Field]) -> tuple[str, list[Field]]:
    """Take recorded values out of a phrase; they are what may change."""
    slots = []
    for declared in fields:
        value = declared.recorded.strip()
        if value and value.casefold() in phrase.casefold():
            at = phrase.casefold().index(value.casefold())
            phrase = phrase[:at] + " " + phrase[at + len(value) :]
            slots.append(declared)
    return phrase, slots


def _propose(request: str, slots: list[Field], want: list[str]) -> tuple[dict[str, str], str]:
    """Give each masked field the one quoted or unmatched word of the request that looks like its recorded value."""
    values: dict[str, str] = {}
    rest = request
    for declared in slots:
        if declared.recorded.casefold() in rest.casefold():
            at = rest.casefold().index(declared.recorded.casefold())
            rest = rest[:at] + " " + rest[at + len(declared.recorded) :]
            continue
        free = [word for word in _raw_words(rest) if not _matches_any(word.casefold(), want)]
        shaped = [word for word in free if _shape(word) == _shape(declared.recorded)]
        if len(shaped) == 1:
            values[declared.name] = shaped[0].strip("\"'“”")
            rest = rest.replace(shaped[0], " ", 1)
    return values, rest


def _raw_words(text: str) -> list[str]:
    quoted = re.findall(r"“[^”]+”|\"[^\"]+\"", text)
    bare = re.sub(r"“[^”]+”|\"[^\"]+\"", " ", text)
    return quoted + _TOKEN.findall(bare)


def _shape(word: str) -> str:
    """What kind of word it is: a file name with an ending, a number, something with digits, or a plain word."""
    word = word.strip("\"'“”")
    if re.search(r"\.\w{1,5}$", word):
        return "file" + word[word.rindex(".") :].casefold()
    if re.fullmatch(r"[\d.,\-/:]+", word):
        return "number"
    if any(character.isdigit() for character in word):
        return "code"
    return "text" if " " in word else "word"


def _folded(text: str) -> list[str]:
    _, folded = _lexicon()
    return [folded.get(word, word) for word in tokens(text)]


def _matches_any(word: str, words: Sequence[str]) -> bool:
    _, folded = _lexicon()
    functions, _ = _lexicon()
    word = folded.get(word, word)
    return word in functions or any(fuzz.ratio(word, other) >= 100 * _SAME for other in words)


def _overlap(one: list[str], two: list[str]) -> float:
    if not one or not two:
        return 0.0
    left = list(two)
    common = 0
    for word in one:
        best = max(left, key=lambda other: fuzz.ratio(word, other), default=None)
        if best is not None and fuzz.ratio(word, best) >= 100 * _SAME:
            common += 1
            left.remove(best)
    return 2 * common / (len(one) + len(two))


def _agreement(operations: tuple[str | None, str | None]) -> float:
    if None in operations:
        return 0.5
    return 1.0 if operations[0] == operations[1] else 0.0
