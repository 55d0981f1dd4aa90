# SPDX-License-Identifier: Apache-2.0
"""Packages that only a few kernels need, fetched when such a kernel is run."""

import shutil
import subprocess
import sys
import tempfile
from importlib import metadata
from pathlib import Path


def require(requirements: Path) -> None:
    """Installs the packages of a list, without those that they ask for, unless they are there."""
    if all(_is_installed(line) for line in requirements.read_text().splitlines()):
        return
    command = [sys.executable, "-m", "pip", "install", "-q", "--disable-pip-version-check"]
    print(f"installing what {requirements} lists", file=sys.stderr, flush=True)
    subprocess.run([*command, "--no-deps", "-r", requirements], check=True)


def _is_installed(line: str) -> bool:
    name, _, version = line.partition("==")
    if line.startswith("#"):
        return True
    try:
        return metadata.version(name) == version
    except metadata.PackageNotFoundError:
        return False


def copy_from_debian(package: str, files: str, folder: Path) -> None:
    """Copies the files of a Debian package that match into a folder; nothing is installed."""
    print(f"fetching files of Debian's package {package}", file=sys.stderr, flush=True)
    with tempfile.TemporaryDirectory() as scratch:
        options = {"cwd": scratch, "check": True, "stdout": sys.stderr}
        # apt-get would warn that its own user has no right to write here.
        quiet = ["-o", "APT::Sandbox::User=root"]
        subprocess.run(["apt-get", "-qq", *quiet, "download", package], **options)
        subprocess.run(["dpkg-deb", "-x", next(Path(scratch).glob("*.deb")), "files"], **options)
        folder.mkdir(parents=True, exist_ok=True)
        for file in Path(scratch, "files").glob(files):
            shutil.copy(file, folder)
