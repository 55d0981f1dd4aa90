// SPDX-License-Identifier: Apache-2.0
#include "cli/program_file.hpp"

#include <elf.h>
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <optional>
#include <string_view>
#include <vector>

#include "cli/shell.hpp"
#include "plat/file.hpp"

namespace myr::cli {

namespace {

std::string contents_of(const std::string& path) {
  std::error_code error;
  if (!std::filesystem::is_regular_file(path, error)) return {};
  return plat::read_file(path);
}

bool contains(const std::string& path, std::string_view text) {
  return contents_of(path).find(text) != std::string::npos;
}

struct Program {
  std::string loader;  // empty: it is linked statically
};

// Nothing: not one of this computer's programs, perhaps a script.
std::optional<Program> read_program(const std::string& path) {
  const std::string bytes = contents_of(path);
  Elf64_Ehdr head{};
  if (bytes.size() < sizeof head) return {};
  std::memcpy(&head, bytes.data(), sizeof head);
  if (std::memcmp(head.e_ident, ELFMAG, SELFMAG) != 0 || head.e_ident[EI_CLASS] != ELFCLASS64) {
    return {};
  }
  Program program;
  for (unsigned i = 0; i < head.e_phnum; ++i) {
    Elf64_Phdr part{};
    const std::size_t offset = head.e_phoff + i * sizeof part;
    if (offset + sizeof part > bytes.size()) return {};
    std::memcpy(&part, bytes.data() + offset, sizeof part);
    if (part.p_type != PT_INTERP) continue;
    if (part.p_offset >= bytes.size()) return {};
    program.loader = bytes.c_str() + part.p_offset;
  }
  return program;
}

// The files that the loader would load, without running the program.
std::vector<std::string> libraries_of(const Program& program, const std::string& path) {
  std::vector<std::string> files;
  const std::string command =
      shell_word(program.loader) + " --list " + shell_word(path) + " 2>/dev/null";
  std::FILE* const list = popen(command.c_str(), "r");
  if (list == nullptr) return files;
  char line[4096];
  while (std::fgets(line, sizeof line, list) != nullptr) {  // NAME => FILE (ADDRESS)
    const std::string_view text(line);
    const std::size_t begin = text.find('/');
    const std::size_t end = text.rfind(" (");
    if (begin < end && end != std::string_view::npos) {
      files.emplace_back(text.substr(begin, end - begin));
    }
  }
  pclose(list);
  return files;
}

std::string_view name_of(std::string_view path) { return path.substr(path.rfind('/') + 1); }

// Whether the program or one of its libraries, except for the C library, calls dlopen().
bool may_load_more(const std::string& path, const std::vector<std::string>& files) {
  using namespace std::string_view_literals;
  const auto calls_it = [](const std::string& file) {
    const std::string_view name = name_of(file);
    return !name.starts_with("libc.so") && !name.starts_with("ld-linux") &&
           contains(file, "\0dlopen\0"sv);
  };
  return calls_it(path) || std::any_of(files.begin(), files.end(), calls_it);
}

}  // namespace

std::string path_of(const std::string& program) {
  if (program.find('/') != std::string::npos) {
    return access(program.c_str(), X_OK) == 0 ? program : "";
  }
  const char* const path = std::getenv("PATH");
  std::string_view left = path == nullptr ? "" : path;
  while (!left.empty()) {
    const std::size_t end = std::min(left.find(':'), left.size());
    std::string file = fmt::format("{}/{}", left.substr(0, end), program);
    if (access(file.c_str(), X_OK) == 0) return file;
    left.remove_prefix(std::min(end + 1, left.size()));
  }
  return "";
}

std::string why_myrmidon_is_not_used(const std::string& path) {
  constexpr std::string_view kText = "myrmidon: error";  // in each copy of the library
  const auto program = read_program(path);
  if (!program || contains(path, kText)) return "";
  if (!program->loader.empty()) {
    const auto files = libraries_of(*program, path);
    const auto has_it = [](const std::string& file) { return contains(file, kText); };
    if (files.empty() || std::any_of(files.begin(), files.end(), has_it)) return "";
    if (may_load_more(path, files)) return "";
  }
  return fmt::format("{} does not use Myrmidon: it runs as it does without `myr run`", path);
}

std::string why_openmp_is_not_used(const std::string& path) {
  const auto program = read_program(path);
  if (!program) return "";
  if (program->loader.empty()) {
    return fmt::format(
        "{} is linked statically, where Myrmidon's OpenMP library does not reach: it runs as it "
        "does without `myr omp`",
        path);
  }
  const auto files = libraries_of(*program, path);
  const auto is_openmp = [](const std::string& file) {
    const std::string_view name = name_of(file);
    return name.starts_with("libgomp.so") || name.starts_with("libomp.so");
  };
  if (files.empty() || std::any_of(files.begin(), files.end(), is_openmp)) return "";
  if (may_load_more(path, files)) return "";
  return fmt::format("{} loads neither libgomp nor libomp: it runs as it does without `myr omp`",
                     path);
}

}  // namespace myr::cli
