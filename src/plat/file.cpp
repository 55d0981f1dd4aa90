// SPDX-License-Identifier: Apache-2.0
#include "plat/file.hpp"

#include <fstream>
#include <vector>

namespace myr::plat {

std::string read_file(const std::string& path) {
  constexpr std::size_t kChunk = std::size_t{1} << 18;
  std::string bytes;
  std::ifstream file(path, std::ios::binary);
  std::vector<char> chunk(kChunk);
  while (file) {
    file.read(chunk.data(), kChunk);
    bytes.append(chunk.data(), static_cast<std::size_t>(file.gcount()));
  }
  return bytes;
}

}  // namespace myr::plat
