# SPDX-License-Identifier: Apache-2.0
"""What the scripts that draw a kernel's picture have in common: measuring the kernel first, letting
it write the data of the picture, and where the picture goes."""

import os
import subprocess
import sys
import tempfile
from pathlib import Path

NO_PICTURE = {"-h", "--help", "--json"}


def program(kernel: str) -> Path:
    return (Path(os.environ.get("MYR_BIN", "build/release/bin")) / f"kernel_{kernel}").resolve()


def path_of(name: str) -> Path:
    out = Path(os.environ.get("MYR_OUT", "out"))
    out.mkdir(parents=True, exist_ok=True)
    return out / name


def measure(kernel: str, options: list[str]) -> None:
    """Runs the kernel. Ends this script like it if that fails or is to draw nothing."""
    status = subprocess.run([program(kernel), *options], check=False).returncode
    if status != 0 or any(option.split("=")[0] in NO_PICTURE for option in options):
        sys.exit(status)


def written_by(kernel: str, options: list[str]) -> bytes:
    """What the kernel writes to a file whose name follows its options."""
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "data"
        command = [program(kernel), *options, file]
        subprocess.run(command, check=True, stdout=subprocess.DEVNULL)
        return file.read_bytes()
