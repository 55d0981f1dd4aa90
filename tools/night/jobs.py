# SPDX-License-Identifier: Apache-2.0
"""What a night runs: random programs by the slice, each slice with seeds of its own, and long tests
that run once for a commit."""

from __future__ import annotations

from dataclasses import dataclass, field
from itertools import product
from pathlib import Path

# "chaos:NAME": the machine of that name in random order.
MACHINES = (
    "serial smp:1 smp:2 smp:5 smp:8 chaos:smp:1 chaos:smp:3 chaos:smp:8 tree:1+1 tree:3+4"
    " tree:2+3x2 chaos:tree:1+2 chaos:tree:2x2x2 master:1+3 sim:formic-520:3+8"
    " chaos:sim:formic-520:1+4 sim:scc-48:1+3 sim:scc-48-tree:2+6"
).split()
SANITIZED_MACHINES = (
    "serial smp:2 smp:8 chaos:smp:1 chaos:smp:3 tree:1+2 chaos:tree:1+2 master:1+3"
).split()
MPIS = ("openmpi", "mpich")
MPI_SHAPES = ("1+3", "2+2", "2+2x2")
# What MYR_POISON is there.
SEEDED_SHAPES = {"1+1": "", "1+2": "1", "1+3": "", "2+2x2": "1", "2+4": "1"}


@dataclass(frozen=True)
class Job:
    """A command that ends with status 0 where all is right.

    `command`: words, of which `{seed}` and `{count}` become the slice's.
    `programs`: random programs in a slice; 0: the command runs once for a commit.
    `seconds`: how long it takes on two processors, about, until the first run has told.
    """

    name: str
    command: tuple[str, ...]
    programs: int = 0
    seconds: int = 60
    variables: dict[str, str] = field(default_factory=dict)


def on(machine: str) -> dict[str, str]:
    """The environment that chooses a machine."""
    name = machine.removeprefix("chaos:")
    chaos = {"MYR_CHAOS": "{seed}"} if machine != name else {}
    return {"MYR_ON": name} | chaos


def random_jobs(binaries: Path) -> list[Job]:
    """Random programs on each machine of one process."""
    slices = {"mixed": 500, "loops": 200, "windows": 200, "replay": 100}
    jobs = []
    for machine in MACHINES:
        core = (str(binaries / "myr_random"), "--seed", "{seed}", "--count", "{count}")
        jobs.append(Job(f"random.{machine}", core, 1000, variables=on(machine)))
        for kind, programs in slices.items():
            words = (str(binaries / f"myr_random_{kind}"), "{seed}", "{count}")
            jobs.append(Job(f"random_{kind}.{machine}", words, programs, variables=on(machine)))
    return jobs


def check_jobs(binaries: Path) -> list[Job]:
    """`myr check` on random programs, right and broken, in 1,000 schedules, and on OpenMP's."""
    programs = tuple(str(binaries / name) for name in ("myr", "myr_random_checked", "myr_random"))
    right = (programs[0], "check", programs[1], "--seed", "{seed}", "--count", "{count}")
    broken = ("python3", "tests/check/test_random.py", *programs, "{seed}", "1", "{count}")
    clang = str(binaries / "myr_random_clang")
    schedules = ("python3", "tests/check/test_schedules.py", programs[0], "1000", clang)
    plant = ("python3", "tests/check/plant_omp.py", "--seed", "{seed}", "--count", "{count}")
    return [
        Job("check.right", right, 2000),
        Job("check.broken", broken, 500),
        Job("check.schedules", (*schedules, "--random", programs[2], "{seed}", "{count}"), 10, 300),
        Job("check.planted", (*plant, "--least", "10"), 30, 600),
    ]


def sanitizer_jobs(binaries: Path) -> list[Job]:
    """Random programs and the conformance tests, compiled with the compiler's own sanitizers."""
    jobs = []
    for sanitizer, machine in product(("thread", "address"), SANITIZED_MACHINES):
        random = (
            str(binaries / f"myr_{sanitizer}_random"),
            "--seed",
            "{seed}",
            "--count",
            "{count}",
        )
        jobs.append(Job(f"{sanitizer}_random.{machine}", random, 500, variables=on(machine)))
        words = (str(binaries / f"myr_{sanitizer}_conformance"),)
        jobs.append(Job(f"{sanitizer}_conformance.{machine}", words, variables=on(machine)))
    return jobs


def preset_jobs(build: Path) -> list[Job]:
    """The conformance tests where the library is compiled with a sanitizer, too."""
    variables = {"asan": {"ASAN_OPTIONS": "detect_stack_use_after_return=1"}, "tsan": {}}
    jobs = []
    for preset, options in variables.items():
        command = ("ctest", "--test-dir", str(build / preset), "-R", "^conformance.")
        words = (*command, "--output-on-failure")
        jobs.append(Job(f"{preset}.conformance", words, seconds=900, variables=options))
    return jobs


def mpi_jobs(binaries: Path) -> list[Job]:
    """Random programs in jobs of processes, with each MPI."""
    run = (str(binaries / "myr"), "run", "--on")
    jobs = []
    for mpi in MPIS:
        for shape in MPI_SHAPES:
            for kind, programs in {"mixed": 300, "windows": 100, "replay": 50}.items():
                program = (str(binaries / f"myr_random_{kind}"), "{seed}", "{count}")
                words = (*run, f"mpi:{shape}", *program)
                name = f"random_{kind}.{mpi}:{shape}"
                jobs.append(Job(name, words, programs, variables={"MYR_MPI": mpi}))
    return jobs


def seeded_jobs(build: Path) -> list[Job]:
    """Random programs in jobs of processes between which all happens by dice, deaths as well."""
    # The processes of every second seed share a computer: so slices are odd.
    slices = {"mixed": 15, "windows": 25, "replay": 15}
    jobs = []
    for preset, (shape, poison) in product(("release", "tsan"), SEEDED_SHAPES.items()):
        binaries = build / preset / "bin"
        launcher = str(binaries / "myr_seeded_job")
        for kind, programs in slices.items():
            program = (str(binaries / f"myr_random_{kind}"), "{seed}", "{count}")
            words = (launcher, "{seed}", f"mpi:{shape}", *program)
            variables = {"MYR_SILENCE": "60", "MYR_POISON": poison}
            jobs.append(
                Job(f"seeded_{kind}.{preset}:{shape}", words, programs, variables=variables)
            )
        mixed = ("{seed}", f"mpi:{shape}", str(binaries / "myr_random_mixed"), "{seed}")
        words = (launcher, "--kill", *mixed, "1000")
        jobs.append(Job(f"killed.{preset}:{shape}", words, 1, variables={"MYR_SILENCE": "4"}))
        words = (launcher, "--stop", "2", *mixed, "{count}")
        jobs.append(Job(f"stopped.{preset}:{shape}", words, 15, variables={"MYR_SILENCE": "60"}))
    return jobs


def long_jobs() -> list[Job]:
    """The commands of ./dev that take minutes or hours."""
    return [
        Job("mpi", ("./dev", "mpi", "--kills", "100"), seconds=3000),
        Job("door", ("./dev", "door"), seconds=900),
        Job("conan", ("./dev", "conan"), seconds=300),
        Job("debs", ("./dev", "debs", "--try"), seconds=900),
        Job("docs.look", ("./dev", "docs", "--look"), seconds=300),
        Job("docs.checked", ("python3", "tests/docs/checked.py", "build/release"), seconds=120),
        Job("mutants", ("./dev", "mutants"), seconds=3600),
        Job("orders", ("./dev", "orders"), seconds=3600),
        Job("conformance.gcc", ("./dev", "conformance", "openmp"), seconds=900),
        Job("conformance.llvm", ("./dev", "conformance", "openmp", "--suite", "llvm"), seconds=900),
        Job("programs", ("./dev", "conformance", "openmp", "--programs"), seconds=2400),
        Job("rivals", ("./dev", "rivals"), seconds=1200),
        Job("matrix", ("./dev", "matrix"), seconds=1800),
        Job("sources", ("./dev", "sources"), seconds=3600),
        Job("hw", ("./dev", "hw"), seconds=7200),
        Job("soak.smp", ("./dev", "soak"), seconds=14400, variables={"MYR_ON": "smp"}),
        Job("fuzz", ("./dev", "fuzz", "--count", "{count}", "--seed", "{seed}"), 200, 300),
        Job("generated", ("./dev", "fuzz", "--generate", "{count}", "--seed", "{seed}"), 200, 300),
        Job("pragmas", ("./dev", "fuzz", "--programs", "{count}", "--seed", "{seed}"), 200, 600),
    ]


def all_jobs(build: Path) -> list[Job]:
    binaries = build / "release/bin"
    return [
        *random_jobs(binaries),
        *check_jobs(binaries),
        *sanitizer_jobs(binaries),
        *preset_jobs(build),
        *mpi_jobs(binaries),
        *seeded_jobs(build),
        *long_jobs(),
    ]
