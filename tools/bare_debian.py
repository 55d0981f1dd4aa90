# SPDX-License-Identifier: Apache-2.0
"""A Debian 12 with nothing in it, to try there what a new user does: `./dev door` and
`./dev debs --try`. Needs root, debootstrap and the network.

The bare system is made once, in .cache/door; a fresh copy is used each time.
"""

from __future__ import annotations

import os
import shutil
import subprocess
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
SUITE = "bookworm"
BARE = ROOT / ".cache/door/root.tar"
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


def what_is_missing() -> str:
    """What this computer lacks for it; empty if nothing."""
    if os.geteuid() != 0 or shutil.which("debootstrap") is None:
        return "needs root and the package debootstrap"
    return ""


def clear(folder: Path) -> None:
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)


def run(*words: object) -> None:
    subprocess.run([str(word) for word in words], check=True)


def make_bare_system() -> None:
    if BARE.exists():
        return
    print("making a bare Debian", flush=True)
    folder = BARE.with_suffix(".new")
    clear(folder)
    log = BARE.with_name("debootstrap.log")
    with log.open("w") as out:
        words = ["debootstrap", "--variant=minbase", SUITE, str(folder)]
        subprocess.run(words, stdout=out, check=True)
    run("tar", "-C", folder, "-cf", BARE.with_suffix(".part"), ".")
    BARE.with_suffix(".part").rename(BARE)
    shutil.rmtree(folder)


def make_system(system: Path) -> None:
    """A fresh copy in that folder, which reaches the network as this computer does."""
    make_bare_system()
    clear(system)
    run("tar", "-C", system, "-xf", BARE)
    for name in NETWORK_FILES:
        source, target = Path("/", name), system / name
        if source.is_dir():
            shutil.copytree(
                source, target, dirs_exist_ok=True, symlinks=False, ignore_dangling_symlinks=True
            )
        elif source.exists():
            target.parent.mkdir(parents=True, exist_ok=True)
            shutil.copy(source, target)
    shutil.copy(CERTIFICATES, f"{system}{OUR_CERTIFICATES}")


def shell_words(system: Path, folder: str) -> list[str]:
    """What comes before a command to run it in a folder of the system, with processes and mounts
    of its own."""
    inside = (
        f"mount --rbind /dev {system}/dev && mount -t proc proc {system}/proc && "
        f"mount -t tmpfs tmpfs {system}/dev/shm && "
        f'exec chroot {system} env -C {folder} "$@"'
    )
    return ["unshare", "--mount", "--pid", "--fork", "--kill-child", "sh", "-c", inside, "sh"]


def variables() -> dict[str, str]:
    """The environment of its user, but for HOME."""
    network = {
        name: value
        for name, value in os.environ.items()
        if any(part in name.upper() for part in NETWORK_VARIABLES)
    }
    network |= {"PIP_CERT": OUR_CERTIFICATES, "SSL_CERT_FILE": OUR_CERTIFICATES}
    path = "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin"
    return network | {"PATH": path, "LANG": "C.UTF-8"}
