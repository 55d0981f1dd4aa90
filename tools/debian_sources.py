# SPDX-License-Identifier: Apache-2.0
"""Fetches packages and their sources from the machine's own Debian mirror; nothing else of the
system is changed. Needs apt-get."""

import re
import subprocess
from pathlib import Path


def _apt(folder: Path, *arguments: str, cwd: Path) -> str:
    """apt-get with lists and settings of its own, so that the system's stay as they are; returns
    what it prints."""
    lists, sources = folder / "apt", folder / "sources.list.d"
    (lists / "partial").mkdir(parents=True, exist_ok=True)
    options = {
        "Dir::Etc::sourcelist": "/dev/null",
        "Dir::Etc::sourceparts": sources,
        "Dir::State::lists": lists,
        "Dir::Cache::srcpkgcache": "",
        "Dir::Cache::pkgcache": "",
        "APT::Sandbox::User": "",
    }
    settings = [f"-o{name}={value}" for name, value in options.items()]
    done = subprocess.run(
        ["apt-get", "-qq", *settings, *arguments],
        cwd=cwd, check=True, stdout=subprocess.PIPE, text=True,
    )  # fmt: skip
    return done.stdout


def _use_entries_of_this_machine(folder: Path, kind: str) -> None:
    """Entries for packages (`deb`), or for sources (`deb-src`) made from them."""
    target = folder / "sources.list.d"
    target.mkdir(parents=True, exist_ok=True)
    etc = Path("/etc/apt")
    for path in [*etc.glob("sources.list"), *etc.glob("sources.list.d/*")]:
        # Whole entries; mirrors keep the sources of a release, not of each security update.
        entries = re.split(r"\n{2,}|\n(?=deb)", path.read_text())
        text = "\n\n".join(e for e in entries if "debian" in e and "security" not in e)
        if not text:
            continue
        made = re.sub(r"^Types: .*", f"Types: {kind}", text, flags=re.MULTILINE)
        (target / path.name).write_text(re.sub(r"^deb ", f"{kind} ", made, flags=re.MULTILINE))


def _update(folder: Path, kind: str) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    if not (folder / "apt").exists():
        _use_entries_of_this_machine(folder, kind)
        _apt(folder, "update", cwd=folder)


def fetch(package: str, folder: Path, place: Path, *options: str) -> None:
    """Runs `apt-get source` in `place`; lists are kept in `folder`."""
    _update(folder, "deb-src")
    place.mkdir(parents=True, exist_ok=True)
    _apt(folder, "source", *options, package, cwd=place)


def unpack(packages: list[str], folder: Path, root: Path) -> None:
    """Unpacks packages below `root`, with those they need that this machine lacks; none of their
    scripts run. Lists and packages are kept in `folder`."""
    _update(folder, "deb")
    listed = _apt(
        folder, "-oDebug::NoLocking=1", "install", "--reinstall", "--no-install-recommends",
        "--print-uris", *packages, cwd=folder,
    )  # fmt: skip
    names = [
        word.split("_", 1)[0] for word in re.findall(r"^'\S+' (\S+\.deb) ", listed, re.MULTILINE)
    ]
    _apt(folder, "download", *names, cwd=folder)
    root.mkdir(parents=True, exist_ok=True)
    for archive in sorted(folder.glob("*.deb")):
        subprocess.run(["dpkg-deb", "-x", archive, root], check=True)
