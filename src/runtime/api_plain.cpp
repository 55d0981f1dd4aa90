// SPDX-License-Identifier: Apache-2.0
//
// The calls of myr.h as functions, for callers that want a pointer: the macros of these names know
// the place of the call, these do not. A name in parentheses is no macro.
#include "myr/myr.h"

myr_region(myr_region_new)(myr_region parent, int level_hint) {
  return myr_region_new_at(parent, level_hint, nullptr);
}
void(myr_region_free)(myr_region region) { myr_region_free_at(region, nullptr); }
void(myr_region_cancel)(myr_region region) { myr_region_cancel_at(region, nullptr); }
void(myr_region_keep_here)(myr_region region) { myr_region_keep_here_at(region, nullptr); }

void*(myr_alloc)(size_t bytes, myr_region region) { return myr_alloc_at(bytes, region, nullptr); }
void(myr_alloc_many)(size_t bytes, myr_region region, size_t count, void** objects) {
  myr_alloc_many_at(bytes, region, count, objects, nullptr);
}
void*(myr_alloc_blocks)(size_t bytes, size_t block_bytes, myr_region region) {
  return myr_alloc_blocks_at(bytes, block_bytes, region, nullptr);
}
void*(myr_realloc)(void* object, size_t bytes, myr_region region) {
  return myr_realloc_at(object, bytes, region, nullptr);
}
void(myr_free)(void* object) { myr_free_at(object, nullptr); }
void(myr_publish)(const void* first, size_t bytes) { myr_publish_at(first, bytes, nullptr); }

void(myr_spawn_array)(myr_function function, const myr_access* accesses, size_t count) {
  myr_spawn_at(function, accesses, count, nullptr);
}
void(myr_for)(const myr_loop* loop) { myr_for_at(loop, nullptr); }
void(myr_wait_array)(const myr_access* accesses, size_t count) {
  myr_wait_at(accesses, count, nullptr);
}
void(myr_wait_all)() { myr_wait_all_at(nullptr); }

myr_event(myr_event_new)() { return myr_event_new_at(nullptr); }
void(myr_event_complete)(myr_event event) { myr_event_complete_at(event, nullptr); }

myr_recording(myr_recording_new)() { return myr_recording_new_at(nullptr); }
void(myr_recording_free)(myr_recording recording) { myr_recording_free_at(recording, nullptr); }
void(myr_step_begin)(myr_recording recording) { myr_step_begin_at(recording, nullptr); }
void(myr_step_end)(myr_recording recording) { myr_step_end_at(recording, nullptr); }
