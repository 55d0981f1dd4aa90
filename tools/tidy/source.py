# SPDX-License-Identifier: Apache-2.0
"""A source file as the checks see it, and a complaint about one of its lines."""

import re
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

CPP_ENDINGS = {".h", ".hpp", ".c", ".cpp"}

# A comment, a string (raw ones included) or a character; not the separator in 1'000.
_COMMENT_OR_TEXT = re.compile(
    r'//[^\n]*|/\*.*?\*/|R"(?P<mark>[^(\s]*)\(.*?\)(?P=mark)"|"(?:\\.|[^"\\\n])*"'
    r"|(?<![0-9a-fA-F])'(?:\\.|[^'\\\n])+'",
    re.DOTALL,
)


@dataclass(frozen=True, order=True)
class Finding:
    """One broken rule, printed as `path:line: text`."""

    path: str
    line: int
    text: str

    def __str__(self) -> str:
        return f"{self.path}:{self.line}: {self.text}"


@dataclass(frozen=True)
class Source:
    """A file with its path relative to the root of the tree."""

    path: str
    text: str

    @cached_property
    def lines(self) -> list[str]:
        return self.text.splitlines()

    @cached_property
    def code(self) -> str:
        """The text with comments and strings blanked out; lines keep their numbers."""
        return _COMMENT_OR_TEXT.sub(lambda match: re.sub(r"[^\n]", " ", match.group()), self.text)

    @property
    def is_cpp(self) -> bool:
        return Path(self.path).suffix in CPP_ENDINGS

    def finding(self, line: int, text: str) -> Finding:
        return Finding(self.path, line, text)
