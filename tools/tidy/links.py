# SPDX-License-Identifier: Apache-2.0
"""Links between the documents: each relative link in Markdown leads to a file of the tree."""

import re
from collections.abc import Iterator
from pathlib import Path

from tidy.source import Finding, Source

_CODE = re.compile(r"^```.*?^```|`[^`\n]*`", re.DOTALL | re.MULTILINE)
_LINK = re.compile(r"\]\(([^)#\s]+)(?:#[^)\s]*)?\)")


def check_links_of_document(source: Source, root: Path) -> Iterator[Finding]:
    folder = (root / source.path).parent
    prose = _CODE.sub(lambda code: "\n" * code.group().count("\n"), source.text)
    for number, line in enumerate(prose.splitlines(), start=1):
        for target in _LINK.findall(line):
            outside = re.match(r"[a-z]+:", target) or target.startswith("out/")
            if not outside and not (folder / target).exists():
                yield source.finding(number, f"link to {target}, which does not exist")
