// SPDX-License-Identifier: Apache-2.0
//
// has_relevant_pragmas(): see relevant.hpp.

#include "translate/driver/relevant.hpp"

#include <filesystem>
#include <set>
#include <string_view>

#include "translate/driver/process.hpp"

namespace myr::translate {
namespace {

namespace fs = std::filesystem;

// The next word of a line, and moves past it.
std::string_view take_word(std::string_view& line) {
  const std::size_t begin = line.find_first_not_of(" \t#");
  if (begin == std::string_view::npos) return {};
  const std::size_t end = std::min(line.find_first_of(" \t\r\"<(", begin), line.size());
  const std::string_view word = line.substr(begin, end - begin);
  line.remove_prefix(end);
  return word;
}

class Search {
 public:
  explicit Search(const Command& command) {
    for (std::size_t i = 0; i < command.words.size(); ++i) {
      const std::string& word = command.words[i];
      for (const std::string_view option : {"-I", "-iquote", "-isystem"}) {
        if (word == option && i + 1 < command.words.size()) folders_.emplace_back(command.words[i + 1]);
        if (word.starts_with(option) && word != option) folders_.emplace_back(word.substr(option.size()));
      }
    }
  }

  bool found_in(const fs::path& path, std::string_view text) {
    std::vector<std::string> included;
    for (std::size_t at = 0; at < text.size();) {
      const std::size_t end = std::min(text.find('\n', at), text.size());
      std::string_view line = text.substr(at, end - at);
      at = end + 1;
      if (line.find("_Pragma") != std::string_view::npos) return true;
      const std::size_t first = line.find_first_not_of(" \t");
      if (first == std::string_view::npos || line[first] != '#') continue;
      const std::string_view directive = take_word(line);
      if (directive == "pragma" && is_ours(line)) return true;
      if (directive == "include") included.emplace_back(line);
    }
    for (const std::string& line : included) {
      if (follow(path, line)) return true;
    }
    return false;
  }

 private:
  static bool is_ours(std::string_view rest) {
    const std::string_view whose = take_word(rest);
    if (whose == "myrmics" || whose == "\\") return true;
    return whose == "omp" && rest.find("task") != std::string_view::npos;
  }

  bool follow(const fs::path& from, std::string_view line) {
    const std::size_t open = line.find_first_of("\"<");
    if (open == std::string_view::npos) return true;  // a macro: no telling
    const std::size_t close = line.find_first_of("\">", open + 1);
    if (close == std::string_view::npos) return false;
    const std::string name(line.substr(open + 1, close - open - 1));
    if (line[open] == '"' && try_file(from.parent_path() / name)) return true;
    for (const fs::path& folder : folders_) {
      if (try_file(folder / name)) return true;
    }
    return false;
  }

  bool try_file(const fs::path& path) {
    std::error_code ignored;
    if (!fs::is_regular_file(path, ignored)) return false;
    if (!seen_.insert(fs::weakly_canonical(path, ignored).string()).second) return false;
    const auto text = read_file(path.string());
    return text && found_in(path, *text);
  }

  std::vector<fs::path> folders_;
  std::set<std::string> seen_;
};

}  // namespace

bool has_relevant_pragmas(const std::string& path, const std::string& text,
                          const Command& command) {
  return Search(command).found_in(path, text);
}

}  // namespace myr::translate
