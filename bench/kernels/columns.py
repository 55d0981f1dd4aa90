# SPDX-License-Identifier: Apache-2.0
"""Which programs of a kernel are measured: the columns of a case.

Each is a process of its own: the serial program, Myrmidon's versions on one thread and on all, and
the versions of each OpenMP runtime.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path

SERIAL = "serial"
OWN = "myrmidon"
RIVALS = ("libgomp", "libomp")

# Kernels whose programs have both styles, each chosen by an option.
STYLES = ("colour_tracking", "fast", "jpeg", "strassen", "viola_jones")
# Options of Myrmidon's versions of a kernel, by their names. The first is the kernel's own program.
VARIANTS: dict[str, dict[str, list[str]]] = {
    **{kernel: {"tasks": [], "loops": ["--style", "loops"]} for kernel in STYLES},
    "barnes_hut_parts": {"tasks": [], "a region a level": ["--trees", "level"]},
}


@dataclass(frozen=True)
class Column:
    """A program with its options. `side`: SERIAL, OWN or a rival; `variant`: which version."""

    side: str
    variant: str
    threads: int
    program: str
    options: tuple[str, ...] = ()
    environment: dict[str, str] = field(default_factory=dict, hash=False, compare=False)

    @property
    def name(self) -> str:
        return SERIAL if self.side == SERIAL else f"{self.side}:{self.threads} {self.variant}"

    @property
    def measured(self) -> str:
        return "serial" if self.side == SERIAL else "tasks"


def _own(kernel: str, folder: Path, threads: int) -> list[Column]:
    program = f"kernel_{kernel}"
    found = [
        Column(OWN, variant, threads, program, tuple(options), {"MYR_ON": f"smp:{threads}"})
        for variant, options in VARIANTS.get(kernel, {"tasks": []}).items()
    ]
    if (folder / f"{program}_shared").exists():
        on = {"MYR_ON": f"smp:{threads}"}
        found.append(Column(OWN, "OpenMP's source", threads, f"{program}_shared", (), on))
    if (folder / f"{program}_for_each").exists():
        on = {"MYR_ON": f"smp:{threads}"}
        found.append(Column(OWN, "for_each", threads, f"{program}_for_each", (), on))
    return found


def _rivals(kernel: str, folder: Path, threads: int) -> list[Column]:
    environment = {"OMP_NUM_THREADS": str(threads), "MYR_ON": "serial"}
    loops = ("--style", "loops") if kernel in STYLES else ()
    variants = {"tasks": ("", ()), "static": ("_static", loops), "dynamic": ("_dynamic", loops)}
    return [
        Column(rival, variant, threads, program, options, environment)
        for rival in RIVALS
        for variant, (suffix, options) in variants.items()
        if (folder / (program := f"kernel_{kernel}_{rival}{suffix}")).exists()
    ]


def columns_of(kernel: str, folder: Path, threads: int) -> list[Column]:
    """Those whose programs were built in `folder`."""
    serial = Column(SERIAL, "", 1, f"kernel_{kernel}", (), {"MYR_ON": "serial"})
    own = _own(kernel, folder, threads)
    alone = [Column(OWN, own[0].variant, 1, own[0].program, own[0].options, {"MYR_ON": "smp:1"})]
    return [serial, *alone, *own, *_rivals(kernel, folder, threads)]
