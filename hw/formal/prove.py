# SPDX-License-Identifier: Apache-2.0
"""Proves the harnesses of formal/ and hwse/formal/, for all inputs up to some cycles.

Usage: python3 hw/formal/prove.py [--quick]    quick: fewer cycles, and not the tracker

A proof runs from reset, so it covers what can happen within its cycles and says nothing about later
ones. Status 1 if a property does not hold; the counterexample is then in build/hw/NAME.vcd.
"""

import argparse
import re
import subprocess
import sys
import time
from dataclasses import dataclass
from pathlib import Path

HW = Path(__file__).parents[1]
OUT = HW.parent / "build" / "hw"


@dataclass(frozen=True)
class Proof:
    """A harness, what it needs, and for how many cycles it is proven (0: not at all)."""

    name: str
    blocks: tuple[str, ...]
    cycles: int
    quick_cycles: int
    parameters: str = ""
    starts_zeroed: bool = False  # memories hold zeros at first, which z3 needs for the larger ones
    design: str = "."  # below hw/
    package: str = "picos_pkg"

    def __str__(self) -> str:
        return f"proof of {self.name} {self.parameters}".rstrip()


PROOFS = (
    Proof("fifo", ("fifo",), 12, 8),
    Proof("fifo", ("fifo",), 9, 8, "-set FallThrough 1'b1"),
    Proof("arbiter", ("round_robin_arbiter",), 10, 10),
    Proof("pool", ("id_pool",), 10, 8),
    Proof("order", ("fifo", "request_order"), 8, 6),
    Proof(
        "tracker",
        ("id_pool", "dependence_memory", "tracker_engine", "countdown"),
        12,
        0,
        starts_zeroed=True,
    ),
    Proof("loop", ("chunk", "shares"), 12, 8, design="hwse", package="hwse_pkg"),
    Proof("threads", ("threads",), 10, 8, design="hwse", package="hwse_pkg"),
    Proof("barrier", ("teams",), 14, 10, design="hwse", package="hwse_pkg"),
)


def prove(proof: Proof, cycles: int) -> str:
    """Runs one proof; returns what is wrong, "" if it holds."""
    OUT.mkdir(parents=True, exist_ok=True)
    top = f"{proof.name}_proof"
    name = re.sub(r"\W+", "_", f"{proof.name}_{proof.parameters}")  # proofs may run side by side
    model = OUT / f"{name}.smt2"
    folder = proof.design
    files = [f"{folder}/rtl/{module}.sv" for module in (proof.package, *proof.blocks)]
    parameters = f"chparam {proof.parameters} {top}; " if proof.parameters else ""
    # Memories as registers: z3 is ten times as fast with them at these sizes.
    zero = "zinit -all; opt -full; " if proof.starts_zeroed else ""
    script = (
        f"read_verilog -sv -formal -Irtl {' '.join(files)} {folder}/formal/{top}.sv; {parameters}"
        f"prep -top {top} -flatten; memory_map; opt -full; async2sync; {zero}dffunmap; opt_clean; "
        f"write_smt2 -wires {model}"
    )
    steps = (
        ["yosys", "-q", "-p", script],
        ["yosys-smtbmc", "-s", "z3", "--unroll", "--noprogress", "-t", str(cycles)]
        + ["--dump-vcd", str(OUT / f"{name}.vcd"), str(model)],
    )
    for step in steps:
        run = subprocess.run(step, cwd=HW, capture_output=True, text=True, check=False)
        if run.returncode != 0:
            return f"{run.stdout[-3000:]}\n{run.stderr[-1000:]}"
    return ""


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--quick", action="store_true", help="fewer cycles, not the tracker")
    quick = parser.parse_args().quick
    failed = 0
    for proof in PROOFS:
        cycles = proof.quick_cycles if quick else proof.cycles
        if cycles == 0:
            continue
        start = time.monotonic()
        problem = prove(proof, cycles)
        failed += 1 if problem else 0
        says = f"FAILED\n{problem}" if problem else f"holds for {cycles} cycles"
        print(f"{proof}: {says} ({time.monotonic() - start:.0f} s)", flush=True)
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
