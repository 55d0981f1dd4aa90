# SPDX-License-Identifier: Apache-2.0
"""Runs every command of README, the tutorial and the user pages, literally and in order, where
nothing is installed but Debian 12: what a new user meets. Then CMake with each option of a
developer. Takes ten minutes; needs root, debootstrap and the network.

The bare system is made once, in .cache/door; a fresh copy is used each time, in build/door.
"""

from __future__ import annotations

import argparse
import os
import shutil
import subprocess
import sys
from pathlib import Path

from pages import ROOT, environment, run_pages

SUITE = "bookworm"
BARE = ROOT / ".cache/door/root.tar"
SYSTEM = ROOT / "build/door"
HOME = "/root"
SOURCES = "/root/myrmidon"
# How a computer reaches the network is no part of Debian: proxies, certificates, mirrors.
NETWORK_FILES = (
    "etc/resolv.conf",
    "etc/apt/sources.list.d/debian.sources",
    "etc/apt/sources.list",
    "usr/share/keyrings",
)
NETWORK_VARIABLES = ("PROXY", "PIP_INDEX", "PIP_EXTRA_INDEX")
CERTIFICATES = Path("/etc/ssl/certs/ca-certificates.crt")  # Debian's package makes its own
OUR_CERTIFICATES = "/etc/certificates_of_the_host.crt"
OPTIONS = (
    (),
    ("-DMYR_TRANSLATE=OFF",),
    ("-DMYR_DEVELOP=ON",),
    ("-DMYR_DEVELOP=ON", "-DMYR_KERNELS=OFF"),
    ("-DMYR_DEVELOP=ON", "-DMYR_KERNELS=fib"),
    ("-DMYR_DEVELOP=ON", "-DMYR_KERNELS=tree", "-DMYR_HW=ON"),
    ("-DMYR_DEVELOP=ON", "-DMYR_BENCH=OFF", "-DMYR_ONE_THREAD_TESTS=OFF", "-DMYR_UNITY=OFF"),
    ("-DMYR_DEVELOP=ON", "-DMYR_MODEL=ON", "-DMYR_CHECKED=ON"),
)


def run(*words: object) -> None:
    subprocess.run([str(word) for word in words], check=True)


def clear(folder: Path) -> None:
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)


def make_bare_system() -> None:
    if BARE.exists():
        return
    print("door: making a bare Debian", flush=True)
    folder = BARE.with_suffix(".new")
    clear(folder)
    log = BARE.with_name("debootstrap.log")
    with log.open("w") as out:
        words = ["debootstrap", "--variant=minbase", SUITE, str(folder)]
        subprocess.run(words, stdout=out, check=True)
    run("tar", "-C", folder, "-cf", BARE.with_suffix(".part"), ".")
    BARE.with_suffix(".part").rename(BARE)
    shutil.rmtree(folder)


def make_system() -> None:
    """A fresh copy, with the files of this checkout as a clone would have them."""
    clear(SYSTEM)
    run("tar", "-C", SYSTEM, "-xf", BARE)
    for name in NETWORK_FILES:
        source, target = Path("/", name), SYSTEM / name
        if source.is_dir():
            shutil.copytree(
                source, target, dirs_exist_ok=True, symlinks=False, ignore_dangling_symlinks=True
            )
        elif source.exists():
            target.parent.mkdir(parents=True, exist_ok=True)
            shutil.copy(source, target)
    shutil.copy(CERTIFICATES, f"{SYSTEM}{OUR_CERTIFICATES}")
    listed = subprocess.run(["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"],
                            cwd=ROOT, capture_output=True, check=True)  # fmt: skip
    for name in filter(None, listed.stdout.decode().split("\0")):
        target = Path(f"{SYSTEM}{SOURCES}", name)
        target.parent.mkdir(parents=True, exist_ok=True)
        if Path(ROOT, name).exists():
            shutil.copy2(Path(ROOT, name), target)


def shell_words() -> list[str]:
    """What comes before a command to run it in the system, with processes and mounts of its own."""
    inside = (
        f"mount --rbind /dev {SYSTEM}/dev && mount -t proc proc {SYSTEM}/proc && "
        f"mount -t tmpfs tmpfs {SYSTEM}/dev/shm && "
        f'exec chroot {SYSTEM} env -C {SOURCES} "$@"'
    )
    return ["unshare", "--mount", "--pid", "--fork", "--kill-child", "sh", "-c", inside, "sh"]


def variables() -> dict[str, str]:
    network = {
        name: value
        for name, value in os.environ.items()
        if any(part in name.upper() for part in NETWORK_VARIABLES)
    }
    network |= {"PIP_CERT": OUR_CERTIFICATES, "SSL_CERT_FILE": OUR_CERTIFICATES}
    path = "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin"
    return environment(HOME, network | {"PATH": path, "LANG": "C.UTF-8"})


def check_options() -> int:
    faults = 0
    for options in OPTIONS:
        words = [*shell_words(), "cmake", "-S", ".", "-B", "/tmp/configured", "--fresh", *options]
        done = subprocess.run(words, env=variables(), capture_output=True, text=True, check=False)
        bad = done.returncode != 0
        print(f"{'FAILED' if bad else 'passed'}  cmake {' '.join(options)}", flush=True)
        if bad:
            print(done.stderr)
        faults += bad
    return faults


def main() -> int:
    parser = argparse.ArgumentParser(prog="./dev door", description=__doc__)
    parser.add_argument("--keep", action="store_true", help="leaves the copy there at the end")
    keep = parser.parse_args().keep
    if os.geteuid() != 0 or shutil.which("debootstrap") is None:
        print("door: needs root and the package debootstrap", file=sys.stderr)
        return 2
    make_bare_system()
    make_system()
    failed = run_pages(
        Path(f"{SYSTEM}{SOURCES}"), variables(), short=False, inside=tuple(shell_words())
    )
    failed += check_options()
    if not keep:
        shutil.rmtree(SYSTEM)
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
