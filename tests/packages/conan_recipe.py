# SPDX-License-Identifier: Apache-2.0
"""Tries the recipe for Conan: `conan create` builds the package, then a project that uses it.

All that Conan keeps is in build/conan. Takes some minutes; needs what tools/setup installs.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
HOME = ROOT / "build/conan"
RECIPE = ROOT / "packaging/conan"


def main() -> int:
    conan = Path(sys.executable).with_name("conan")
    shutil.rmtree(HOME, ignore_errors=True)
    environment = os.environ | {"CONAN_HOME": str(HOME)}
    # Else what is made of the project lies in the recipe's folder.
    settings = {
        "tools.cmake.cmake_layout:test_folder": HOME / "test",
        "tools.cmake.cmaketoolchain:user_presets": "",
    }
    options = [word for name, value in settings.items() for word in ("-c:a", f"{name}={value}")]
    for words in (("profile", "detect"), ("create", str(RECIPE), "--no-remote", *options)):
        subprocess.run([str(conan), *words], env=environment, check=True)
    print("the recipe makes a package, and a project uses it")
    return 0


if __name__ == "__main__":
    sys.exit(main())
