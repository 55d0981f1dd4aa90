// SPDX-License-Identifier: Apache-2.0
#include "graph/task_arena.hpp"

#include "plat/memory.hpp"

namespace myr::graph {

namespace {
// Less the chunk with the granule that is all ones: a list of successors with it is a closed one.
constexpr std::size_t kFullBytes = (kGranuleMask + 1) * kGranuleBytes - TaskArena::kChunkBytes;
static_assert(kFullBytes / kGranuleBytes <= kGranuleMask);
constexpr std::size_t kLeastBytes = std::size_t{64} << 20;
}  // namespace

std::byte* TaskArena::base_ = nullptr;
std::size_t TaskArena::bytes_ = 0;
// The first chunk is never handed out: granule 0 means "none".
sync::Atomic<std::size_t> TaskArena::taken_bytes_{kChunkBytes};

base::Result<bool> TaskArena::reserve() {
  if (base_ != nullptr) return true;
  for (std::size_t bytes = kFullBytes; bytes >= kLeastBytes; bytes /= 2) {
    if (void* memory = plat::map_lazily(bytes)) {
      base_ = static_cast<std::byte*>(memory);
      bytes_ = bytes;
      return true;
    }
  }
  return base::Error{
      "no address space for tasks: the system refused even 64 MiB; raise the limit (ulimit -v)"};
}

void TaskArena::clear() noexcept {
  const std::size_t taken = taken_bytes_.exchange(kChunkBytes, sync::relaxed);
  plat::decommit(reinterpret_cast<std::uintptr_t>(base_), taken);
}

std::byte* TaskArena::take_chunk() noexcept {
  const std::size_t offset = taken_bytes_.fetch_add(kChunkBytes, sync::relaxed);
  if (offset + kChunkBytes > bytes_) {
    taken_bytes_.fetch_sub(kChunkBytes, sync::relaxed);
    return nullptr;
  }
  return base_ + offset;
}

}  // namespace myr::graph
