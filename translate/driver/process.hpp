// SPDX-License-Identifier: Apache-2.0
//
// Programs that myrcc starts, and the folder in which it hands them files.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "base/result.hpp"

namespace myr::translate {

// Prints an error of myrcc's own. Returns the exit status.
int fail(const std::string& text);

// Runs a program, found like a shell would, with our input and output. Returns its exit status, or
// 128 and the signal's number as shells do.
[[nodiscard]] base::Result<int> run_program(const std::vector<std::string>& words);

// Becomes another program. Returns only if that fails: why.
[[nodiscard]] base::Error become_program(const std::vector<std::string>& words);

// What a program prints on its standard output.
[[nodiscard]] base::Result<std::string> output_of(const std::vector<std::string>& words);

// An empty folder that goes away with its contents.
class TemporaryFolder {
 public:
  TemporaryFolder();  // ends the program if there can be none
  ~TemporaryFolder();
  TemporaryFolder(const TemporaryFolder&) = delete;
  TemporaryFolder& operator=(const TemporaryFolder&) = delete;
  [[nodiscard]] const std::filesystem::path& path() const noexcept { return path_; }

 private:
  std::filesystem::path path_;
};

[[nodiscard]] base::Result<std::string> read_file(const std::string& path);
[[nodiscard]] bool write_file(const std::filesystem::path& path, const std::string& text);

}  // namespace myr::translate
