# SPDX-License-Identifier: Apache-2.0
"""Builds the wheel by pip against a build of the library, installs it into a new virtual
environment, and runs the tests of this folder there.

Usage: wheel.py BUILD_FOLDER [PATTERN]

The Python that runs this has what tools/requirements-python.txt lists; the new environment sees
these packages, so that nothing is downloaded.
"""

import os
import site
import subprocess
import sys
import sysconfig
import venv
from pathlib import Path
from tempfile import TemporaryDirectory

TESTS = Path(__file__).parent
PACKAGE = TESTS.parent


def call(*command: object, **variables: str) -> None:
    words = [str(word) for word in command]
    done = subprocess.run(
        words,
        env=os.environ | variables,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        check=False,
    )
    if done.returncode != 0:
        sys.exit(f"this failed: {' '.join(words)}\n{done.stdout}")


def build_wheel(build: Path, folder: Path) -> Path:
    call("cmake", "--install", build, "--prefix", folder / "library")
    call(
        sys.executable,
        "-m",
        "pip",
        "wheel",
        "--no-deps",
        "--no-build-isolation",
        "--no-index",
        "--disable-pip-version-check",
        "--wheel-dir",
        folder,
        f"--config-settings=cmake.define.MYR_PYTHON_LIBRARY={folder / 'library'}",
        "--config-settings=cmake.define.CMAKE_CXX_COMPILER_LAUNCHER=ccache",
        f"--config-settings=build-dir={build / 'python'}",
        PACKAGE,
    )
    return next(folder.glob("myrmidon-*.whl"))


def new_environment(wheel: Path, folder: Path) -> Path:
    venv.create(folder, with_pip=False, symlinks=True)
    python = folder / "bin" / "python"
    packages = next((folder / "lib").glob("python3.*")) / "site-packages"
    for number, path in enumerate([sysconfig.get_path("purelib"), *site.getsitepackages()]):
        (packages / f"outer{number}.pth").write_text(f"{path}\n")
    call(
        sys.executable,
        "-m",
        "pip",
        "--python",
        python,
        "install",
        "--no-deps",
        "--no-index",
        "--disable-pip-version-check",
        wheel,
    )
    return python


def main() -> None:
    build = Path(sys.argv[1]).resolve()
    pattern = sys.argv[2] if len(sys.argv) > 2 else "test_*.py"
    with TemporaryDirectory() as name:
        folder = Path(name)
        python = new_environment(build_wheel(build, folder), folder / "environment")
        done = subprocess.run(
            [python, "-m", "unittest", "discover", "-s", TESTS, "-p", pattern],
            cwd=folder,
            check=False,
        )
        sys.exit(done.returncode)


if __name__ == "__main__":
    main()
