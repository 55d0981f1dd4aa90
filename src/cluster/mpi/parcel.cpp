// SPDX-License-Identifier: Apache-2.0
#include "cluster/mpi/parcel.hpp"

#include <sys/mman.h>

#include <algorithm>
#include <cstdint>
#include <cstring>

#include "base/bits.hpp"
#include "base/misuse.hpp"
#include "mem/heap.hpp"
#include "plat/memory.hpp"

namespace myr::cluster::mpi {

namespace {

// Then come the accesses, the closure, the loans, the moves, and what the closure has saved.
struct Header {
  PlaceInModule body;
  PlaceInModule function;
  PlaceInModule site;
  PlaceInModule kind;
  std::uint32_t closure_bytes;
  std::uint32_t access_count;
  std::uint32_t loan_count;
  Sender sender;
  std::uint64_t move_count;
};
struct PackedLoan {
  std::uint64_t address;
  std::uint64_t bytes;
  PlaceInModule place;  // if it is a variable of the program
  std::uint64_t flags;  // of the access
};
// The word at the offset, in the accesses and the closure, is the address of a place, or, with
// kLent, of a lent byte.
struct Move {
  std::uint64_t offset;
  std::uint64_t to;
};
constexpr std::uint64_t kLent = std::uint64_t{1} << 63;

// More is not worth the way there and back.
constexpr std::uint64_t kLentBytesMax = std::uint64_t{256} << 20;
// Memory this small is brought though the task only writes it: then what it leaves out stays as it
// was.
constexpr std::uint64_t kBroughtBytesMax = std::uint64_t{64} << 10;

constexpr unsigned kCallBits = 3;  // see call_of()

enum class Word : std::uint8_t { Number, Constant, Lent, Foreign };

bool is_mapped(std::uintptr_t address) {
  constexpr std::uintptr_t kOsPage = 4096;
  unsigned char resident = 0;
  return mincore(reinterpret_cast<void*>(address & ~(kOsPage - 1)), 1, &resident) == 0;
}

// A number that happens to be an address counts as one, which costs no more than that the task
// stays.
Word kind_of(std::uint64_t word, const Modules& modules, std::span<const PackedLoan> loans) {
  constexpr std::uint64_t kLeast = 1U << 16;
  constexpr std::uint64_t kEnd = std::uint64_t{1} << 47;
  const auto* const address = reinterpret_cast<const void*>(word);
  if (word < kLeast || word >= kEnd || mem::Heap::contains(address)) return Word::Number;
  if (modules.is_constant(address)) return Word::Constant;
  const bool is_lent = std::any_of(loans.begin(), loans.end(), [word](const PackedLoan& loan) {
    return word >= loan.address && word - loan.address < loan.bytes;
  });
  if (is_lent) return Word::Lent;
  return is_mapped(word) ? Word::Foreign : Word::Number;
}

template <class Function>
PlaceInModule place_of(const Modules& modules, Function* function) {
  return modules.place_of(reinterpret_cast<const void*>(function));
}

// The memory outside of regions that the task uses, by address.
std::vector<PackedLoan> loans_of(const TaskParts& task, const Modules& modules) {
  std::vector<PackedLoan> loans;
  for (const myr_access& access : task.accesses) {
    const bool is_other = (access.flags & (MYR_VALUE | MYR_REGION)) != 0;
    if (is_other || access.address == nullptr || mem::Heap::contains(access.address)) continue;
    loans.push_back({.address = reinterpret_cast<std::uintptr_t>(access.address),
                     .bytes = access.bytes,
                     .place = modules.place_of(access.address),
                     .flags = access.flags});
  }
  std::sort(loans.begin(), loans.end(),
            [](const PackedLoan& a, const PackedLoan& b) { return a.address < b.address; });
  return loans;
}

std::uint64_t address_here(const std::vector<Loan>& loans, std::uint64_t address) {
  for (const Loan& loan : loans) {
    if (address - loan.address < loan.bytes) return loan.here + (address - loan.address);
  }
  return address;
}

}  // namespace

// ---- room ---------------------------------------------------------------------------------------

bool Room::take(std::vector<Loan>& loans, const Modules& modules,
                std::span<const PlaceInModule> places) {
  constexpr std::uint64_t kNear = std::uint64_t{1} << 30;
  constexpr std::uint64_t kOsPage = 4096;
  std::size_t next = 0;
  while (next < loans.size()) {
    if (places[next] != 0) {
      loans[next].here = reinterpret_cast<std::uintptr_t>(modules.address_of(places[next]));
      next += 1;
      continue;
    }
    const std::uint64_t first = base::round_down(loans[next].address, kOsPage);
    std::uint64_t end = first;
    const std::size_t begin = next;
    for (; next < loans.size() && places[next] == 0 && loans[next].address < end + kNear; ++next) {
      end = std::max(end, loans[next].address + loans[next].bytes);
    }
    const std::size_t bytes = base::round_up(end - first, kOsPage);
    void* const block = plat::map_lazily(bytes);
    if (block == nullptr) return false;
    const auto here = reinterpret_cast<std::uintptr_t>(block);
    blocks_.push_back({here, bytes});
    for (std::size_t i = begin; i < next; ++i) loans[i].here = here + (loans[i].address - first);
  }
  return true;
}

Room::~Room() {
  for (const Block& block : blocks_) plat::release(block.first, block.bytes);
}

// ---- parcels ------------------------------------------------------------------------------------

std::optional<Bytes> pack(const TaskParts& task, const Modules& modules, const Sender& sender) {
  const std::vector<PackedLoan> loans = loans_of(task, modules);
  Header header{.body = place_of(modules, task.body),
                .function = place_of(modules, task.function),
                .site = modules.place_of(task.site),
                .kind = modules.place_of(task.kind),
                .closure_bytes = static_cast<std::uint32_t>(task.closure.size()),
                .access_count = static_cast<std::uint32_t>(task.accesses.size()),
                .loan_count = static_cast<std::uint32_t>(loans.size()),
                .sender = sender,
                .move_count = 0};
  if (header.body == 0 && header.function == 0) return {};  // from a library that came later
  std::uint64_t lent = 0;
  for (const PackedLoan& loan : loans) lent += loan.bytes;
  if (lent > kLentBytesMax) return {};
  Bytes bytes;
  put(bytes, &header, 1);
  put(bytes, task.accesses.data(), task.accesses.size());
  put(bytes, task.closure.data(), task.closure.size());
  Bytes saved;
  if (task.kind != nullptr) {
    const auto append = [](void* to, const void* first, std::size_t size) {
      put(*static_cast<Bytes*>(to), static_cast<const std::byte*>(first), size);
    };
    std::byte* const image = bytes.data() + bytes.size() - task.closure.size();
    if (header.kind == 0 || task.kind->save(task.closure.data(), image, append, &saved) != 0) {
      return {};
    }
  }
  const std::size_t end = bytes.size();
  put(bytes, loans.data(), loans.size());
  for (std::size_t at = sizeof header; at + sizeof(std::uint64_t) <= end;
       at += sizeof(std::uint64_t)) {
    std::uint64_t word = 0;
    std::memcpy(&word, &bytes[at], sizeof word);
    const Word kind = kind_of(word, modules, loans);
    if (kind == Word::Foreign) return {};
    if (kind == Word::Number) continue;
    const auto* const address = reinterpret_cast<const void*>(word);
    const Move move{.offset = at - sizeof header,
                    .to = kind == Word::Lent ? kLent | word : modules.place_of(address)};
    put(bytes, &move, 1);
    header.move_count += 1;
  }
  put(bytes, saved.data(), saved.size());
  std::memcpy(bytes.data(), &header, sizeof header);
  return bytes;
}

Unpacked unpack(std::span<const std::byte> bytes, const Modules& modules, AgentId self) {
  const auto header = read_value<Header>(bytes);
  const auto code = [&modules](PlaceInModule place) {
    return const_cast<void*>(modules.address_of(place));
  };
  Unpacked unpacked{.sender = header.sender, .parts = {}, .loans = {}, .room = {}};
  unpacked.parts.body = reinterpret_cast<myr_body>(code(header.body));
  unpacked.parts.function = reinterpret_cast<myr_function>(code(header.function));
  unpacked.parts.site = static_cast<const myr_site*>(modules.address_of(header.site));
  unpacked.parts.closure = {static_cast<std::byte*>(nullptr), header.closure_bytes};
  unpacked.parts.accesses = {static_cast<myr_access*>(nullptr), header.access_count};
  if (header.sender.spawner == self) return unpacked;
  static_cast<void>(
      read_bytes(bytes, header.access_count * sizeof(myr_access) + header.closure_bytes));
  std::vector<PlaceInModule> places;
  for (std::uint32_t i = 0; i < header.loan_count; ++i) {
    const auto loan = read_value<PackedLoan>(bytes);
    places.push_back(loan.place);
    unpacked.loans.push_back(
        {.address = loan.address,
         .bytes = loan.bytes,
         .is_read = (loan.flags & MYR_IN) != 0 || loan.bytes <= kBroughtBytesMax,
         .is_written = (loan.flags & MYR_OUT) != 0});
  }
  if (!unpacked.room.take(unpacked.loans, modules, places)) {
    base::misuse(unpacked.parts.site,
                 "no memory for the copies of what the task spawned here uses");
  }
  return unpacked;
}

void fill(const Unpacked& unpacked, std::span<const std::byte> bytes, const Modules& modules,
          std::byte* closure, myr_access* accesses) {
  const auto header = read_value<Header>(bytes);
  const std::size_t access_bytes = header.access_count * sizeof(myr_access);
  std::memcpy(accesses, read_bytes(bytes, access_bytes).data(), access_bytes);
  std::memcpy(closure, read_bytes(bytes, header.closure_bytes).data(), header.closure_bytes);
  static_cast<void>(read_bytes(bytes, header.loan_count * sizeof(PackedLoan)));
  for (std::uint64_t i = 0; i < header.move_count; ++i) {
    const auto move = read_value<Move>(bytes);
    MYR_ASSERT(move.offset + sizeof(std::uint64_t) <= access_bytes + header.closure_bytes);
    std::byte* const first = move.offset < access_bytes
                                 ? reinterpret_cast<std::byte*>(accesses) + move.offset
                                 : closure + (move.offset - access_bytes);
    const bool is_lent = (move.to & kLent) != 0;
    const std::uint64_t address =
        is_lent ? address_here(unpacked.loans, move.to & ~kLent)
                : reinterpret_cast<std::uintptr_t>(modules.address_of(move.to));
    std::memcpy(first, &address, sizeof address);
  }
  const auto* const kind = static_cast<const myr_closure_kind*>(modules.address_of(header.kind));
  if (kind == nullptr || kind->load(closure, bytes.data(), bytes.size()) == 0) return;
  base::misuse(unpacked.parts.site,
               "an argument of the task spawned here has been saved, but cannot be loaded again: "
               "myr::serialize<T>::load() has thrown");
}

// ---- calls --------------------------------------------------------------------------------------

std::uint64_t program_at(const myr_site* site, Call call, const Modules& modules) {
  return modules.place_of(site) << kCallBits | static_cast<std::uint64_t>(call);
}

const myr_site* site_in(std::uint64_t program, const Modules& modules) {
  return static_cast<const myr_site*>(modules.address_of(program >> kCallBits));
}

}  // namespace myr::cluster::mpi
