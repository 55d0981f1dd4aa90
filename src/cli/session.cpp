// SPDX-License-Identifier: Apache-2.0
#include "cli/session.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "cli/shell.hpp"

namespace myr::cli {

namespace {

// The list without a folder. An empty entry is the working folder, and stays.
std::string without(std::string_view list, std::string_view folder) {
  std::string left;
  bool is_first = true;
  while (!list.empty()) {
    const std::size_t end = std::min(list.find(':'), list.size());
    const std::string_view entry = list.substr(0, end);
    if (entry != folder) {
      left += is_first ? "" : ":";
      left += entry;
      is_first = false;
    }
    list.remove_prefix(std::min(end + 1, list.size()));
  }
  return left;
}

}  // namespace

std::string session_lines(std::string_view folder, std::string_view search_path, Session session) {
  const std::string others = without(search_path, folder);
  if (session == Session::With) {
    const std::string path =
        others.empty() ? std::string(folder) : fmt::format("{}:{}", folder, others);
    return fmt::format(
        "# Nothing is changed yet. For this shell: eval \"$(myr omp --install)\"; for each: add "
        "the "
        "next line to ~/.profile.\nexport LD_LIBRARY_PATH={}\n",
        shell_word(path));
  }
  const std::string line =
      others.empty() ? "unset LD_LIBRARY_PATH" : "export LD_LIBRARY_PATH=" + shell_word(others);
  return fmt::format("# Nothing is changed yet. For this shell: eval \"$(myr omp --remove)\"\n{}\n",
                     line);
}

}  // namespace myr::cli
