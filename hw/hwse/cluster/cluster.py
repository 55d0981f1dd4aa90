#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Builds the simulated cluster and programs for it, each kept under the hash of its input.

Usage: python3 hw/hwse/cluster/cluster.py CORES
    prints the path of the simulator of so many cores, which says how it is used
"""

from __future__ import annotations

import re
import shutil
import subprocess
import sys
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

sys.path.append(str(Path(__file__).resolve().parents[2] / "soc"))

import inputs
import pythondata_cpu_cv32e40x as core

import build
import simulation

CLUSTER = Path(__file__).resolve().parent
HWSE = CLUSTER.parent
HW = HWSE.parent
FIRMWARE = HWSE / "firmware"
CORES = (1, 2, 4, 8, 16)
QUEUE_DEPTH = 32  # of the engine's queues, unless a program says otherwise
LATENCY = 57  # of the memory outside; a miss of the instruction cache then costs 59 cycles
CYCLES_MAX = 20_000_000
CYCLES = re.compile(r"^cycles (\d+)\n", re.MULTILINE)

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


def simulator_key(cores: int, queue_depth: int = QUEUE_DEPTH) -> str:
    sources = [*rtl_files(), HW / "rtl/checks.svh", CLUSTER / "simulate.cpp"]
    size = f"{cores} {queue_depth}"
    return build.hash_of(build.verilator_version(), VERILATE, size, *sources)


def simulator(cores: int, queue_depth: int = QUEUE_DEPTH) -> Path:
    """The program that simulates the cluster with so many cores, and queues of such a depth."""

    def make(folder: Path) -> None:
        build.say(f"making the simulator of a cluster of {cores} (minutes)")
        command = ["verilator", *VERILATE.split(), "--Mdir", folder, f"-I{HW / 'rtl'}"]
        command += [f"-DCLUSTER_CORES={cores}", f"-DCLUSTER_QUEUE_DEPTH={queue_depth}"]
        command += ["-CFLAGS", f"-O2 -std=c++20 -DCORES={cores}"]
        command += [*rtl_files(), CLUSTER / "simulate.cpp"]
        build.run(command, folder)
        compiler = shutil.which("ccache")
        settings = ["OPT_FAST=-O2", "OPT_SLOW=-O0", f"CXX={compiler or ''} g++"]
        build.run(["make", "-C", folder, "-f", "Vcluster.mk", "-j2", *settings])
        build.keep_only(folder, "Vcluster", "simulate")

    key = simulator_key(cores, queue_depth)
    return build.cached(f"cluster{cores}", key, make) / "simulate"


TARGET = "-march=rv32im -misa-spec=2.2 -mabi=ilp32 -O2 -g -ffreestanding -Wall -Wextra -Werror"
TARGET += " -Wno-unused-but-set-variable"  # which gcc says of what atomic pragmas use
TARGET += " -ftls-model=local-exec --specs=picolibc.specs"
LINK = "-nostartfiles -Wl,--no-warn-rwx-segments"
SECTIONS = (".text", ".l3", ".data")


OPENMP = "-Wp,-fopenmp"  # the driver of this target does not know -fopenmp
LIBRARIES = ("software", "hwse")
OPENMP_SOURCES = ("gomp", "tasks", "depend")
HOST_SOURCES = HW.parent / "src"  # whose library has the same calls


@dataclass(frozen=True)
class Program:
    """A program of firmware/programs, with one of the OpenMP libraries or without."""

    name: str
    library: str = ""
    definitions: tuple[str, ...] = ()
    fault: str = ""  # that the simulator must complain of
    queue_depth: int = QUEUE_DEPTH  # of the engine that it is made for

    def __str__(self) -> str:
        return " ".join((self.name, *filter(None, [self.library]), *self.definitions))

    @property
    def sources(self) -> list[Path]:
        """Those that the host's program is made from, too."""
        return [FIRMWARE / f"programs/{self.name}.c"]

    @property
    def options(self) -> list[str]:
        """Likewise."""
        return [f"-D{word}" for word in (*self.definitions, f"QUEUE_DEPTH={self.queue_depth}")]

    def headers(self) -> list[Path]:
        """Likewise."""
        return sorted(FIRMWARE.glob("**/*.h"))

    optimisation = "-flto"  # with what is below

    def inputs(self) -> dict[str, str]:
        """Headers that are made, by their names."""
        return {}

    def key(self) -> str:
        calls = HOST_SOURCES / "omp/gomp_calls.h"
        shared = [*self.firmware, HWSE / "include/hwse.h", FIRMWARE / "runtime/link.ld", calls]
        options = (TARGET, self.optimisation, OPENMP, LINK, str(self.queue_depth))
        return build.hash_of(self.host_key(), *options, *shared)

    @property
    def firmware(self) -> list[Path]:
        """Those that the cluster's program has besides."""
        names = (*OPENMP_SOURCES, self.library) if self.library else ()
        runtime = sorted((FIRMWARE / "runtime").glob("*.[cS]"))
        return [*(FIRMWARE / f"omp/{name}.c" for name in names), *runtime]

    def host_key(self) -> str:
        inputs = [text for pair in self.inputs().items() for text in pair]
        return build.hash_of(str(self), *self.options, *inputs, *self.sources, *self.headers())

    def write_inputs(self, folder: Path) -> list[str]:
        """Into the folder; returns the option that finds them."""
        for name, text in self.inputs().items():
            (folder / name).write_text(text)
        return [f"-I{folder}"]

    def binary(self) -> Path:
        """What the simulator loads; beside it is program.elf."""

        def make(folder: Path) -> None:
            elf = folder / "program.elf"
            compiler = ["riscv64-unknown-elf-gcc", *TARGET.split(), OPENMP, f"-I{HOST_SOURCES}"]
            own = [f"-I{FIRMWARE / 'include'}", *self.options, *self.write_inputs(folder)]
            objects = [
                folder / f"{source.parent.name}_{source.stem}.own.o" for source in self.sources
            ]
            for source, made in zip(self.sources, objects):
                build.run([*compiler, *own, self.optimisation, "-c", source, "-o", made])
            link = ["-flto", *LINK.split(), "-T", FIRMWARE / "runtime/link.ld"]
            link += [f"-DQUEUE_DEPTH={self.queue_depth}"]
            build.run([*compiler, *link, *objects, *self.firmware, "-o", elf])
            parts = [word for section in SECTIONS for word in ("-j", section)]
            copy = ["riscv64-unknown-elf-objcopy", "-O", "binary", *parts]
            build.run([*copy, elf, folder / "program.bin"])

        return build.cached("hwse-program", self.key(), make) / "program.bin"

    def expected(self) -> str:
        """What the same source prints on this computer."""

        def make(folder: Path) -> None:
            words = ["-O1", "-fopenmp", *self.options, *self.write_inputs(folder)]
            build.run(["gcc", *words, *self.sources, "-o", folder / "program"])

        return build.run([build.cached("hwse-host", self.host_key(), make) / "program"])


@dataclass(frozen=True)
class Application(Program):
    """A program of kernels/hwse, with its parallel loops or its tasks: of paper 5's table V."""

    style: str = "loops"
    # So that its instructions are the same with both libraries, at the same addresses.
    optimisation = "-fno-lto"

    def __str__(self) -> str:
        return f"{self.name} {self.style} {self.library}"

    @property
    def sources(self) -> list[Path]:
        files = ("openmp.c", *KERNELS[self.name].files)
        kernel = [KERNELS_FOLDER / f"hwse/{self.name}/{file}" for file in files]
        return [FIRMWARE / f"applications/{self.name}.c", *kernel]

    @property
    def options(self) -> list[str]:
        words = ("OPENMP_SCHEDULE=dynamic", f"LOOPS={int(self.style == 'loops')}")
        defined = [f"-D{word}" for word in (*words, *KERNELS[self.name].definitions)]
        return [f"-I{KERNELS_FOLDER}", *defined]

    def headers(self) -> list[Path]:
        own = sorted((KERNELS_FOLDER / "hwse" / self.name).glob("*.h"))
        common = [KERNELS_FOLDER / name for name in COMMON_HEADERS]
        return [*super().headers(), *own, *common]

    def inputs(self) -> dict[str, str]:
        return KERNELS[self.name].inputs()

    def timed_instructions(self) -> list[str]:
        """The addresses of application.h's first and last."""
        listed = build.run(["riscv64-unknown-elf-nm", self.binary().with_name("program.elf")])
        places = {name: address for address, _, name in map(str.split, listed.splitlines())}
        return [places["run_begins"], places["run_ends"]]


KERNELS_FOLDER = HW.parent / "kernels"
COMMON_HEADERS = ("common/wide.h", "common/openmp_loop.h", "methods/tiles/multiply.h")
STYLES = ("loops", "tasks")


@dataclass(frozen=True)
class Kernel:
    """Its files besides openmp.c, how they are compiled for cores without fractions, its input."""

    files: tuple[str, ...]
    definitions: tuple[str, ...] = ()
    inputs: Callable[[], dict[str, str]] = dict


def face() -> dict[str, str]:
    photo = inputs.grey((150, 20, 320, 180), (36, 34))
    return {"photo.h": photo, "cascade.h": inputs.cascade(36)}


PORTRAIT = (100, 0, 412, 312)
KERNELS = {
    "jpeg": Kernel(
        ("colour.c", "decoder.c", "huffman.c", "idct.c", "parse.c"),
        inputs=lambda: {"picture.h": inputs.picture((220, 0, 294, 600), (8, 64))},
    ),
    "colour_tracking": Kernel(("work.c",)),
    "strassen": Kernel(("work.c",), ("float=short",)),
    "fast": Kernel(("work.c",), inputs=lambda: {"photo.h": inputs.grey(PORTRAIT, (20, 22))}),
    "viola_jones": Kernel(("work.c",), ("float=int",), inputs=face),
}


@dataclass(frozen=True)
class Run:
    """A program on so many cores, with memory outside of such a latency."""

    program: Program
    cores: int
    latency: int = LATENCY

    def __str__(self) -> str:
        depth = self.program.queue_depth
        queues = f", queues of {depth}" if depth != QUEUE_DEPTH else ""
        return f"cluster: {self.program}, {self.cores} cores, latency {self.latency}{queues}"

    def key(self) -> str:
        simulated = simulator_key(self.cores, self.program.queue_depth)
        return build.hash_of(self.program.key(), simulated, str(self.latency))

    def kept(self, suffix: str) -> Path:
        """Where a run leaves what it printed, txt, and an application its profile."""
        return build.CACHE / f"results/{self.key()}.{suffix}"

    def output(self) -> str:
        """What it prints, now or in an earlier run. Raises simulation.Wrong if it ends badly."""
        kept = self.kept("txt")
        if kept.is_file():
            return kept.read_text()
        kept.parent.mkdir(parents=True, exist_ok=True)
        program = self.program.binary()
        made = simulator(self.cores, self.program.queue_depth)
        command = [made, program, str(self.latency), str(CYCLES_MAX)]
        if isinstance(self.program, Application):
            command += [self.kept("profile"), *self.program.timed_instructions()]
        words = list(map(str, command))
        done = subprocess.run(words, capture_output=True, text=True, check=False)
        if done.returncode != 0:
            said = f"{done.stdout[-500:]} {done.stderr[-500:]}"
            raise simulation.Wrong(f"{self}: status {done.returncode}: {said}")
        partial = kept.with_suffix(".partial")
        partial.write_text(done.stdout)
        partial.rename(kept)
        return done.stdout

    def check(self) -> str:
        """What is wrong, "" if it ends well and, with OpenMP, prints what it does here."""
        fault = self.program.fault
        try:
            printed = self.output()
        except simulation.Wrong as wrong:
            return "" if fault and fault in str(wrong) else str(wrong)
        if fault:
            return f"it ends well, without: {fault}"
        printed = CYCLES.sub("", printed)  # which the host has not
        wanted = self.program.expected() if self.program.library else printed
        return "" if printed == wanted else f"it prints\n{printed}and here\n{wanted}"

    def cycles(self) -> int:
        """Of an application, from the first of its instructions to the last of all cores."""
        found = CYCLES.search(self.output())
        if found is None:
            raise simulation.Wrong(f"{self}: it does not say how long it took")
        return int(found[1])


if __name__ == "__main__":
    print(simulator(int(sys.argv[1])))
