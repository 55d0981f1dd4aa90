// SPDX-License-Identifier: Apache-2.0
#include "explore/site.hpp"

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <set>
#include <string>
#include <string_view>

#include "base/format.hpp"

namespace myr::explore {
namespace {

constexpr const char* kNames[] = {"relaxed", "acquire", "release", "acq_rel", "seq_cst"};
constexpr std::string_view kNothing = "nothing";

std::string name_of(const Site& site, Role role) {
  return base::format("{}:{}:{}{}", site.file_name(), site.line(), site.column(),
                      role == Role::Failure ? ":failure" : "");
}

// Writes the sites when the program ends.
class SiteList {
 public:
  explicit SiteList(const char* path) : path_(path) {}
  SiteList(const SiteList&) = delete;
  SiteList& operator=(const SiteList&) = delete;
  ~SiteList() {
    if (path_ == nullptr) return;
    std::FILE* file = std::fopen(path_, "w");
    if (file == nullptr) return;
    for (const std::string& line : lines_) std::fprintf(file, "%s\n", line.c_str());
    std::fclose(file);
  }
  void add(const Site& site, Role role, const char* what) {
    if (path_ != nullptr) lines_.insert(base::format("{} {}", name_of(site, role), what));
  }

 private:
  const char* path_;
  std::set<std::string> lines_;
};

void note_site(const Site& site, Role role, const char* what) {
  static SiteList list(std::getenv("MYR_SITES"));
  list.add(site, role, what);
}

// What MYR_WEAKEN says: SITE=ORDER.
struct Fault {
  Fault() {
    const char* text = std::getenv("MYR_WEAKEN");
    if (text == nullptr) return;
    const std::string_view all = text;
    const std::size_t equals = all.find('=');
    if (equals == std::string_view::npos) return;
    site = all.substr(0, equals);
    order = all.substr(equals + 1);
    const std::size_t colon = site.find(':');
    if (colon != std::string_view::npos) {
      line = static_cast<unsigned>(std::atoi(site.data() + colon + 1));
    }
  }
  [[nodiscard]] bool is_at(const Site& at, Role role) const {
    return line == at.line() && name_of(at, role).ends_with(site);
  }
  std::string_view site;
  std::string_view order;
  unsigned line = 0;  // of the site: compared first; 0: there is no fault
};

const Fault& fault() {
  static const Fault planted;
  return planted;
}

}  // namespace

Order order_at(const Site& site, Order order, Role role) {
  if (order == Order::relaxed) return order;
  note_site(site, role, kNames[static_cast<unsigned>(order)]);
  if (!fault().is_at(site, role)) return order;
  for (unsigned i = 0; i < std::size(kNames); ++i) {
    if (fault().order == kNames[i]) return static_cast<Order>(i);
  }
  return order;
}

bool is_left_out(const Site& site, const char* what) {
  note_site(site, Role::Operation, what);
  return fault().is_at(site, Role::Operation) && fault().order == kNothing;
}

}  // namespace myr::explore
