# SPDX-License-Identifier: Apache-2.0
"""What `conan create` does with the package: a project that uses it is built, and its programs run."""

import os

from conan import ConanFile
from conan.tools.build import can_run
from conan.tools.cmake import CMake, cmake_layout


class Use(ConanFile):
    settings = "os", "arch", "compiler", "build_type"
    generators = "CMakeToolchain", "VirtualRunEnv"

    def requirements(self) -> None:
        self.requires(self.tested_reference_str)

    def layout(self) -> None:
        cmake_layout(self)

    def build(self) -> None:
        cmake = CMake(self)
        cmake.configure()
        cmake.build()

    def test(self) -> None:
        if can_run(self):
            for name in ("use_shared", "use_static"):
                program = os.path.join(self.cpp.build.bindir, name)  # with its ./, for the shell
                self.run(f'"{program}"', env="conanrun")
