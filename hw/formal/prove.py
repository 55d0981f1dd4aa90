# SPDX-License-Identifier: Apache-2.0
"""Proves the harnesses of formal/ and hwse/formal/, for all inputs, in two ways.

Usage: python3 hw/formal/prove.py [--quick]    quick: fewer cycles, and not the tracker

  bounded     yosys-smtbmc with z3: from reset, so many cycles. What does not hold leaves a waveform
              of a counterexample in build/hw/NAME.vcd.
  unbounded   property directed reachability, the `pdr` of yosys-abc: for ever, whatever memories
              hold at first. It finds the invariants that an induction needs by itself, and then
              checks them; nobody has to write them down, and they follow each change of the RTL.

Status 1 if a property does not hold or is not proven.
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
    """A harness, what it needs, and for how many cycles it is proven the bounded way (0: not at
    all)."""

    name: str
    blocks: tuple[str, ...]
    cycles: int
    quick_cycles: int
    parameters: str = ""
    starts_zeroed: bool = (
        False  # bounded: memories hold zeros at first, which z3 needs for the larger ones
    )
    design: str = "."  # below hw/
    package: str = "picos_pkg"
    for_ever: bool = True  # whether it is proven the unbounded way, too

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
        for_ever=False,
    ),
    Proof("loop", ("chunk", "shares"), 12, 8, design="hwse", package="hwse_pkg"),
    Proof("threads", ("threads",), 10, 8, design="hwse", package="hwse_pkg"),
    Proof("barrier", ("teams",), 14, 10, design="hwse", package="hwse_pkg"),
)


def read_script(proof: Proof, rtl: Path) -> str:
    """For Yosys: the harness with all that it needs, as one module whose memories are registers,
    with which both provers are several times as fast at these sizes."""
    top = f"{proof.name}_proof"
    folder = proof.design
    files = [f"{rtl / folder}/rtl/{module}.sv" for module in (proof.package, *proof.blocks)]
    parameters = f"chparam {proof.parameters} {top}; " if proof.parameters else ""
    return (
        f"read_verilog -sv -formal -I{rtl}/rtl {' '.join(files)} {folder}/formal/{top}.sv; "
        f"{parameters}prep -top {top} -flatten; memory_map; opt -full; async2sync; "
    )


def model_of(proof: Proof, suffix: str) -> Path:
    OUT.mkdir(parents=True, exist_ok=True)
    name = re.sub(r"\W+", "_", f"{proof.name}_{proof.parameters}")  # proofs may run side by side
    return OUT / f"{name}.{suffix}"


def run(*command: str | Path) -> tuple[str, bool]:
    """What a command says, and whether it failed."""
    words = list(map(str, command))
    done = subprocess.run(words, cwd=HW, capture_output=True, text=True, check=False)
    return f"{done.stdout[-3000:]}\n{done.stderr[-1000:]}", done.returncode != 0


def prove_bounded(proof: Proof, cycles: int, rtl: Path = HW) -> str:
    """Returns what is wrong, "" if it holds so many cycles from reset. `rtl`: in place of hw/."""
    model = model_of(proof, "smt2")
    zero = "zinit -all; opt -full; " if proof.starts_zeroed else ""
    script = f"{read_script(proof, rtl)}{zero}dffunmap; opt_clean; write_smt2 -wires {model}"
    says, failed = run("yosys", "-q", "-p", script)
    if not failed:
        says, failed = run(
            *("yosys-smtbmc", "-s", "z3", "--unroll", "--noprogress", "-t", str(cycles)),
            *("--dump-vcd", model.with_suffix(".vcd"), model),
        )
    return says if failed else ""


def prove_unbounded(proof: Proof, rtl: Path = HW) -> str:
    """Returns what is wrong, "" if it holds for ever."""
    model = model_of(proof, "aig")
    gates = "dffunmap; setundef -undriven -anyseq; opt -full; techmap; opt -fast; dffunmap; "
    script = f"{read_script(proof, rtl)}{gates}abc -g AND; opt_clean; write_aiger -zinit {model}"
    says, failed = run("yosys", "-q", "-p", script)
    if not failed:
        # All properties as one, of the runs in which all that is assumed holds.
        says, failed = run("yosys-abc", "-c", f"read_aiger {model}; fold; orpos; scorr; pdr")
    return says if failed or "Property proved" not in says else ""


def prove(proof: Proof, cycles: int) -> str:
    return prove_bounded(proof, cycles) or (prove_unbounded(proof) if proof.for_ever else "")


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
        holds = "for ever" if proof.for_ever else f"for {cycles} cycles"
        says = f"FAILED\n{problem}" if problem else f"holds {holds}"
        print(f"{proof}: {says} ({time.monotonic() - start:.0f} s)", flush=True)
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
