# SPDX-License-Identifier: Apache-2.0
"""Reads the directives of a test for dejagnu, such as { dg-do run { target c++ } }, as far as the
tests of libgomp use them."""

import re
import shlex
from dataclasses import dataclass, field
from pathlib import Path

DEFAULT_FLAGS = ["-O2"]
# What holds here: Linux on x86-64, no device to offload to.
_TRUE = re.compile(
    r"x86_64-|i\?86-.* x86_64|\*-\*-linux|^\*-\*-\*$|^(lp64|tls|tls_runtime|sync_int_long|"
    r"sync_char_short|size32plus|fpic|shared|pthread|fopenmp|alias|avx_runtime|avx|sse2_runtime|"
    r"sse2|vect_simd_clones|large_long_double|lto|run_expensive_tests|fgraphite|cas_int|"
    r"cas_char|int128|double64|double64plus|int32plus|ptr32plus|omp_device_all)$"
)


@dataclass
class Test:
    """What to do with one source file in one language."""

    source: Path
    language: str  # c or c++
    kind: str = "run"  # or link, compile, skip
    why: str = ""  # it is skipped
    flags: list[str] = field(default_factory=list)
    sources: list[Path] = field(default_factory=list)
    variables: dict[str, str] = field(default_factory=dict)
    output: list[str] = field(default_factory=list)  # patterns that stderr and stdout must match
    fails: bool = False  # the program must end with another status than 0
    refused: bool = False  # the compiler must complain

    @property
    def name(self) -> str:
        suffix = ":c++" if "common" in self.source.parent.name and self.language == "c++" else ""
        return f"{self.source.parent.name}/{self.source.name}{suffix}"


def _words(text: str) -> list[str]:
    """The words of a Tcl list: braces and quotes group."""
    words, position = [], 0
    while position < len(text):
        character = text[position]
        if character.isspace():
            position += 1
            continue
        end = position
        if character == "{":
            depth = 0
            while end < len(text):
                depth += {"{": 1, "}": -1}.get(text[end], 0)
                end += 1
                if depth == 0:
                    break
            words.append(text[position:end])
        elif character == '"':
            end = text.find('"', position + 1)
            while end > 0 and text[end - 1] == "\\":
                end = text.find('"', end + 1)
            end = len(text) if end < 0 else end + 1
            words.append(text[position:end])
        else:
            while end < len(text) and not text[end].isspace():
                end += 1
            words.append(text[position:end])
        position = end
    return words


def _holds(selector: str, language: str) -> bool:
    """A target selector: words are alternatives, `!`, `&&` and `||` as in C."""
    text = selector.strip()
    if text.startswith("{") and text.endswith("}"):
        text = text[1:-1].strip()
    text = re.sub(r"^target\s+", "", text)
    words = _words(text)
    for operator, combine in (("||", any), ("&&", all)):
        if operator in words:
            parts, current = [], []
            for word in [*words, operator]:
                if word == operator:
                    parts.append(" ".join(current))
                    current = []
                else:
                    current.append(word)
            return combine(_holds(part, language) for part in parts)
    if words and words[0] == "!":
        return not _holds(" ".join(words[1:]), language)
    return any(
        _holds(word, language) if word.startswith("{")
        else not _holds(word[1:], language) if word.startswith("!")
        else word == language or bool(_TRUE.search(word))
        for word in words
    )  # fmt: skip


def _bare(word: str) -> str:
    if word[:1] == '"':
        return re.sub(r"\\([\\\[\]\"])", r"\1", word[1:-1])
    return word[1:-1].strip() if word[:1] == "{" else word


def read_test(source: Path, language: str) -> Test:
    test = Test(source, language, flags=[*DEFAULT_FLAGS], sources=[source])
    for line in source.read_text(errors="replace").splitlines():
        for found in re.finditer(r"\{\s*(dg-[a-z-]+)", line):
            inside = _words(line[found.start() :])[0][1:-1]
            _obey(test, _words(inside))
    return test


def _obey(test: Test, words: list[str]) -> None:
    name, *rest = words
    arguments = [_bare(word) for word in rest]
    selectors = [word for word in rest if re.match(r"\{\s*target\b", word)]
    if not all(_holds(word, test.language) for word in selectors):
        if name == "dg-do":
            test.kind, test.why = "skip", f"only for {selectors[0]}"
        return
    match name:
        case "dg-do":
            test.kind = test.kind if test.kind == "skip" else arguments[0]
        case "dg-options":
            test.flags = shlex.split(arguments[0])
        case "dg-additional-options":
            test.flags = [*test.flags, *shlex.split(arguments[0])]
        case "dg-additional-sources":
            test.sources += [test.source.parent / name for name in arguments[0].split()]
        case "dg-set-target-env-var":
            test.variables[arguments[0]] = arguments[1]
        case "dg-require-effective-target":
            if not _holds(arguments[0], test.language):
                test.kind, test.why = "skip", f"needs {arguments[0]}"
        case "dg-skip-if":
            if _holds(arguments[1], test.language):
                test.kind, test.why = "skip", "left out by its author"
        case "dg-shouldfail":
            test.fails = True
        case "dg-output":
            test.output.append(arguments[0])
        case "dg-error":
            test.refused = True
