// SPDX-License-Identifier: Apache-2.0
#include "cli/launch.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <filesystem>

#include "cli/tree.hpp"

namespace myr::cli {

namespace {

// The value with a word before what the variable holds now.
std::string put_first(const std::string& word, const char* variable) {
  const char* others = std::getenv(variable);
  return others == nullptr || *others == 0 ? word : fmt::format("{}:{}", word, others);
}

}  // namespace

std::vector<Variable> environment_of(const RunOptions& options) {
  std::vector<Variable> variables;
  if (options.machine) variables.emplace_back("MYR_ON", *options.machine);
  if (options.stats) variables.emplace_back("MYR_STATS", options.stats_as_json ? "json" : "1");
  if (!options.mistakes_file.empty()) {
    variables.emplace_back("MYR_CHECK_JSON", options.mistakes_file);
  }
  if (options.wasted) variables.emplace_back("MYR_CHECK_WASTED", "1");
  if (!options.suppressions_file.empty()) {
    variables.emplace_back("MYR_CHECK_SUPPRESSIONS", options.suppressions_file);
  }
  if (!options.trace_file.empty()) variables.emplace_back("MYR_TRACE", options.trace_file);
  if (!options.graph_file.empty()) variables.emplace_back("MYR_GRAPH", options.graph_file);
  if (!options.library.empty()) {
    // Because it is loaded first, the program finds its symbols, and finds it under the name
    // libgomp.so.1. As libomp.so.5 it is found in its folder.
    const std::filesystem::path library(options.library);
    variables.emplace_back("LD_PRELOAD", put_first(library.string(), "LD_PRELOAD"));
    variables.emplace_back("LD_LIBRARY_PATH",
                           put_first(library.parent_path().string(), "LD_LIBRARY_PATH"));
  }
  return variables;
}

namespace {

std::optional<std::string> text_of(const std::optional<std::filesystem::path>& path) {
  return path ? std::optional(path->string()) : std::nullopt;
}

}  // namespace

std::optional<std::string> find_openmp_library(bool observed) {
  if (observed) {
    return text_of(find_in_tree({"lib/openmp/observed/libgomp.so.1",
                                 MYR_LIBRARY_FOLDER "/myrmidon/observed/libgomp.so.1"}));
  }
  return text_of(
      find_in_tree({"lib/openmp/libgomp.so.1", MYR_LIBRARY_FOLDER "/myrmidon/libgomp.so.1"}));
}

std::optional<std::string> find_check_library() {
  return text_of(
      find_in_tree({"lib/check/libtsan.so.2", MYR_LIBRARY_FOLDER "/myrmidon/check/libtsan.so.2"}));
}

LaunchFailure no_such_program(const std::string& program) {
  const bool could_be_local =
      program.find('/') == std::string::npos && access(program.c_str(), X_OK) == 0;
  const std::string hint = could_be_local ? fmt::format("; did you mean ./{}?", program) : "";
  return {fmt::format("cannot run {}: no such program{}", program, hint), 127};
}

LaunchFailure launch(const RunOptions& options) {
  for (const auto& [name, value] : environment_of(options)) {
    setenv(name.c_str(), value.c_str(), /*overwrite=*/1);
  }
  std::vector<char*> arguments;
  for (const std::string& argument : options.command) {
    arguments.push_back(const_cast<char*>(argument.c_str()));
  }
  arguments.push_back(nullptr);
  execvp(arguments[0], arguments.data());

  const std::string& program = options.command.front();
  if (errno != ENOENT) {
    return {fmt::format("cannot run {}: {}", program, std::strerror(errno)), 126};
  }
  return no_such_program(program);
}

}  // namespace myr::cli
