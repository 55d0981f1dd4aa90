# SPDX-License-Identifier: Apache-2.0
"""Measurements that take long, in pieces: what was measured with the same programs is not measured
again, so a script that was stopped goes on where it was."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any


class Cache:
    """Values by name, in a file, of one build of the programs."""

    def __init__(self, path: Path, programs: Iterable[Path]) -> None:
        digest = hashlib.sha256()
        for program in sorted(programs):
            digest.update(program.read_bytes())
        self._build = digest.hexdigest()[:16]
        self._path = path
        self._values: dict[str, Any] = {}
        if path.exists():
            for line in path.read_text().splitlines():
                one = json.loads(line)
                if one["build"] == self._build:
                    self._values[one["name"]] = one["value"]

    def get(self, name: str, measure: Callable[[], Any]) -> Any:
        """The value of this name: what measure() returns, which is JSON, or has once returned."""
        if name not in self._values:
            self._values[name] = measure()
            self._path.parent.mkdir(parents=True, exist_ok=True)
            one = {"build": self._build, "name": name, "value": self._values[name]}
            with self._path.open("a") as file:
                file.write(json.dumps(one) + "\n")
        return self._values[name]
