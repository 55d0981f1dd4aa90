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
  std::vector<bool*> flags;
};
Watched*& the_watched() {
  static auto* watched = new Watched;  // outlives every static destructor of the program
  return watched;
}

void raise(bool& flag) { __atomic_store_n(&flag, true, __ATOMIC_RELAXED); }

}  // namespace

ErrorWatch::ErrorWatch(bool& flag) : flag_(&flag) {
  Watched& all = *the_watched();
  const std::scoped_lock lock(all.lock);
  all.flags.push_back(flag_);
  if (base::has_error_handler()) raise(flag);
}

ErrorWatch::~ErrorWatch() {
  Watched& all = *the_watched();
  const std::scoped_lock lock(all.lock);
  std::erase(all.flags, flag_);
}

void ErrorWatch::begin() {
  Watched& all = *the_watched();
  const std::scoped_lock lock(all.lock);
  for (bool* const flag : all.flags) raise(*flag);
}

void ErrorWatch::forget() { the_watched() = new Watched; }

}  // namespace myr::engine
