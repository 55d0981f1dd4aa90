# SPDX-License-Identifier: Apache-2.0
"""Memory orders: each ordered operation names, by a tag such as [deque.publish], what it makes
visible, and each tag has a releasing and an acquiring side somewhere in src/."""

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field

from tidy.source import Finding, Source

# The orders as they stand in a call: `word_.store(next, sync::release)`.
_ORDER = re.compile(r"[(,]\s*(?:\w+::)*(acquire|release|acq_rel|seq_cst)\s*[,)]")
_TAG = re.compile(r"\[([a-z]\w*\.[a-z]\w*)\]")
_SIDES = {"acquire": "acquiring", "release": "releasing"}
_COMMENT_LINES_ABOVE = 8


@dataclass
class _Use:
    """Where a tag was first met, and which sides were seen."""

    first: Finding
    sides: set[str] = field(default_factory=set)


def is_subject(source: Source) -> bool:
    """Tests need no tags, and the explorer implements the orders."""
    path = source.path
    if not source.is_cpp:
        return False
    is_test = path.endswith(("_test.cpp", "_model.cpp", "_stress.cpp"))
    return path.startswith("src/") and not path.startswith("src/explore/") and not is_test


def check_orders(sources: Iterable[Source]) -> Iterator[Finding]:
    """Complains about ordered operations without a tag and about tags with one side."""
    uses: dict[str, _Use] = {}
    for source in sources:
        for number, line in enumerate(source.code.splitlines(), start=1):
            orders = _ORDER.findall(line)
            if not orders:
                continue
            tags = _tags_at(source, number)
            if not tags:
                yield source.finding(number, f"{orders[0]} without a [layer.name] tag")
            for tag in tags:
                use = uses.setdefault(tag, _Use(source.finding(number, "")))
                for order in orders:
                    use.sides |= {_SIDES[order]} if order in _SIDES else set(_SIDES.values())
    for tag, use in uses.items():
        for side in sorted(set(_SIDES.values()) - use.sides):
            yield Finding(use.first.path, use.first.line, f"[{tag}] has no {side} side")


def _tags_at(source: Source, number: int) -> set[str]:
    """Tags of a statement: in comments on its line, on the next one, or above it."""
    texts = source.lines[number - 1 : number + 1]
    for above in range(number - 2, max(-1, number - 2 - _COMMENT_LINES_ABOVE), -1):
        text = source.lines[above]
        texts.append(text)
        if not text.lstrip().startswith("//") and text.rstrip().endswith((";", "}")):
            break
    return {tag for text in texts if "//" in text for tag in _TAG.findall(text.split("//", 1)[1])}
