# SPDX-License-Identifier: Apache-2.0
"""Checks the RTL: Verilator with all warnings, Yosys, and that its codes are those of picos.h.

Usage: python3 hw/rtl/lint.py       status 1 with what is wrong, nothing if all is well
"""

import re
import subprocess
import sys
from pathlib import Path

RTL = Path(__file__).parent
HEADER = RTL.parent / "firmware" / "include" / "picos.h"
# The sizes at which widths could go wrong: as it comes, small, and a single core.
SIZES = (
    (),
    ("Cores=4", "Tasks=8", "Versions=16", "Sets=1", "OrderDepth=4"),
    ("Cores=1", "Tasks=2", "Versions=15", "Ways=15"),
)


def files() -> list[str]:
    """The files, each after those that it needs."""
    return (RTL / "picos.f").read_text().split()


def complaints_of(command: list[str]) -> str:
    """What a command says if it fails."""
    run = subprocess.run(command, cwd=RTL, capture_output=True, text=True, check=False)
    return "" if run.returncode == 0 else run.stdout + run.stderr


def check_sizes() -> str:
    """Verilator's and Yosys's opinion on each of the sizes."""
    complaints = ""
    for size in SIZES:
        parameters = [f"-G{parameter}" for parameter in size]
        common = ["verilator", "--lint-only", "--assert", "-Wall", "--top-module", "picos_system"]
        complaints += complaints_of([*common, *parameters, "-I.", "-f", "picos.f"])
        sets = "".join(f" -set {parameter.replace('=', ' ')}" for parameter in size)
        change = f"chparam{sets} picos_system; " if size else ""
        script = (
            f"read_verilog -sv -I. {' '.join(files())}; {change}"
            "hierarchy -check -top picos_system; proc; check -assert"
        )
        complaints += complaints_of(["yosys", "-q", "-e", ".", "-p", script])
    return complaints


def check_listing() -> str:
    """A file that picos.f does not list would be checked by nobody."""
    unlisted = {path.name for path in RTL.glob("*.sv")} - set(files())
    return "".join(f"{name} is not in picos.f\n" for name in sorted(unlisted))


def snake(name: str) -> str:
    """FnFetchSwId -> FETCH_SW_ID."""
    return re.sub(r"(?<!^)(?=[A-Z])", "_", name).upper()


def check_codes() -> str:
    """Compares the codes of picos_pkg.sv with those of picos.h."""
    package = (RTL / "picos_pkg.sv").read_text()
    header = dict(re.findall(r"\bPICOS_(\w+)(?: =)? (\d+|0x\w+)", HEADER.read_text()))
    hardware: dict[str, int] = {}
    for prefix, name, value in re.findall(r"\b(Fn|Err)(\w+)\s*= \d+'d(\d+)", package):
        hardware[("ERR_" if prefix == "Err" else "") + snake(name)] = int(value)
    for name, value in re.findall(r"\b(Flag\w+) = 64'd(\d+)", package):
        hardware[snake(name)] = int(value)
    software = {name: int(value, 0) for name, value in header.items()}
    wrong = [
        f"{name}: {value} in picos_pkg.sv, {software.get(name)} in picos.h\n"
        for name, value in hardware.items()
        if software.get(name) != value
    ]
    return "".join(wrong) if len(hardware) >= 16 else "picos_pkg.sv: the codes were not found\n"


def main() -> int:
    complaints = check_listing() + check_codes() + check_sizes()
    print(complaints, end="")
    return 1 if complaints else 0


if __name__ == "__main__":
    sys.exit(main())
