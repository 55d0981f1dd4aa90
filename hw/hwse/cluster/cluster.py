#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Builds the simulated cluster and programs for it, each kept under the hash of its input.

Usage: python3 hw/hwse/cluster/cluster.py CORES
    prints the path of the simulator of so many cores, which says how it is used
"""

from __future__ import annotations

import shutil
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

sys.path.append(str(Path(__file__).resolve().parents[2] / "soc"))

import pythondata_cpu_cv32e40x as core

import build
import simulation

CLUSTER = Path(__file__).resolve().parent
HWSE = CLUSTER.parent
HW = HWSE.parent
FIRMWARE = HWSE / "firmware"
CORES = (1, 2, 4, 8, 16)
LATENCY = 57  # of the memory outside; a miss of the instruction cache then costs 59 cycles
CYCLES_MAX = 20_000_000

VERILATE = "--cc --exe --hierarchical -O3 --x-assign fast --x-initial fast --noassert"
# The core assigns parts of a vector in different ways, and has loops that are none bit by bit.
VERILATE += " -Wno-fatal -Wno-lint -Wno-style -Wno-BLKANDNBLK -Wno-UNOPTFLAT"
VERILATE += " --top-module cluster --prefix Vcluster"


def listed(listing: Path) -> list[Path]:
    """The files of a listing, whose names are relative to it."""
    return [(listing.parent / name).resolve() for name in listing.read_text().split()]


def core_files() -> list[Path]:
    """cv32e40x, each file after those that it needs."""
    rtl = Path(core.data_location) / "rtl"
    first = [rtl / "include/cv32e40x_pkg.sv", rtl / "if_c_obi.sv", rtl / "if_xif.sv"]
    return [*first, *sorted(rtl.glob("cv32e40x_*.sv"))]


def rtl_files() -> list[Path]:
    ours = [CLUSTER / "rtl/core_tile.sv", CLUSTER / "rtl/cluster.sv"]
    return [*core_files(), *listed(CLUSTER / "rtl/fabric.f"), *ours]


def simulator_key(cores: int) -> str:
    sources = [*rtl_files(), HW / "rtl/checks.svh", CLUSTER / "simulate.cpp"]
    return build.hash_of(build.verilator_version(), VERILATE, str(cores), *sources)


def simulator(cores: int) -> Path:
    """The program that simulates the cluster with so many cores."""

    def make(folder: Path) -> None:
        build.say(f"making the simulator of a cluster of {cores} (minutes)")
        command = ["verilator", *VERILATE.split(), "--Mdir", folder, f"-I{HW / 'rtl'}"]
        command += [f"-DCLUSTER_CORES={cores}", "-CFLAGS", f"-O2 -std=c++20 -DCORES={cores}"]
        command += [*rtl_files(), CLUSTER / "simulate.cpp"]
        build.run(command, folder)
        compiler = shutil.which("ccache")
        settings = ["OPT_FAST=-O2", "OPT_SLOW=-O0", f"CXX={compiler or ''} g++"]
        build.run(["make", "-C", folder, "-f", "Vcluster.mk", "-j2", *settings])
        build.keep_only(folder, "Vcluster", "simulate")

    return build.cached(f"cluster{cores}", simulator_key(cores), make) / "simulate"


TARGET = "-march=rv32im -misa-spec=2.2 -mabi=ilp32 -O2 -flto -ffreestanding -Wall -Wextra"
TARGET += " -ftls-model=local-exec --specs=picolibc.specs"
LINK = "-nostartfiles -Wl,--no-warn-rwx-segments"
SECTIONS = (".text", ".rodata", ".l3", ".data")


OPENMP = "-Wp,-fopenmp"  # the driver of this target does not know -fopenmp
LIBRARIES = ("software", "hwse")


@dataclass(frozen=True)
class Program:
    """A program of firmware/programs, with one of the OpenMP libraries or without."""

    name: str
    library: str = ""
    definitions: tuple[str, ...] = ()

    def __str__(self) -> str:
        return " ".join((self.name, *filter(None, [self.library]), *self.definitions))

    @property
    def source(self) -> Path:
        return FIRMWARE / f"programs/{self.name}.c"

    @property
    def sources(self) -> list[Path]:
        library = [FIRMWARE / f"omp/{name}.c" for name in ("gomp", self.library)]
        runtime = sorted((FIRMWARE / "runtime").glob("*.[cS]"))
        return [self.source, *(library if self.library else []), *runtime]

    def key(self) -> str:
        headers = [*sorted(FIRMWARE.glob("**/*.h")), HWSE / "include/hwse.h"]
        shared = [*headers, FIRMWARE / "runtime/link.ld"]
        return build.hash_of(str(self), TARGET, OPENMP, LINK, *self.sources, *shared)

    def binary(self) -> Path:
        """What the simulator loads; beside it is program.elf."""

        def make(folder: Path) -> None:
            elf = folder / "program.elf"
            options = [*TARGET.split(), OPENMP, f"-I{FIRMWARE / 'include'}"]
            options += [f"-D{word}" for word in self.definitions]
            link = [*LINK.split(), "-T", FIRMWARE / "runtime/link.ld"]
            build.run(["riscv64-unknown-elf-gcc", *options, *link, *self.sources, "-o", elf])
            parts = [word for section in SECTIONS for word in ("-j", section)]
            copy = ["riscv64-unknown-elf-objcopy", "-O", "binary", *parts]
            build.run([*copy, elf, folder / "program.bin"])

        return build.cached("hwse-program", self.key(), make) / "program.bin"

    def expected(self) -> str:
        """What the same source prints on this computer."""

        def make(folder: Path) -> None:
            words = ["-O1", "-fopenmp", *(f"-D{word}" for word in self.definitions)]
            build.run(["gcc", *words, self.source, "-o", folder / "program"])

        key = build.hash_of(str(self), self.source, *sorted(self.source.parent.glob("*.h")))
        return build.run([build.cached("hwse-host", key, make) / "program"])


@dataclass(frozen=True)
class Run:
    """A program on so many cores, with memory outside of such a latency."""

    program: Program
    cores: int
    latency: int = LATENCY

    def __str__(self) -> str:
        return f"cluster: {self.program}, {self.cores} cores, latency {self.latency}"

    def key(self) -> str:
        return build.hash_of(self.program.key(), simulator_key(self.cores), str(self.latency))

    def output(self) -> str:
        """What it prints, now or in an earlier run. Raises simulation.Wrong if it ends badly."""
        kept = build.CACHE / f"results/{self.key()}.txt"
        if kept.is_file():
            return kept.read_text()
        command = [simulator(self.cores), self.program.binary(), str(self.latency), str(CYCLES_MAX)]
        words = list(map(str, command))
        done = subprocess.run(words, capture_output=True, text=True, check=False)
        if done.returncode != 0:
            said = f"{done.stdout[-500:]} {done.stderr[-500:]}"
            raise simulation.Wrong(f"{self}: status {done.returncode}: {said}")
        kept.parent.mkdir(parents=True, exist_ok=True)
        partial = kept.with_suffix(".partial")
        partial.write_text(done.stdout)
        partial.rename(kept)
        return done.stdout

    def check(self) -> str:
        """What is wrong, "" if it ends well and, with OpenMP, prints what it does here."""
        try:
            printed = self.output()
        except simulation.Wrong as wrong:
            return str(wrong)
        wanted = self.program.expected() if self.program.library else printed
        return "" if printed == wanted else f"it prints\n{printed}and here\n{wanted}"


if __name__ == "__main__":
    print(simulator(int(sys.argv[1])))
