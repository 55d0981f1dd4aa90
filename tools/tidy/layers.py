# SPDX-License-Identifier: Apache-2.0
"""The layer check: who includes, or links, what it may not according to layers.toml."""

import re
import tomllib
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path, PurePosixPath

from tidy.source import Finding, Source

_INCLUDE = re.compile(r'#\s*include\s*"([^"]+)"')
_LAYER_CALL = re.compile(r"myr_layer\(\s*(\w+)(.*?)\)", re.DOTALL)
_DEPENDS = re.compile(r"\bDEPENDS\b([a-z\s]*)")


@dataclass(frozen=True)
class LayerTable:
    """What layers.toml says."""

    layers: dict[str, list[str]]
    programs: dict[str, list[str]]
    endings: dict[str, list[str]]

    @staticmethod
    def load(path: Path) -> "LayerTable":
        table = tomllib.loads(path.read_text())
        return LayerTable(table["layers"], table["programs"], table["endings"])

    def allowed(self, path: str) -> tuple[str, set[str]] | None:
        """The name and the permitted layers of the file's owner; None: it may include anything."""
        parts = path.split("/")
        if parts[0] == "src" and len(parts) > 2:
            extra = [
                name for end, names in self.endings.items() if path.endswith(end) for name in names
            ]
            return parts[1], {parts[1], *self.layers.get(parts[1], []), *extra}
        for program in sorted(self.programs, key=len, reverse=True):
            if path.startswith(program + "/"):
                return program, set(self.programs[program])
        return None


def check_includes(source: Source, table: LayerTable) -> Iterator[Finding]:
    """Complains about each include of a layer that the file's owner may not use."""
    owner = table.allowed(source.path)
    if owner is None:
        return
    name, permitted = owner
    for number, line in enumerate(source.lines, start=1):
        match = _INCLUDE.match(line)
        if match is None:
            continue
        layer = match.group(1).split("/")[0]
        if layer in table.layers and layer not in permitted:
            yield source.finding(number, f"{name} may not include {layer}")


def check_links(source: Source, table: LayerTable) -> Iterator[Finding]:
    """Complains about DEPENDS of a myr_layer() in a CMakeLists.txt that the table does not have."""
    for call in _LAYER_CALL.finditer(source.text):
        name = call.group(1)
        line = source.text.count("\n", 0, call.start()) + 1
        if name not in table.layers:
            yield source.finding(line, f"layers.toml does not know the layer {name}")
            continue
        depends = _DEPENDS.search(call.group(2))
        for layer in depends.group(1).split() if depends else []:
            if layer not in table.layers[name]:
                yield source.finding(line, f"{name} may not depend on {layer}")


def check_cycles(sources: Iterable[Source]) -> Iterator[Finding]:
    """Complains about folders that stand side by side and include each other, in a circle or two.
    What lies in the folder around them may include them, and they it."""
    by_path = {source.path: source for source in sources}
    uses: dict[PurePosixPath, dict[PurePosixPath, Finding]] = {}
    for source in by_path.values():
        for number, line in enumerate(source.lines, start=1):
            match = _INCLUDE.match(line)
            included = _found(match.group(1), by_path) if match else None
            sides = _sides(source.path, included) if included else None
            if sides is not None:
                text = f"{sides[0]} and {sides[1].name} include each other, perhaps through others"
                uses.setdefault(sides[0], {}).setdefault(sides[1], source.finding(number, text))
    for user, used in uses.items():
        for other, finding in used.items():
            if user in _reached(other, uses):
                yield finding


def _found(name: str, by_path: dict[str, Source]) -> str | None:
    return next((path for path in (name, f"src/{name}") if path in by_path), None)


def _sides(user: str, used: str) -> tuple[PurePosixPath, PurePosixPath] | None:
    """The folders next to each other that the files are in; None: one is in the other's."""
    parts = [PurePosixPath(path).parts[:-1] for path in (user, used)]
    depth = next((i for i, (a, b) in enumerate(zip(*parts, strict=False)) if a != b), None)
    if not depth:
        return None
    return PurePosixPath(*parts[0][: depth + 1]), PurePosixPath(*parts[1][: depth + 1])


def _reached(folder: PurePosixPath, uses: dict) -> set[PurePosixPath]:
    reached: set[PurePosixPath] = set()
    left = [folder]
    while left:
        next_one = left.pop()
        if next_one not in reached:
            reached.add(next_one)
            left += uses.get(next_one, {})
    return reached
