# SPDX-License-Identifier: Apache-2.0
"""Real programs that use OpenMP, from Debian's packages, with inputs made by rule: what they
compute must not depend on the OpenMP library, and how long they take is what a library is for.

The packages are unpacked into a folder, with the libraries that this machine lacks; the system
stays as it is. Used by `./dev conformance openmp --programs` and `./dev bench openmp`.
"""

from __future__ import annotations

import hashlib
import os
import re
import resource
import shutil
import subprocess
import sys
import tempfile
import time
from dataclasses import dataclass
from pathlib import Path

import debian_sources
import openmp_inputs

LIBRARIES = "usr/lib/x86_64-linux-gnu"
BLAS = f"{LIBRARIES}/openblas-openmp"
# Kept by a program's output: what differs from run to run is cut off.
STAMPS = re.compile(rb"[0-9.]+ ?s(ec(onds)?)?\b|\d\d:\d\d:\d\d.*|^.*(time|Time|Seconds).*$", re.M)


@dataclass(frozen=True)
class Program:
    """A command is run in a folder of its own, IN is that of the inputs and THREADS the number of
    threads. Its result is the files it writes, or what it prints if it names none."""

    name: str
    packages: str
    command: str
    results: tuple[str, ...] = ()
    keep: str = ""  # of a line that is compared; all others are not
    same_for_all_counts: bool = True  # of threads; else sums are rounded in another order


PROGRAMS = [
    Program("fasttree", "fasttree", "fasttreeMP -quiet -nt IN/family.fa"),
    Program("tesseract", "tesseract-ocr tesseract-ocr-eng", "tesseract IN/page.png stdout"),
    Program("sumaclust", "sumaclust", "sumaclust -t 0.97 -p THREADS IN/clusters.fa"),
    Program("clustalo", "clustalo", "clustalo -i IN/proteins.fa --threads=THREADS"),
    Program(
        "graphicsmagick", "graphicsmagick",
        "gm convert IN/picture.ppm -blur 0x3 -resize 60% -sharpen 0x2 out.ppm", ("out.ppm",),
    ),
    Program("primecount", "primecount-bin libprimecount7", "primecount 1e14 -tTHREADS"),
    Program("normaliz", "normaliz-bin", "normaliz -x=THREADS cone.in", ("cone.out",)),
    Program(
        "gromacs", "gromacs",
        "gmx mdrun -ntmpi 1 -ntomp THREADS -reprod -s IN/water.tpr -c out.gro",
        ("out.gro",),
        same_for_all_counts=False,
    ),
    Program(
        "par2", "par2", "par2 create -q -q -r10 -n1 -tTHREADS out.par2 data.bin", ("out.par2",)
    ),
    Program("fftw", "libfftw3-double3", "IN/fft"),
    Program("openblas", "libopenblas0-openmp", "IN/blas"),
    Program("xtb", "xtb", "xtb IN/waters.xyz --hess --gfn 2", keep="TOTAL"),
    Program("pngquant", "pngquant", "pngquant -s2 64 -o out.png IN/picture.png", ("out.png",)),
    Program(
        "sox", "sox",
        "sox -R -D --multi-threaded -n out.wav synth 30 sine 440 rate 44100 channels 2 rate -v 96k",
        ("out.wav",),
    ),
    Program("jpegqs", "jpegqs", "jpegqs -q 3 -t THREADS IN/picture.jpg out.jpg", ("out.jpg",)),
    Program(
        "cd-hit", "cd-hit", "cd-hit-est -i IN/clusters.fa -o out.fa -c 0.95 -T THREADS", ("out.fa",)
    ),
]  # fmt: skip


@dataclass(frozen=True)
class Run:
    """What one run did; `status` None: it was ended because it took too long."""

    status: int | None
    seconds: float
    cpu_seconds: float
    checksum: str
    text: str


class Place:
    """The folder with the packages and inputs; prepared once."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder.resolve()
        self.root = self.folder / "root"
        self.inputs = self.folder / "inputs"

    def prepare(self) -> None:
        """Unpacks what is missing. Raises CalledProcessError."""
        packages = sorted({name for one in PROGRAMS for name in one.packages.split()})
        wanted = " ".join(packages)
        stamp = self.folder / "packages"
        if not stamp.exists() or stamp.read_text() != wanted:
            print("fetching Debian's packages of the programs", file=sys.stderr)
            debian_sources.unpack(packages, self.folder / "fetched", self.root)
            stamp.write_text(wanted)
        if not (self.inputs / "complete").exists():
            openmp_inputs.make(self.inputs)
            self._build_inputs()
            (self.inputs / "complete").touch()

    def _build_inputs(self) -> None:
        for driver, library in (
            ("fft", f"{LIBRARIES}/libfftw3_omp.so.3"),
            ("blas", f"{BLAS}/libblas.so.3"),
        ):
            command = ["gcc", "-O2", f"{driver}.c", "-o", driver, "-fopenmp", self.root / library]
            if driver == "fft":
                command += [self.root / LIBRARIES / "libfftw3.so.3", "-lm"]
            self._run_here(command)
        gmx = self._find("gmx")
        self._run_here(
            [
                gmx,
                "solvate",
                "-cs",
                "spc216",
                "-box",
                "3",
                "3",
                "3",
                "-o",
                "water.gro",
                "-p",
                "water.top",
            ]
        )
        self._run_here(
            [
                gmx,
                "grompp",
                "-f",
                "run.mdp",
                "-c",
                "water.gro",
                "-p",
                "water.top",
                "-o",
                "water.tpr",
                "-maxwarn",
                "9",
            ]
        )

    def _run_here(self, command: list[object]) -> None:
        subprocess.run(
            [str(word) for word in command], cwd=self.inputs, env=self.environment(None, 1),
            check=True, capture_output=True,
        )  # fmt: skip

    def _find(self, name: str) -> str:
        return str(self.root / "usr/bin" / name)

    def environment(self, library: Path | None, threads: int) -> dict[str, str]:
        """Of a program that runs on a library; None: on the system's."""
        folders = [self.root / LIBRARIES, self.root / BLAS, self.root / "usr/lib"]
        clean = {n: v for n, v in os.environ.items() if not n.startswith(("OMP_", "GOMP_", "LD_"))}
        path = [str(one) for one in ([library] if library else []) + folders]
        share = self.root / "usr/share"
        return {
            **clean,
            "LD_LIBRARY_PATH": ":".join(path),
            "OMP_NUM_THREADS": str(threads),
            "TESSDATA_PREFIX": str(share / "tesseract-ocr/5/tessdata"),
            "GMXLIB": str(share / "gromacs/top"),
            "XTBPATH": str(share / "xtb"),
            "GMX_MAXBACKUP": "-1",
        }

    def run(
        self, program: Program, library: Path | None, threads: int, seconds_max: float = 120,
        **variables: str,
    ) -> Run:  # fmt: skip
        """Runs a program once, in a folder that is gone afterwards."""
        with tempfile.TemporaryDirectory(dir=self.folder) as work:
            for name in ("cone.in", "data.bin"):
                shutil.copy(self.inputs / name, work)
            line = program.command.replace("THREADS", str(threads))
            words = line.replace("IN/", f"{self.inputs}/").split()
            if "/" not in words[0]:
                words[0] = self._find(words[0])
            before = resource.getrusage(resource.RUSAGE_CHILDREN)
            start = time.monotonic()
            try:
                done = subprocess.run(
                    words, cwd=work, env={**self.environment(library, threads), **variables},
                    capture_output=True, timeout=seconds_max, check=False,
                )  # fmt: skip
            except subprocess.TimeoutExpired:
                return Run(None, seconds_max, 0, "", f"still runs after {seconds_max} s")
            seconds = time.monotonic() - start
            after = resource.getrusage(resource.RUSAGE_CHILDREN)
            cpu = after.ru_utime - before.ru_utime + after.ru_stime - before.ru_stime
            text = done.stderr[-300:].decode(errors="replace")
            return Run(
                done.returncode, seconds, cpu, checksum(program, done.stdout, Path(work)), text
            )


def checksum(program: Program, output: bytes, folder: Path) -> str:
    """Of the files that it wrote into a folder, or of what it printed, without times."""
    data = b""
    for name in program.results:
        path = folder / name
        data += path.read_bytes() if path.exists() else b"missing"
    if program.keep:
        lines = [one for one in output.splitlines() if program.keep.encode() in one]
        data = b"\n".join(one[:50] for one in lines)  # the last digits depend on the order of sums
    elif not program.results:
        data = STAMPS.sub(b"", output)
    return hashlib.md5(data).hexdigest()[:8]
