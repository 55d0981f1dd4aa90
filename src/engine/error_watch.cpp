// SPDX-License-Identifier: Apache-2.0
#include "engine/error_watch.hpp"

#include <algorithm>
#include <mutex>
#include <vector>

#include "base/refusal.hpp"

namespace myr::engine {

namespace {

struct Watched {
  std::mutex lock;
  std::vector<base::SharedFlag*> flags;
};
Watched*& the_watched() {
  static auto* watched = new Watched;  // outlives every static destructor of the program
  return watched;
}

}  // namespace

ErrorWatch::ErrorWatch(base::SharedFlag& flag) : flag_(&flag) {
  Watched& all = *the_watched();
  const std::scoped_lock lock(all.lock);
  all.flags.push_back(flag_);
  if (base::has_error_handler()) flag.raise();
}

ErrorWatch::~ErrorWatch() {
  Watched& all = *the_watched();
  const std::scoped_lock lock(all.lock);
  std::erase(all.flags, flag_);
}

void ErrorWatch::begin() {
  Watched& all = *the_watched();
  const std::scoped_lock lock(all.lock);
  for (base::SharedFlag* const flag : all.flags) flag->raise();
}

void ErrorWatch::forget() { the_watched() = new Watched; }

}  // namespace myr::engine
