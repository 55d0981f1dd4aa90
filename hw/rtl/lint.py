# SPDX-License-Identifier: Apache-2.0
"""Checks the RTL: Verilator with all warnings, Yosys, and that software has the same codes.

Usage: python3 hw/rtl/lint.py       status 1 with what is wrong, nothing if all is well
"""

import re
import subprocess
import sys
from dataclasses import dataclass, field
from pathlib import Path

HW = Path(__file__).parents[1]


@dataclass(frozen=True)
class Design:
    """What belongs together: a listing, its top, and the codes that software shares with it."""

    listing: Path
    top: str
    # The sizes at which widths could go wrong: as it comes, small, a single core, several of all.
    sizes: tuple[tuple[str, ...], ...]
    # What is shared: none if there is no package.
    package: str = ""
    header: Path = Path()
    prefix: str = ""  # of the header's names
    codes: dict[str, str] = field(default_factory=dict)  # the package's prefixes, the header's
    codes_min: int = 0  # how many there are at least
    elsewhere: tuple[str, ...] = ()  # files beside the listing that Verilator alone can read

    @property
    def files(self) -> list[str]:
        """The files, each after those that it needs."""
        return self.listing.read_text().split()


DESIGNS = (
    Design(
        HW / "rtl" / "picos.f",
        "picos_system",
        (
            (),
            ("Cores=4", "Tasks=8", "Versions=16", "Sets=1", "OrderDepth=4"),
            ("Cores=1", "Tasks=2", "Versions=15", "Ways=15"),
            ("Cores=16",),
            ("Cores=6", "Managers=3", "Tasks=8", "Versions=16"),
        ),
        "picos_pkg.sv",
        HW / "firmware" / "include" / "picos.h",
        "PICOS_",
        {"Fn": "", "Err": "ERR_", "Flag": "FLAG_"},
        16,
    ),
    Design(
        HW / "hwse" / "rtl" / "hwse.f",
        "hwse_engine",
        (
            (),
            ("Cores=3", "Teams=3", "QueueDepth=128", "Counters=128"),
            ("Cores=1", "Teams=1", "Queues=1", "QueueDepth=2", "Counters=2", "CounterWidth=4"),
        ),
        "hwse_pkg.sv",
        HW / "hwse" / "include" / "hwse.h",
        "HWSE_",
        {"Reg": "", "Err": "ERR_"},
        36,
    ),
    # Banks are small, since Yosys takes long for many; cluster.py elaborates all of it.
    Design(
        HW / "hwse" / "cluster" / "rtl" / "fabric.f",
        "cluster_fabric",
        (
            ("Banks=4",),
            ("Cores=3", "Banks=4", "RowWidth=5", "CacheLines=2"),
            ("Cores=1", "Banks=2", "RowWidth=3", "CacheLines=2", "QueueDepth=2"),
        ),
        elsewhere=("core_tile.sv", "cluster.sv"),
    ),
)


def complaints_of(command: list[str], folder: Path) -> str:
    """What a command says if it fails."""
    run = subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False)
    return "" if run.returncode == 0 else run.stdout + run.stderr


def check_sizes(design: Design) -> str:
    """Verilator's and Yosys's opinion on each of the sizes."""
    complaints = ""
    folder = design.listing.parent
    include = f"-I{HW / 'rtl'}"
    for size in design.sizes:
        parameters = [f"-G{parameter}" for parameter in size]
        common = ["verilator", "--lint-only", "--assert", "-Wall", "--top-module", design.top]
        command = [*common, *parameters, include, "-f", design.listing.name]
        complaints += complaints_of(command, folder)
        sets = "".join(f" -set {parameter.replace('=', ' ')}" for parameter in size)
        change = f"chparam{sets} {design.top}; " if size else ""
        script = (
            f"read_verilog -sv {include} {' '.join(design.files)}; {change}"
            f"hierarchy -check -top {design.top}; proc; check -assert"
        )
        complaints += complaints_of(["yosys", "-q", "-e", ".", "-p", script], folder)
    return complaints


def check_listing(design: Design) -> str:
    """A file that is missing in the listing would not be checked."""
    unlisted = {path.name for path in design.listing.parent.glob("*.sv")}
    unlisted -= {*design.files, *design.elsewhere}
    return "".join(f"{name} is not in {design.listing.name}\n" for name in sorted(unlisted))


def snake(name: str) -> str:
    """FnFetchSwId -> FETCH_SW_ID."""
    return re.sub(r"(?<!^)(?=[A-Z])", "_", name).upper()


def check_codes(design: Design) -> str:
    """Compares the codes of the package with those of the header."""
    if not design.package:
        return ""
    package = (design.listing.parent / design.package).read_text()
    names = re.findall(rf"\b{design.prefix}(\w+)(?: =)? (\d+|0x\w+)", design.header.read_text())
    software = {name: int(value, 0) for name, value in names}
    hardware: dict[str, int] = {}
    codes = "|".join(design.codes)
    for code, name, value in re.findall(rf"\b({codes})(\w+)\s*= \d+'d(\d+)", package):
        hardware[design.codes[code] + snake(name)] = int(value)
    wrong = [
        f"{name}: {value} in {design.package}, {software.get(name)} in {design.header.name}\n"
        for name, value in hardware.items()
        if software.get(name) != value
    ]
    return (
        "".join(wrong)
        if len(hardware) >= design.codes_min
        else (f"{design.package}: the codes were not found\n")
    )


def main() -> int:
    checks = (check_listing, check_codes, check_sizes)
    complaints = "".join(check(design) for design in DESIGNS for check in checks)
    print(complaints, end="")
    return 1 if complaints else 0


if __name__ == "__main__":
    sys.exit(main())
