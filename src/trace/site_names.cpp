// SPDX-License-Identifier: Apache-2.0
#include "trace/site_names.hpp"

#include "base/format.hpp"

namespace myr::trace {

std::string_view bare_function(std::string_view signature) {
  // Up to the parameters, which are in the first parenthesis outside of < > and behind a name.
  std::size_t begin = 0;
  std::size_t end = signature.size();
  int depth = 0;
  for (std::size_t i = 0; i < end; ++i) {
    const char c = signature[i];
    if (c == '(' && depth == 0 && i > begin) {
      end = i;
    } else if (c == '<' || c == '(') {
      depth += 1;
    } else if (c == '>' || c == ')') {
      depth -= 1;
    } else if (depth == 0 && (c == ' ' || c == ':' || c == '*' || c == '&')) {
      begin = i + 1;
    }
  }
  return signature.substr(begin, end - begin);
}

std::string SiteText::text() const {
  return function.empty() ? place : base::format("{} ({})", function, place);
}

SiteText describe(const myr_site* site) {
  if (site == nullptr || site->file == nullptr) return {.function = "", .place = "unknown place"};
  std::string_view file = site->file;
  file.remove_prefix(file.find_last_of('/') + 1);  // npos + 1 is 0
  const std::string_view function = site->function == nullptr ? "" : site->function;
  return {.function = std::string(bare_function(function)),
          .place = site->line == 0 ? std::string(file) : base::format("{}:{}", file, site->line)};
}

std::size_t SiteNames::index_of(const myr_site* site) {
  const auto [entry, is_new] = by_site_.try_emplace(site, 0);
  if (is_new) {
    const auto [named, is_new_name] = by_name_.try_emplace(describe(site).text(), names_.size());
    if (is_new_name) names_.push_back(named->first);
    entry->second = named->second;
  }
  return entry->second;
}

}  // namespace myr::trace
