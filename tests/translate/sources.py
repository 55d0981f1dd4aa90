# SPDX-License-Identifier: Apache-2.0
"""Large programs that nobody wrote for myrcc: compiled with it and without it, do they give the
same objects, and what does it cost?

Usage: sources.py BUILD_FOLDER [--only PACKAGE] [--cc COMPILER] [--folder FOLDER]

Fetches the packages' sources from the machine's own Debian mirror into FOLDER (.cache/sources),
once; nothing else of the system is changed. Needs apt-get and dpkg-source, and for sqlite3 tclsh.
None of these sources has a pragma of ours, so each object must be the same to the byte. The time is
that of the processor, of the compiler and of all that myrcc does besides; the least of some runs.
"""

import argparse
import glob
import os
import resource
import shlex
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory

import debian_sources
from support import ROOT, Tools

GOAL_PERCENT = 10
RUNS = 3


@dataclass(frozen=True)
class Package:
    name: str  # of the source package
    files: str  # patterns of what is compiled, in its folder
    flags: str = ""
    prepare: str = ""  # a command, run once in its folder
    left_out: str = ""  # a pattern of files that need more than this


PACKAGES = (
    Package("sqlite3", "sqlite3.c", "-O1", prepare="./configure -q && make -s sqlite3.c"),
    Package("zlib", "*.c", "-O2 -D_LARGEFILE64_SOURCE=1 -DHAVE_UNISTD_H"),
    Package(
        "lua5.4", "src/*.c", "-O2 -DLUA_USE_LINUX",
        # Debian's own; a path is all that is in it.
        prepare="echo '#define DEB_HOST_MULTIARCH \"any\"' >src/lua5.4-deb-multiarch.h",
    ),
    Package("bzip2", "*.c", "-O2"),
    Package(
        "libzstd", "lib/common/*.c lib/compress/*.c lib/decompress/*.c",
        "-O1 -DZSTD_DISABLE_ASM -DZSTD_MULTITHREAD",
    ),
    Package("libpng1.6", "*.c", "-O2", prepare="cp scripts/pnglibconf.h.prebuilt pnglibconf.h"),
    Package("duktape", "src/duktape.c", "-O1"),
    Package("tinyxml2", "tinyxml2.cpp xmltest.cpp", "-O1"),
    Package("fmtlib", "src/format.cc src/os.cc", "-O1 -Iinclude -std=c++20"),
    Package("re2", "re2/*.cc util/strutil.cc util/rune.cc", "-O1 -I. -std=c++17"),
    Package("libjsoncpp", "src/lib_json/*.cpp", "-O1 -Iinclude -std=c++17"),
    Package("lz4", "lib/*.c", "-O2"),
)  # fmt: skip


def fetch(package: Package, folder: Path) -> Path:
    """The package's folder."""
    place = folder / package.name
    if not (place / "ready").exists():
        debian_sources.fetch(package.name, folder, place)
        (unpacked,) = (path for path in place.iterdir() if path.is_dir())
        if package.prepare:
            subprocess.run(
                package.prepare, shell=True, cwd=unpacked, check=True, stdout=subprocess.DEVNULL
            )
        (place / "ready").write_text(unpacked.name)
    return place / (place / "ready").read_text()


def seconds(command: list[str], cwd: Path) -> float:
    """The processor's time that a command takes, which may fail, and says so then."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    subprocess.run(command, cwd=cwd, check=False)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime - before.ru_utime + after.ru_stime - before.ru_stime


def least_seconds(commands: list[list[str]], cwd: Path) -> list[float]:
    """Of each command, run in turns."""
    rounds = [[seconds(command, cwd) for command in commands] for _ in range(RUNS)]
    return [min(times) for times in zip(*rounds, strict=True)]


@dataclass
class Total:
    files: int = 0
    lines: int = 0
    differ: int = 0
    plain: float = 0
    translated: float = 0

    def __iadd__(self, other: "Total") -> "Total":
        for name in vars(self):
            setattr(self, name, getattr(self, name) + getattr(other, name))
        return self

    def __str__(self) -> str:
        percent = 100 * (self.translated / self.plain - 1)
        verdict = f"{self.differ} DIFFER" if self.differ else "the same objects"
        times = f"{self.plain:7.2f} s {self.translated:7.2f} s {percent:+6.1f} %"
        return f"{self.files:4} files {self.lines:7} lines {times}  {verdict}"


def compile_both(package: Package, folder: Path, myrcc: Path, compiler: str) -> Total:
    total = Total()
    names = [
        Path(name)
        for pattern in package.files.split()
        for name in sorted(glob.glob(pattern, root_dir=folder))
    ]
    for name in names:
        compilers = {".c": compiler}
        cc = compilers.get(name.suffix, compiler.replace("gcc", "g++").replace("clang", "clang++"))
        flags = ["-w", *shlex.split(package.flags), "-c", str(name), "-o"]
        with TemporaryDirectory() as made:
            plain, translated = Path(made, "plain.o"), Path(made, "translated.o")
            command = [str(myrcc), f"--cc={cc}", *flags, str(translated)]
            times = least_seconds([[cc, *flags, str(plain)], command], folder)
            total.plain += times[0]
            total.translated += times[1]
            if not plain.exists():
                sys.exit(f"{name} does not compile without myrcc, either")
            if not translated.exists() or plain.read_bytes() != translated.read_bytes():
                total.differ += 1
                print(f"  {name}: another object")
        total.files += 1
        total.lines += (folder / name).read_bytes().count(b"\n")
    return total


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("build", type=Path)
    parser.add_argument("--only", metavar="PACKAGE")
    parser.add_argument("--cc", default="gcc")
    parser.add_argument("--folder", type=Path, default=ROOT / ".cache" / "sources")
    arguments = parser.parse_args()
    myrcc = Tools(arguments.build.resolve()).myrcc
    os.environ["CCACHE_DISABLE"] = "1"
    all_of_them = Total()
    for package in PACKAGES:
        if arguments.only in (None, package.name):
            folder = fetch(package, arguments.folder.resolve())
            total = compile_both(package, folder, myrcc, arguments.cc)
            print(f"{package.name:10} {total}", flush=True)
            all_of_them += total
    print(f"{'all':10} {all_of_them}; the goal: at most {GOAL_PERCENT} %")
    return 1 if all_of_them.differ else 0


if __name__ == "__main__":
    sys.exit(main())
