# SPDX-License-Identifier: Apache-2.0
"""Fetches source packages from the machine's own Debian mirror; nothing else of the system is
changed. Needs apt-get."""

import re
import subprocess
from pathlib import Path


def _apt(folder: Path, *arguments: str, cwd: Path) -> None:
    """apt-get with lists and settings of its own, so that the system's stay as they are."""
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
    subprocess.run(
        ["apt-get", "-qq", *settings, *arguments], cwd=cwd, check=True, stdout=subprocess.DEVNULL
    )


def _use_sources_of_this_machine(folder: Path) -> None:
    """Entries for sources, made from those for packages."""
    target = folder / "sources.list.d"
    target.mkdir(parents=True, exist_ok=True)
    etc = Path("/etc/apt")
    for path in [*etc.glob("sources.list"), *etc.glob("sources.list.d/*")]:
        # Whole entries; mirrors keep the sources of a release, not of each security update.
        entries = re.split(r"\n{2,}|\n(?=deb)", path.read_text())
        text = "\n\n".join(e for e in entries if "debian" in e and "security" not in e)
        if not text:
            continue
        made = re.sub(r"^Types: .*", "Types: deb-src", text, flags=re.MULTILINE)
        (target / path.name).write_text(re.sub(r"^deb ", "deb-src ", made, flags=re.MULTILINE))


def fetch(package: str, folder: Path, place: Path, *options: str) -> None:
    """Runs `apt-get source` in `place`; lists are kept in `folder`."""
    folder.mkdir(parents=True, exist_ok=True)
    if not (folder / "apt").exists():
        _use_sources_of_this_machine(folder)
        _apt(folder, "update", cwd=folder)
    place.mkdir(parents=True, exist_ok=True)
    _apt(folder, "source", *options, package, cwd=place)
