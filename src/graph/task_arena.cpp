// SPDX-License-Identifier: Apache-2.0
#include "graph/task_arena.hpp"

#include <algorithm>

#include "base/bits.hpp"
#include "base/contract.hpp"
#include "plat/memory.hpp"

namespace myr::graph {

namespace {
// Less the chunk with the granule that is all ones: a list of successors with it is a closed one.
constexpr std::size_t kFullBytes = (kGranuleMask + 1) * kGranuleBytes - TaskArena::kChunkBytes;
static_assert(kFullBytes / kGranuleBytes <= kGranuleMask);
constexpr std::size_t kLeastBytes = std::size_t{64} << 20;
constexpr std::size_t kTableBytes =
    (kFullBytes / TaskArena::kChunkBytes + 1) * sizeof(TaskArena::Chunk);
constexpr const char* kNoAddresses =
    "no address space for tasks: the system refused even 64 MiB; raise the limit (ulimit -v)";
}  // namespace

std::byte* TaskArena::base_ = nullptr;
std::size_t TaskArena::bytes_ = 0;
TaskArena::Chunk* TaskArena::chunks_ = nullptr;
// The first chunk is never handed out: granule 0 means "none".
sync::Atomic<std::size_t> TaskArena::taken_bytes_{kChunkBytes};
sync::Atomic<std::size_t> TaskArena::usable_bytes_{0};

base::Result<bool> TaskArena::reserve() {
  if (base_ != nullptr) return true;
  if (chunks_ == nullptr) chunks_ = static_cast<Chunk*>(plat::map_lazily(kTableBytes));
  if (chunks_ == nullptr) return base::Error{kNoAddresses};
  for (std::size_t bytes = kFullBytes; bytes >= kLeastBytes; bytes /= 2) {
    if (void* memory = plat::reserve(bytes)) {
      base_ = static_cast<std::byte*>(memory);
      bytes_ = bytes;
      return true;
    }
  }
  return base::Error{kNoAddresses};
}

void TaskArena::clear() noexcept {
  const std::size_t taken = taken_bytes_.exchange(kChunkBytes, sync::relaxed);
  plat::decommit(reinterpret_cast<std::uintptr_t>(base_), taken);
  plat::decommit(reinterpret_cast<std::uintptr_t>(chunks_), kTableBytes);
}

void TaskArena::drop_pages(std::uint32_t number) noexcept {
  plat::decommit(reinterpret_cast<std::uintptr_t>(chunk_memory(number)), kChunkBytes);
}

// Several may do it at once: twice is the same as once.
bool TaskArena::make_usable(std::size_t end) noexcept {
  constexpr std::size_t kStepBytes = std::size_t{16} << 20;
  std::size_t usable = usable_bytes_.load(sync::relaxed);
  if (MYR_LIKELY(end <= usable)) return true;
  const std::size_t wanted = std::min(base::round_up(end, kStepBytes), bytes_);
  if (!plat::commit(reinterpret_cast<std::uintptr_t>(base_) + usable, wanted - usable)) {
    return false;
  }
  while (usable < wanted &&
         !usable_bytes_.compare_exchange_weak(usable, wanted, sync::relaxed, sync::relaxed)) {
  }
  return true;
}

std::byte* TaskArena::take_chunk() noexcept {
  const std::size_t offset = taken_bytes_.fetch_add(kChunkBytes, sync::relaxed);
  if (offset + kChunkBytes > bytes_ || !make_usable(offset + kChunkBytes)) {
    taken_bytes_.fetch_sub(kChunkBytes, sync::relaxed);
    return nullptr;
  }
  return base_ + offset;
}

}  // namespace myr::graph
