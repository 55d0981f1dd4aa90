// SPDX-License-Identifier: Apache-2.0
#include "cluster/mpi/parcel.hpp"

#include <sys/mman.h>

#include <cstdint>
#include <cstring>

#include "base/misuse.hpp"
#include "mem/heap.hpp"

namespace myr::cluster::mpi {

namespace {

// Then come the accesses, the closure, and the moves.
struct Header {
  PlaceInModule body;
  PlaceInModule function;
  PlaceInModule site;
  std::uint32_t closure_bytes;
  std::uint32_t access_count;
  std::uint64_t move_count;
};
// The word at the offset, in the accesses and the closure, is the address of a place.
struct Move {
  std::uint64_t offset;
  PlaceInModule place;
};

constexpr unsigned kCallBits = 3;  // see call_of()

enum class Word : std::uint8_t { Number, Constant, Foreign };

bool is_mapped(std::uintptr_t address) {
  constexpr std::uintptr_t kOsPage = 4096;
  unsigned char resident = 0;
  return mincore(reinterpret_cast<void*>(address & ~(kOsPage - 1)), 1, &resident) == 0;
}

// A number that happens to be an address counts as one, which costs no more than that the task
// stays.
Word kind_of(std::uint64_t word, const Modules& modules) {
  constexpr std::uint64_t kLeast = 1U << 16;
  constexpr std::uint64_t kEnd = std::uint64_t{1} << 47;
  const auto* const address = reinterpret_cast<const void*>(word);
  if (word < kLeast || word >= kEnd || mem::Heap::contains(address)) return Word::Number;
  if (modules.is_constant(address)) return Word::Constant;
  return is_mapped(word) ? Word::Foreign : Word::Number;
}

template <class Type>
void put(Bytes& bytes, const Type* values, std::size_t count) {
  const auto* const first = reinterpret_cast<const std::byte*>(values);
  bytes.insert(bytes.end(), first, first + count * sizeof(Type));
}

template <class Type>
Type take(std::span<const std::byte>& bytes) {
  Type value;
  std::memcpy(&value, bytes.data(), sizeof value);
  bytes = bytes.subspan(sizeof value);
  return value;
}

template <class Function>
PlaceInModule place_of(const Modules& modules, Function* function) {
  return modules.place_of(reinterpret_cast<const void*>(function));
}

}  // namespace

std::optional<Bytes> pack(UserTask& task, const Modules& modules) {
  Header header{.body = place_of(modules, task.body),
                .function = place_of(modules, task.function),
                .site = modules.place_of(task.site),
                .closure_bytes = static_cast<std::uint32_t>(task.closure_bytes()),
                .access_count = task.access_count(),
                .move_count = 0};
  if (header.body == 0 && header.function == 0) return {};  // from a library that came later
  Bytes bytes;
  put(bytes, &header, 1);
  put(bytes, task.accesses(), task.access_count());
  put(bytes, static_cast<const std::byte*>(task.closure()), task.closure_bytes());
  const std::size_t end = bytes.size();
  for (std::size_t at = sizeof header; at + sizeof(std::uint64_t) <= end;
       at += sizeof(std::uint64_t)) {
    std::uint64_t word = 0;
    std::memcpy(&word, &bytes[at], sizeof word);
    const Word kind = kind_of(word, modules);
    if (kind == Word::Foreign) return {};
    if (kind == Word::Number) continue;
    const Move move{.offset = at - sizeof header,
                    .place = modules.place_of(reinterpret_cast<const void*>(word))};
    put(bytes, &move, 1);
    header.move_count += 1;
  }
  std::memcpy(bytes.data(), &header, sizeof header);
  return bytes;
}

UserTaskPtr unpack(std::span<const std::byte> bytes, const Modules& modules, UserTask& parent) {
  const auto header = take<Header>(bytes);
  UserTaskPtr task = UserTask::make(&parent, header.closure_bytes, header.access_count);
  const auto* const site = static_cast<const myr_site*>(modules.address_of(header.site));
  if (task == nullptr) base::misuse(site, "no memory for the task spawned here");
  task->body = reinterpret_cast<myr_body>(const_cast<void*>(modules.address_of(header.body)));
  task->function =
      reinterpret_cast<myr_function>(const_cast<void*>(modules.address_of(header.function)));
  task->site = site;
  const std::size_t access_bytes = header.access_count * sizeof(myr_access);
  std::memcpy(task->accesses(), bytes.data(), access_bytes);
  std::memcpy(task->closure(), bytes.data() + access_bytes, header.closure_bytes);
  bytes = bytes.subspan(access_bytes + header.closure_bytes);
  for (std::uint64_t i = 0; i < header.move_count; ++i) {
    const auto move = take<Move>(bytes);
    auto* const first = move.offset < access_bytes
                            ? reinterpret_cast<std::byte*>(task->accesses()) + move.offset
                            : static_cast<std::byte*>(task->closure()) + move.offset - access_bytes;
    const void* const address = modules.address_of(move.place);
    std::memcpy(first, &address, sizeof address);
  }
  return task;
}

std::uint64_t program_at(const myr_site* site, Call call, const Modules& modules) {
  return modules.place_of(site) << kCallBits | static_cast<std::uint64_t>(call);
}

const myr_site* site_in(std::uint64_t program, const Modules& modules) {
  return static_cast<const myr_site*>(modules.address_of(program >> kCallBits));
}

}  // namespace myr::cluster::mpi
