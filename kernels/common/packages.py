# SPDX-License-Identifier: Apache-2.0
"""Python packages that only a few kernels need: installed when such a kernel is run."""

import subprocess
import sys
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
