// SPDX-License-Identifier: Apache-2.0
#include "omp/kmp_settings.hpp"

#include <strings.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <iterator>
#include <string>
#include <string_view>

#include "omp/settings.hpp"

namespace myr::omp {

namespace {

bool is_set(const char* name) noexcept { return std::getenv(name) != nullptr; }

bool is_word(std::string_view text, std::string_view word) noexcept {
  return text.size() == word.size() && strncasecmp(text.data(), word.data(), word.size()) == 0;
}

// A number of threads, as the OMP_ variable of the same meaning has it.
template <class Set>
void read_limit(const char* name, const char* omp_name, Set set) {
  const char* text = std::getenv(name);
  if (text == nullptr || is_set(omp_name)) return;
  char* end = nullptr;
  const long number = std::strtol(text, &end, 10);
  if (end == text || *end != 0 || number < 1 || number > 0x7fffffff) return complain(name, text);
  set(static_cast<std::uint32_t>(number));
}

// How long a thread spins before it sleeps: 0, `infinite`, or some milliseconds, which is what
// threads find out themselves here.
void read_block_time() {
  const char* text = std::getenv("KMP_BLOCKTIME");
  if (text == nullptr || is_set("OMP_WAIT_POLICY")) return;
  if (is_word(text, "infinite")) {
    settings.wait_policy = 1;
    return;
  }
  char* end = nullptr;
  const double time = std::strtod(text, &end);
  if (end == text || time < 0) return complain("KMP_BLOCKTIME", text);
  if (time == 0) settings.wait_policy = 0;
}

void read_library() {
  const char* text = std::getenv("KMP_LIBRARY");
  if (text == nullptr) return;
  if (is_word(text, "turnaround")) {
    if (!is_set("OMP_WAIT_POLICY")) settings.wait_policy = 1;
  } else if (is_word(text, "serial")) {
    settings.icv.thread_limit = 1;
  } else if (!is_word(text, "throughput")) {
    complain("KMP_LIBRARY", text);
  }
}

// The list of `proclist=[...]` as OMP_PLACES has it: numbers, sets in braces, and ranges a-b.
std::string places_of(std::string_view list) {
  std::string places;
  while (!list.empty()) {
    const std::size_t end =
        list.front() == '{' ? list.find('}') + 1 : std::min(list.find(','), list.size());
    const std::string item(list.substr(0, end));
    unsigned first = 0;
    unsigned last = 0;
    const bool is_range = std::sscanf(item.c_str(), "%u-%u", &first, &last) == 2 && first <= last;
    if (!places.empty()) places += ',';
    char range[48];
    std::snprintf(range, sizeof range, "{%u}:%u", first, last - first + 1);
    places += is_range ? range : item.c_str();
    list.remove_prefix(std::min(end == 0 ? list.size() : end + 1, list.size()));
  }
  return places;
}

// A word of KMP_AFFINITY. False: it is none.
bool use_affinity_word(std::string_view word) {
  struct Granularity {
    const char* name;
    const char* places;
  };
  static constexpr Granularity kGranularities[] = {{"granularity=fine", "threads"},
                                                   {"granularity=thread", "threads"},
                                                   {"granularity=core", "cores"},
                                                   {"granularity=socket", "sockets"},
                                                   {"granularity=package", "sockets"},
                                                   {"granularity=numa", "numa_domains"},
                                                   {"granularity=numa_domain", "numa_domains"},
                                                   {"granularity=ll_cache", "ll_caches"}};
  for (const auto& [name, places] : kGranularities) {
    if (is_word(word, name)) return settings.places = places, true;
  }
  constexpr std::string_view kList = "proclist=[";
  if (word.starts_with(kList) && word.ends_with(']')) {
    word.remove_prefix(kList.size());
    word.remove_suffix(1);
    settings.places = strdup(places_of(word).c_str());
    settings.icv.bind = kBindClose;
    return true;
  }
  for (const char* known : {"verbose", "noverbose", "warnings", "nowarnings", "respect",
                            "norespect", "reset", "noreset", "none", "disabled", "explicit"}) {
    if (is_word(word, known)) return true;
  }
  const bool is_spread = is_word(word, "scatter") || is_word(word, "balanced");
  if (is_spread || is_word(word, "compact")) {
    settings.icv.bind = is_spread ? kBindSpread : kBindClose;
    return true;
  }
  // By how much numbers are shifted: not honoured.
  return std::all_of(word.begin(), word.end(), [](char c) { return c >= '0' && c <= '9'; });
}

void read_affinity() {
  const char* text = std::getenv("KMP_AFFINITY");
  if (text == nullptr || is_set("OMP_PROC_BIND") || is_set("OMP_PLACES")) return;
  std::string_view left = text;
  while (!left.empty()) {
    const std::size_t list = left.find('[');
    std::size_t end = std::min(left.find(','), left.size());
    if (list < end) end = std::min(left.find(']'), left.size() - 1) + 1;
    if (!use_affinity_word(left.substr(0, end))) return complain("KMP_AFFINITY", text);
    left.remove_prefix(std::min(end + 1, left.size()));
  }
  const bool is_off =
      strcasestr(text, "none") != nullptr || strcasestr(text, "disabled") != nullptr;
  if (is_off || settings.icv.bind == kBindFalse) {  // a granularity alone binds nothing
    settings.icv.bind = kBindFalse;
    settings.places = nullptr;
  } else if (settings.places == nullptr) {
    settings.places = "cores";
  }
}

// Those that are read here or in settings.cpp, and those that say nothing about the results, speed
// or processors of a program.
constexpr const char* kNotIgnored[] = {
    "KMP_AFFINITY",         "KMP_ALL_THREADS",  "KMP_BLOCKTIME",          "KMP_DEVICE_THREAD_LIMIT",
    "KMP_LIBRARY",          "KMP_STACKSIZE",    "KMP_TEAMS_THREAD_LIMIT", "KMP_WARNINGS",
    "KMP_DUPLICATE_LIB_OK", "KMP_INIT_AT_FORK", "KMP_SETTINGS",           "KMP_VERSION"};

void name_ignored() {
  const char* warnings = std::getenv("KMP_WARNINGS");
  if (warnings != nullptr &&
      (is_word(warnings, "0") || is_word(warnings, "false") || is_word(warnings, "off")))
    return;
  for (char** at = environ; at != nullptr && *at != nullptr; ++at) {
    const std::string_view variable = *at;
    const std::string_view name = variable.substr(0, variable.find('='));
    if (!name.starts_with("KMP_")) continue;
    if (std::find(std::begin(kNotIgnored), std::end(kNotIgnored), name) != std::end(kNotIgnored))
      continue;
    std::fprintf(stderr, "\nlibgomp: The environment variable %.*s is ignored\n",
                 static_cast<int>(name.size()), name.data());
  }
}

}  // namespace

void read_kmp_variables() {
  read_limit("KMP_ALL_THREADS", "OMP_THREAD_LIMIT",
             [](std::uint32_t n) { settings.icv.thread_limit = n; });
  read_limit("KMP_DEVICE_THREAD_LIMIT", "OMP_THREAD_LIMIT",
             [](std::uint32_t n) { settings.icv.thread_limit = n; });
  read_limit("KMP_TEAMS_THREAD_LIMIT", "OMP_TEAMS_THREAD_LIMIT",
             [](std::uint32_t n) { settings.teams_thread_limit = static_cast<int>(n); });
  read_block_time();
  read_library();
  read_affinity();
  name_ignored();
}

}  // namespace myr::omp
