// SPDX-License-Identifier: Apache-2.0
#include "transport/sim/chip.hpp"

#include <algorithm>
#include <charconv>

#include "base/contract.hpp"

namespace myr::transport::sim {

namespace {

constexpr unsigned kWeakPerBoard = 8;    // share one DRAM: paper 1, section III
constexpr unsigned kStrongPerBoard = 4;  // coherent: paper 1, section III

// The bits of the coordinates in turn: places that are close in this order are close in space.
std::uint64_t interleave(const std::array<unsigned, 3>& place) {
  std::uint64_t order = 0;
  for (unsigned bit = 0; bit < 16; ++bit) {
    for (unsigned axis = 0; axis < 3; ++axis) {
      order |= std::uint64_t{place[axis] >> bit & 1} << (bit * 3 + axis);
    }
  }
  return order;
}

// The sides of the smallest mesh with so many boards whose sides differ by one at most.
std::array<unsigned, 3> sides(unsigned boards) {
  std::array<unsigned, 3> side{1, 1, 1};
  for (unsigned axis = 0; side[0] * side[1] * side[2] < boards; axis = (axis + 1) % 3) {
    side[axis] += 1;
  }
  return side;
}

std::optional<unsigned> number(std::string_view text) {
  unsigned value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc{} || end != text.data() + text.size()) return {};
  return value;
}

}  // namespace

std::optional<Chip> Chip::named(std::string_view name) {
  if (name == "scc-48-tree") return scc();
  constexpr std::string_view kFamily = "formic-";
  if (!name.starts_with(kFamily)) return {};
  name.remove_prefix(kFamily.size());
  if (name == "520") return formic({.strong = 8, .weak = 512});
  if (name == "512") return formic({.strong = 0, .weak = 512});
  const std::size_t plus = name.find('+');
  if (plus == std::string_view::npos) return {};
  const auto strong = number(name.substr(0, plus));
  const auto weak = number(name.substr(plus + 1));
  if (!strong || !weak || *weak == 0) return {};
  if (*strong > kCoresMax || *weak > kCoresMax - *strong) return {};
  return formic({.strong = *strong, .weak = *weak});
}

Chip Chip::formic(Cores cores) {
  MYR_ASSERT(cores.weak > 0 && cores.strong <= kCoresMax && cores.weak <= kCoresMax - cores.strong);
  Chip chip(cores);
  chip.lay_out();
  return chip;
}

// A quarter after the other, as each has a memory controller.
Chip Chip::scc() {
  Chip chip({.strong = 0, .weak = scc::kCores}, kScc);
  for (scc::CoreNumber core = 0; core < scc::kCores; ++core) chip.numbers_.push_back(core);
  std::stable_sort(chip.numbers_.begin(), chip.numbers_.end(),
                   [](scc::CoreNumber a, scc::CoreNumber b) {
                     return scc::own_controller(a) < scc::own_controller(b);
                   });
  for (const scc::CoreNumber core : chip.numbers_) {
    const unsigned tile = core / 2;
    chip.places_.push_back({tile % scc::kColumns, tile / scc::kColumns, 0});
  }
  return chip;
}

// Boards of strong cores are beside boards of weak ones, spread evenly.
void Chip::lay_out() {
  const unsigned boards = (cores_.weak + kWeakPerBoard - 1) / kWeakPerBoard;
  const Place side = sides(boards);
  std::vector<Place> order;
  for (unsigned x = 0; x < side[0]; ++x) {
    for (unsigned y = 0; y < side[1]; ++y) {
      for (unsigned z = 0; z < side[2]; ++z) order.push_back({x, y, z});
    }
  }
  std::sort(order.begin(), order.end(),
            [](const Place& a, const Place& b) { return interleave(a) < interleave(b); });
  const unsigned strong_boards = (cores_.strong + kStrongPerBoard - 1) / kStrongPerBoard;
  for (CoreIndex core = 0; core < cores_.strong; ++core) {
    const std::uint64_t board = core / kStrongPerBoard;
    places_.push_back(order[(2 * board + 1) * boards / (2 * strong_boards)]);
  }
  for (CoreIndex core = 0; core < cores_.weak; ++core) {
    places_.push_back(order[core / kWeakPerBoard]);
  }
}

unsigned Chip::hops(CoreIndex a, CoreIndex b) const noexcept {
  unsigned count = 0;
  for (unsigned axis = 0; axis < 3; ++axis) {
    const unsigned from = places_[a][axis];
    const unsigned to = places_[b][axis];
    count += from > to ? from - to : to - from;
  }
  const bool is_one_board =
      is_strong(a) && is_strong(b) && a / kStrongPerBoard == b / kStrongPerBoard;
  if (is_one_board) return 0;
  return count + (is_strong(a) ? 1 : 0) + (is_strong(b) ? 1 : 0);
}

Cycles Chip::latency(CoreIndex from, CoreIndex to) const noexcept {
  return (costs_.round_trip_nearest + hops(from, to) * costs_.round_trip_mesh / costs_.mesh_hops) /
         2;
}

Cycles Chip::scaled(CoreIndex core, Cycles weak_cycles) const noexcept {
  return is_strong(core) ? weak_cycles * 10 / costs_.strong_speed_tenths : weak_cycles;
}

}  // namespace myr::transport::sim
