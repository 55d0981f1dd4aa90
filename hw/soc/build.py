#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Builds the simulated system and programs for it; each result is kept under the hash of its input.

Usage: python3 hw/soc/build.py CORES [--log]
    prints the path of the simulator with so many cores; with --log it prints each instruction when
    a core finishes it ("C0: CYCLE [1] pc=...")

    generator   Rocket Chip from Maven Central and our Scala, compiled
    verilog     the system around the scheduler, of so many cores; minutes
    simulator   the verilog and hw/rtl as a program, by Verilator; minutes
    program     firmware: a kernel, a runtime, an input; a second
"""

from __future__ import annotations

import argparse
import fcntl
import functools
import hashlib
import re
import shutil
import subprocess
import sys
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

SOC = Path(__file__).resolve().parent
HW = SOC.parent
ROOT = HW.parent
CACHE = ROOT / ".cache/soc"
FIRMWARE = HW / "firmware"
MYRCC = ROOT / "build/release/bin/myrcc"
CORES = (1, 2, 4, 8, 16)


def say(text: str) -> None:
    print(f"soc: {text}", file=sys.stderr, flush=True)


def run(command: list[str | Path], folder: Path = ROOT) -> str:
    """Runs a command; returns what it printed. Ends this program if it fails."""
    done = subprocess.run(
        list(map(str, command)), cwd=folder, capture_output=True, text=True, check=False
    )
    if done.returncode != 0:
        print(done.stdout[-3000:], done.stderr[-3000:], sep="\n", file=sys.stderr)
        raise SystemExit(f"soc: this failed: {' '.join(map(str, command))[:300]}")
    return done.stdout


def hash_of(*inputs: Path | str) -> str:
    """Of the files' contents and of the words."""
    total = hashlib.sha256()
    for one in inputs:
        total.update(one.read_bytes() if isinstance(one, Path) else one.encode())
        total.update(b"\0")
    return total.hexdigest()[:16]


def cached(name: str, key: str, make: Callable[[Path], None]) -> Path:
    """The folder that make() filled for the key, now or earlier. It appears when it is complete."""
    folder = CACHE / f"{name}-{key}"
    if folder.is_dir():
        return folder
    CACHE.mkdir(parents=True, exist_ok=True)
    start = time.monotonic()
    with (CACHE / f"{name}-{key}.lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)  # another process or thread may be making it
        if folder.is_dir():
            return folder
        work = CACHE / f"{name}-{key}.partial"
        shutil.rmtree(work, ignore_errors=True)
        work.mkdir()
        make(work)
        work.rename(folder)
    Path(lock.name).unlink(missing_ok=True)
    seconds = time.monotonic() - start
    if seconds > 10:
        say(f"{name} is made ({seconds:.0f} s)")
    return folder


def keep_only(folder: Path, program: str, name: str) -> None:
    """Removes all that is in a folder but a program, which gets another name."""
    kept = (folder / program).read_bytes()
    for made in folder.iterdir():
        shutil.rmtree(made) if made.is_dir() else made.unlink()
    (folder / name).write_bytes(kept)
    (folder / name).chmod(0o755)


def generator_key() -> str:
    return hash_of(SOC / "pom.xml", *sorted(SOC.glob("src/main/scala/*.scala")))


def generator() -> Path:
    """A folder with the generator's classes, and what it needs, in classpath.txt."""

    def make(folder: Path) -> None:
        say("compiling the generator: Rocket Chip from Maven Central, and our Scala")
        command = ["mvn", "-q", "-B", f"-Dtarget={folder}", "compile", "dependency:build-classpath"]
        run([*command, f"-Dmdep.outputFile={folder}/classpath.txt"], SOC)

    return cached("generator", generator_key(), make)


def verilog_key(cores: int) -> str:
    return hash_of(generator_key(), str(cores))


def verilog(cores: int) -> Path:
    """A folder with soc.v."""

    def make(folder: Path) -> None:
        made = generator()
        say(f"elaborating {cores} cores (minutes)")
        classpath = f"{made}/classes:{(made / 'classpath.txt').read_text().strip()}"
        options = ["-Xmx12g", "-Xss64m", "-XX:+UseSerialGC"]
        run(["java", *options, "-cp", classpath, "soc.Generate", str(cores), folder])
        for unused in (*folder.glob("*.fir"), *folder.glob("*.json"), *folder.glob("*.f")):
            unused.unlink()
        # All tiles are the same module: simulated as one, it is compiled once.
        text = (folder / "soc.v").read_text()
        text, count = re.subn(
            r"(?s)(\bmodule RocketTile\(.*?\);)", r"\1 /*verilator hier_block*/", text, count=1
        )
        assert count == 1, "the tiles are no longer one module"
        (folder / "soc.v").write_text(text)

    return cached("verilog", verilog_key(cores), make)


def rtl_files() -> list[Path]:
    return [HW / "rtl" / name for name in (HW / "rtl/picos.f").read_text().split()]


VERILATE = "--cc --exe --hierarchical -O3 --x-assign fast --x-initial fast --noassert"
VERILATE += " -Wno-fatal -Wno-lint -Wno-style -DPRINTF_COND=0 --top-module PicosSoc --prefix Vsoc"


def verilate_options(log: bool) -> str:
    return VERILATE.replace("PRINTF_COND=0", f"PRINTF_COND={int(log)}")


@functools.cache
def verilator_version() -> str:
    return run(["verilator", "--version"])


def simulator_key(cores: int, log: bool = False) -> str:
    ours = [SOC / "simulate.cpp", SOC / "axi.hpp", HW / "rtl/checks.svh", *rtl_files()]
    return hash_of(verilog_key(cores), verilator_version(), verilate_options(log), *ours)


def simulator(cores: int, log: bool = False) -> Path:
    """The program that simulates the system; with `log`, it prints the instructions."""

    def make(folder: Path) -> None:
        soc = verilog(cores)
        say(f"making the simulator of {cores} cores (minutes)")
        options = verilate_options(log).split()
        command = ["verilator", *options, "--Mdir", folder, f"-I{HW / 'rtl'}"]
        command += ["-CFLAGS", f"-O2 -std=c++20 -I{SOC}", *rtl_files()]
        command += [*sorted(soc.glob("*.v")), SOC / "simulate.cpp"]
        run(command, folder)
        compiler = shutil.which("ccache")
        settings = ["OPT_FAST=-O2", "OPT_SLOW=-O0", f"CXX={compiler or ''} g++"]
        run(["make", "-C", folder, "-f", "Vsoc.mk", "-j2", *settings])
        keep_only(folder, "Vsoc", "simulate")

    return cached(f"simulator{cores}", simulator_key(cores, log), make) / "simulate"


@dataclass(frozen=True)
class Kernel:
    """A program on the system: its own sources, and the frame in hw/firmware/programs."""

    source: str
    frame: str
    definitions: tuple[str, ...] = ()
    others: tuple[str, ...] = ()  # files that its source needs


KERNELS = {
    "task_free": Kernel("kernels/picos/tasks/tasks.c", "tasks", ("CHAIN=0",)),
    "task_chain": Kernel("kernels/picos/tasks/tasks.c", "tasks", ("CHAIN=1",)),
    "stream_deps": Kernel("kernels/picos/stream/stream.c", "stream", ("BARRIERS=0",)),
    "stream_barr": Kernel("kernels/picos/stream/stream.c", "stream", ("BARRIERS=1",)),
    "sparse_lu": Kernel("kernels/picos/sparse_lu/sparse_lu.c", "sparse_lu"),
    "poisson": Kernel("kernels/picos/poisson/poisson.c", "poisson"),
    "black_scholes": Kernel(
        "kernels/bddt/black_scholes/black_scholes.c",
        "black_scholes",
        others=("kernels/chip/work.c",),
    ),
    "random": Kernel("hw/firmware/programs/random.c", "random"),
    "windows": Kernel("hw/firmware/programs/windows.c", "windows", ("BLOCK_SHIFT=6",)),
    "wide": Kernel("hw/firmware/programs/wide.c", "wide", ("PHENTOS_TASK_LINES=2",)),
    "nested": Kernel("hw/firmware/programs/nested.c", "nested", ("NESTED=1",)),
    # Without tasks of a runtime: it is its own frame.
    "deadlocks": Kernel("hw/firmware/programs/deadlocks.cpp", "deadlocks"),
}
RUNTIMES = ("serial", "phentos", "nanos_rv", "nanos_sw")


@dataclass(frozen=True)
class Input:
    """A kernel's numbers, as its frame has them; those that it has no use for are 0."""

    kernel: str
    size: int
    task: int
    rounds: int = 0
    deps: int = 0

    def definitions(self) -> list[str]:
        numbers = (f"SIZE={self.size}", f"TASK={self.task}", f"ROUNDS={self.rounds}")
        words = (*numbers, f"DEPS={self.deps}", *KERNELS[self.kernel].definitions)
        return [f"-D{word}" for word in words]

    def source(self) -> Path:
        return ROOT / KERNELS[self.kernel].source

    def sources(self) -> list[Path]:
        """What there is besides: the frame, what the kernel's tasks do, if that is a file, and what
        else it needs."""
        others = (
            FIRMWARE / f"programs/{KERNELS[self.kernel].frame}.cpp",
            self.source().with_name("work.c"),
            *(ROOT / name for name in KERNELS[self.kernel].others),
        )
        return [path for path in others if path.is_file() and path != self.source()]


COMMON = ["-O3", "-ffp-contract=off", "-fno-math-errno", f"-I{ROOT / 'kernels'}"]
COMMON += [f"-I{ROOT / 'include'}", f"-I{FIRMWARE / 'include'}", f"-I{FIRMWARE / 'programs'}"]
TARGET = "-march=rv64imafdc -misa-spec=2.2 -mabi=lp64d -mcmodel=medany -flto -fipa-pta"
TARGET += " -ffreestanding"
TARGET += " -ftls-model=local-exec --specs=picolibc.specs -Wno-stringop-overflow"


def language(source: Path) -> list[str]:
    """Options for the language of a file."""
    if source.suffix == ".cpp":
        return ["-std=gnu++20", "-fno-exceptions", "-fno-rtti", "-fno-threadsafe-statics"]
    return ["-std=gnu17", "-Wno-unknown-pragmas"] if source.suffix == ".c" else []


def firmware_files() -> list[Path]:
    """What all programs share."""
    headers = (FIRMWARE / "programs").glob("*.h*")
    shared = [*headers, *(FIRMWARE / "include").iterdir(), *(FIRMWARE / "runtime").iterdir()]
    return sorted(shared)


def object_name(source: Path) -> str:
    """Files of the same name come from different folders."""
    return f"{source.parent.name}-{source.name}.o"


def program_key(what: Input, runtime: str, cores: int) -> str:
    headers = sorted((ROOT / "include/myr").glob("*.h"))
    inputs = [*what.sources(), what.source(), *firmware_files(), *headers, Path(__file__)]
    return hash_of(*inputs, str(what), runtime, str(cores))


def program(what: Input, runtime: str, cores: int) -> Path:
    """The binary of a kernel with a runtime of RUNTIMES."""

    def make(folder: Path) -> None:
        options = [*COMMON, *TARGET.split(), *what.definitions(), f"-I{FIRMWARE / 'runtime'}"]
        options += [f"-DCORES={cores}", f"-DRUNTIME={runtime}"]
        kernel = what.source()
        if runtime != "serial":
            text = run([MYRCC, "--emit", f"-I{ROOT / 'kernels'}", what.source()])
            kernel = folder / "translated.c"
            kernel.write_text(text)
        entry = "serial.cpp" if runtime == "serial" else "myr.cpp"
        parts = [FIRMWARE / "runtime" / name for name in (entry, "platform.c", "start.S")]
        objects = []
        for source in (kernel, *what.sources(), *parts):
            objects.append(folder / object_name(source))
            run(["riscv64-unknown-elf-gcc", *options, *language(source), "-c", source]
                + ["-o", objects[-1]])  # fmt: skip
        link = ["-nostartfiles", "-T", FIRMWARE / "runtime/link.ld", "-Wl,--no-warn-rwx-segments"]
        elf = folder / "program.elf"
        run(["riscv64-unknown-elf-gcc", *options, *link, *objects, "-o", elf, "-lm"])
        run(["riscv64-unknown-elf-objcopy", "-O", "binary", elf, folder / "program.bin"])

    return cached("program", program_key(what, runtime, cores), make) / "program.bin"


def host_program(what: Input) -> Path:
    """The same program without tasks, for this computer."""
    inputs = [*what.sources(), what.source(), *firmware_files(), Path(__file__)]

    def make(folder: Path) -> None:
        options = [*COMMON, *what.definitions()]
        objects = []
        for source in (what.source(), *what.sources()):
            objects.append(folder / object_name(source))
            run(["g++" if source.suffix == ".cpp" else "gcc", *options, *language(source)]
                + ["-c", source, "-o", objects[-1]])  # fmt: skip
        run(["g++", *objects, "-o", folder / "program", "-lm"])

    return cached("host", hash_of(*inputs, str(what)), make) / "program"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("cores", type=int, choices=CORES)
    parser.add_argument("--log", action="store_true")
    options = parser.parse_args()
    print(simulator(options.cores, options.log))


if __name__ == "__main__":
    main()
