// SPDX-License-Identifier: Apache-2.0
//
// The command line of a program that has no Program (program.hpp), and of benchmarks. CLI11 stays
// behind it: a file that includes CLI11 takes ten seconds to compile.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <memory>
#include <string>
#include <variant>
#include <vector>

namespace kernels {

class CommandLine {
 public:
  // What an option sets. It has to live until parse() returns, and holds the default before.
  using Value = std::variant<int*, unsigned*, std::int64_t*, std::size_t*, std::string*,
                             std::vector<std::string>*>;

  // `text` is what --help says first.
  explicit CommandLine(const std::string& text);
  ~CommandLine();

  // An option of any number or text.
  void add(const std::string& name, Value value, const std::string& text);
  // A number from `least`, or 1, to `largest`.
  void add_number(const std::string& name, Value value, const std::string& text, std::int64_t least,
                  std::int64_t largest);
  void add_count(const std::string& name, Value value, const std::string& text,
                 std::int64_t largest) {
    add_number(name, value, text, 1, largest);
  }
  // True if the option is there.
  void add_flag(const std::string& name, bool* value, const std::string& text);
  // `--json FILE`, and the file behind it, which is null without the option.
  void add_json(const std::string& text);

  // On a mistake, for --help, or when the file cannot be written, prints and ends the program.
  void parse(int argc, char** argv);

  // After parse(); closed by the destructor.
  [[nodiscard]] std::FILE* json() const { return json_; }

 private:
  struct Parser;
  std::unique_ptr<Parser> parser_;
  std::string json_path_;
  std::FILE* json_ = nullptr;
};

}  // namespace kernels
