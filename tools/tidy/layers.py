# SPDX-License-Identifier: Apache-2.0
"""The layer check: who includes, or links, what it may not according to layers.toml."""

import re
import tomllib
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

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
