// SPDX-License-Identifier: Apache-2.0
//
// The command line of a benchmark. CLI11 stays behind it: a file that includes CLI11 takes ten
// seconds to compile.
#pragma once

#include <cstdint>
#include <cstdio>
#include <memory>
#include <string>
#include <variant>

namespace myr::bench {

class CommandLine {
 public:
  // What an option sets. It has to live until parse() returns, and holds the default before.
  using Value = std::variant<int*, unsigned*, std::size_t*, std::string*>;

  // `text` is what --help says first.
  explicit CommandLine(const std::string& text);
  ~CommandLine();

  // An option of any number or text.
  void add(const std::string& name, Value value, const std::string& text);
  // A number from 1 to `largest`.
  void add_count(const std::string& name, Value value, const std::string& text, unsigned largest);
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

}  // namespace myr::bench
