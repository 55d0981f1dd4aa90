// SPDX-License-Identifier: Apache-2.0
//
// main() of all kernels: calls the kernel's own, and says why it gave up.
#include <cstdio>
#include <filesystem>
#include <stdexcept>

#include "common/program.hpp"

int main(int argc, char** argv) {
  try {
    return kernel_main(argc, argv);
  } catch (const std::runtime_error& error) {
    const std::string name = std::filesystem::path(argv[0]).filename();
    std::fprintf(stderr, "%s: %s\n", name.c_str(), error.what());
    return 2;
  }
}
