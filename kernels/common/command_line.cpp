// SPDX-License-Identifier: Apache-2.0
#include "common/command_line.hpp"

#include <CLI/CLI.hpp>
#include <cstdlib>

namespace kernels {

struct CommandLine::Parser {
  explicit Parser(const std::string& text) : app(text) {}

  CLI::Option* add(const std::string& name, const Value& value, const std::string& text) {
    return std::visit([&](auto* variable) { return app.add_option(name, *variable, text); }, value);
  }

  CLI::App app;
};

CommandLine::CommandLine(const std::string& text) : parser_(std::make_unique<Parser>(text)) {}

CommandLine::~CommandLine() {
  if (json_ != nullptr) std::fclose(json_);
}

void CommandLine::add(const std::string& name, Value value, const std::string& text) {
  parser_->add(name, value, text);
}

void CommandLine::add_number(const std::string& name, Value value, const std::string& text,
                             std::int64_t least, std::int64_t largest) {
  parser_->add(name, value, text)->check(CLI::Range(least, largest));
}

void CommandLine::add_flag(const std::string& name, bool* value, const std::string& text) {
  parser_->app.add_flag(name, *value, text);
}

void CommandLine::add_json(const std::string& text) { add("--json", &json_path_, text); }

void CommandLine::parse(int argc, char** argv) {
  try {
    parser_->app.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    std::exit(parser_->app.exit(error));
  }
  if (json_path_.empty()) return;
  json_ = std::fopen(json_path_.c_str(), "w");
  if (json_ != nullptr) return;
  std::perror(json_path_.c_str());
  std::exit(1);
}

}  // namespace kernels
