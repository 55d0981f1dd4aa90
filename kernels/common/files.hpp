// SPDX-License-Identifier: Apache-2.0
//
// The files that kernels read and write: plain values one behind the other, in the byte order of
// this computer.
//
// Errors: std::runtime_error with the file's name, which the frame's main() prints.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <functional>
#include <ostream>
#include <stdexcept>
#include <string>
#include <system_error>
#include <vector>

namespace kernels {

[[nodiscard]] inline std::ifstream open_file(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  if (!file) throw std::runtime_error("cannot read " + path);
  return file;
}

// The whole file as values of one type; what is left of it at the end counts as an error.
template <class Value>
[[nodiscard]] std::vector<Value> read_file(const std::string& path) {
  std::ifstream file = open_file(path);
  std::error_code error;
  const std::uintmax_t bytes = std::filesystem::file_size(path, error);
  if (error) throw std::runtime_error("cannot read " + path);  // such as a folder
  if (bytes % sizeof(Value) != 0) {
    throw std::runtime_error(path + " has " + std::to_string(bytes) +
                             " bytes, which must be a multiple of " +
                             std::to_string(sizeof(Value)));
  }
  std::vector<Value> values(bytes / sizeof(Value));
  file.read(reinterpret_cast<char*>(values.data()), static_cast<std::streamsize>(bytes));
  if (!file) throw std::runtime_error(path + " ends too early");
  return values;
}

template <class Value>
void put(std::ostream& file, const Value* first, std::size_t count = 1) {
  file.write(reinterpret_cast<const char*>(first),
             static_cast<std::streamsize>(count * sizeof(Value)));
}

// Makes the file of what `write` puts into it.
inline void write_file(const std::string& path, const std::function<void(std::ostream&)>& write) {
  std::ofstream file(path, std::ios::binary);
  write(file);
  file.close();
  if (!file) throw std::runtime_error("cannot write " + path);
}

}  // namespace kernels
