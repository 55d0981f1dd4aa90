// SPDX-License-Identifier: Apache-2.0
//
// The part of Watch about what tasks have declared as out, and where that may be looked at.
#include <algorithm>

#include "check/watch.hpp"

namespace myr::check {

void Watch::add_outputs(const Task& task) {
  outputs_.begin(task.site == nullptr ? &kNowhere : task.site);
  if (task.stays) return;
  for (const Bytes& bytes : Outputs::only_written(task.accesses, task.access_count)) {
    const Bytes output = writable(bytes);
    const bool is_known = output.begin < output.end;
    if (!is_known || footprints_.declares_region_around(output.begin)) continue;
    outputs_.add(output);
    if (modules_.is_by_clang()) reports_.note_unseen_reads();
  }
}

Bytes Watch::writable(const Bytes& bytes) const {
  const Footprints::Block block = footprints_.block_around(bytes.begin);
  if (block.freed != nullptr) return {};
  if (block.bytes != 0) return {bytes.begin, std::min(bytes.end, block.first + block.bytes)};
  const auto frame = reinterpret_cast<std::uint64_t>(__builtin_frame_address(0));
  const auto is_variable = [&](std::uint64_t address) {
    return modules_.is_of_program(reinterpret_cast<const void*>(address)) &&
           !modules_.is_constant(address);
  };
  const bool is_on_stack = frame < bytes.begin && bytes.end <= stack_end_;
  const bool is_static = is_variable(bytes.begin) && is_variable(bytes.end - 1);
  return is_on_stack || is_static ? bytes : Bytes{};
}

// For a line that may be written.
void Watch::write_output(const Touch& touch) noexcept {
  is_watching_ = false;
  outputs_.write({touch.address, touch.address + touch.bytes});
  lines_.note(touch.address, touch.bytes, true);
  is_watching_ = true;
}

void Watch::look_at_output(const Touch& touch) {
  const Bytes bytes{touch.address, touch.address + touch.bytes};
  if (touch.writes) return outputs_.write(bytes);
  const auto unwritten = outputs_.read(bytes);
  if (!unwritten) return;
  tell({.mistake = Mistake::Unwritten,
        .touch = touch,
        .task = outputs_.site(),
        .other = unwritten->task,
        .is_declared = unwritten->depth == outputs_.depth(),
        .first_wrong = unwritten->first});
}

}  // namespace myr::check
