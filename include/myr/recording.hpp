// SPDX-License-Identifier: Apache-2.0
//
// Part of myr.hpp: steps that repeat. A layer over myr_recording; docs/user/replay.md has examples.
//
//   myr::Recording sweep;
//   while (...) sweep.step([&] { ... myr::spawn(...) ... });
#pragma once

#include <myr/cxx20.hpp>

#include <myr/myr.hpp>

namespace myr::inline v0 {

// A step of the program that repeats: the same spawns with the same accesses in the same order. The
// first run is recorded, later ones are not analysed as long as they are the same. The result is
// that of the spawns by themselves in any case.
//
// Used by the task that made it, and by one step: a second step needs a recording of its own. Its
// end waits for the tasks of the step that are still running.
class Recording {
 public:
  explicit Recording(const void* site = __builtin_source_location())
      : site_(static_cast<const myr_site*>(site)), recording_(myr_recording_new_at(site_)) {}
  ~Recording() { myr_recording_free_at(recording_, site_); }
  Recording(const Recording&) = delete;
  Recording& operator=(const Recording&) = delete;

  // Calls spawns(), which spawns the tasks of the step. It may do anything else, too.
  template <class F>
  void step(F&& spawns, const void* site = __builtin_source_location()) {
    struct End {
      myr_recording recording;
      const myr_site* site;
      ~End() { myr_step_end_at(recording, site); }
    };
    const auto* const here = static_cast<const myr_site*>(site);
    myr_step_begin_at(recording_, here);
    const End end{recording_, here};
    static_cast<F&&>(spawns)();
  }

 private:
  const myr_site* site_;
  myr_recording recording_;
};

}  // namespace myr::inline v0
