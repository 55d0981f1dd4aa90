# SPDX-License-Identifier: Apache-2.0
"""Names of types: each word in them is an ordinary one (words.txt), or the glossary explains it."""

import re
from collections.abc import Iterable, Iterator

from tidy.source import Finding, Source

GLOSSARY = "docs/design/glossary.md"
WORDS = "tools/tidy/words.txt"

_TYPE = re.compile(
    r"\b(?:class|struct)\s+(?:\[\[[^\]]*\]\]\s*|alignas\([^)]*\)\s*|MYR_\w+\s+)*"
    r"([A-Z]\w*[a-z]\w*)(?=(?:\s+final)?\s*[:;{])"
)
_PART = re.compile(r"[A-Z]+(?![a-z])|[A-Z][a-z]+|[a-z]+")
_ENDINGS = ("", "s", "es", "d", "ed", "r", "er", "ing")
_ROW = re.compile(r"^\| ([^|]*) \|", re.MULTILINE)


def explained(glossary: str) -> set[str]:
    """The words in the first columns of the glossary's tables."""
    return {word for entry in _ROW.findall(glossary) for word in re.findall(r"\w+", entry.lower())}


def forms(word: str) -> set[str]:
    return {word + ending for ending in _ENDINGS}


def is_subject(source: Source) -> bool:
    """Headers of the layers, from which others learn the names."""
    return source.path.startswith("src/") and source.path.endswith(".hpp")


def check_words(sources: Iterable[Source], glossary: str, words: str) -> Iterator[Finding]:
    """Words of types that are nowhere; words of the list that no type has, or out of order."""
    ordinary = words.split()
    if ordinary != sorted(set(ordinary)):
        yield Finding(WORDS, 1, "the words are not sorted, or one is there twice")
    private = explained(glossary)
    known = {form for word in private.union(ordinary) for form in forms(word)}
    used: set[str] = set()
    for source in sources:
        for match in _TYPE.finditer(source.code):
            line = source.code.count("\n", 0, match.start()) + 1
            parts = [part.lower() for part in _PART.findall(match.group(1))]
            used.update(parts)
            for part in parts:
                if part not in known:
                    told = f"`{part}` in {match.group(1)} is in neither {GLOSSARY} nor {WORDS}"
                    yield source.finding(line, told)
    for number, word in enumerate(ordinary, start=1):
        if not used & forms(word):
            yield Finding(WORDS, number, f"no type in src has `{word}` in its name")
        elif word in private:
            yield Finding(WORDS, number, f"{GLOSSARY} explains `{word}` already")
