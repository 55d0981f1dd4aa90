# SPDX-License-Identifier: Apache-2.0
"""A recipe for Conan 2, of the sources around it: `conan create packaging/conan`. The library and
the OpenMP library; the commands myr and myrcc are not in it, as their packages are Debian's.

`./dev conan` tries it.
"""

import re
import shutil
from pathlib import Path

from conan import ConanFile
from conan.tools.cmake import CMake, CMakeToolchain, cmake_layout
from conan.tools.files import copy

SOURCES = ("CMakeLists.txt", "LICENSE", "README.md", "CHANGELOG.md", "SECURITY.md")
FOLDERS = ("cmake", "docs", "examples", "include", "packaging", "src", "tools")


class Myrmidon(ConanFile):
    name = "myrmidon"
    license = "Apache-2.0"
    description = "Task runtime that finds dependences at run time"
    package_type = "shared-library"
    settings = "os", "arch", "compiler", "build_type"

    def set_version(self) -> None:
        header = Path(self.recipe_folder, "../../include/myr/version.h").read_text()
        parts = re.findall(r"define MYR_VERSION_(?:MAJOR|MINOR|PATCH) (\d+)", header)
        self.version = ".".join(parts)

    def export_sources(self) -> None:
        root = Path(self.recipe_folder, "../..")
        target = Path(self.export_sources_folder)
        for name in SOURCES:
            shutil.copy(root / name, target)
        for name in FOLDERS:  # Conan's own copy() would walk through all that has been built
            copy(self, "*", root / name, target / name, excludes="*__pycache__*")

    def layout(self) -> None:
        cmake_layout(self)

    def generate(self) -> None:
        toolchain = CMakeToolchain(self)
        toolchain.variables["MYR_TRANSLATE"] = False
        toolchain.variables["MYR_FORTRAN"] = False
        toolchain.variables["CMAKE_DISABLE_FIND_PACKAGE_CLI11"] = True
        toolchain.generate()

    def build(self) -> None:
        cmake = CMake(self)
        cmake.configure()
        cmake.build()

    def package(self) -> None:
        copy(self, "LICENSE", self.source_folder, Path(self.package_folder, "licenses"))
        CMake(self).install()

    def package_info(self) -> None:
        # CMake finds what Myrmidon itself installs; others get the shared library.
        self.cpp_info.set_property("cmake_find_mode", "none")
        self.cpp_info.builddirs = ["lib/cmake/myrmidon"]
        self.cpp_info.libs = ["myrmidon-tasks", "myrmidon"]
        self.cpp_info.set_property("pkg_config_name", "myrmidon")
