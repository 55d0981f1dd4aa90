// SPDX-License-Identifier: Apache-2.0
//
// K-means clustering as loops over the tiles of a part: one finds the nearest centres, others add
// up what tiles found, a few at a time, into the first of them. What is left of each part, one task
// adds up; it moves the centres and gives each part a copy.
#include <array>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <myr/myr.hpp>
#include <utility>
#include <vector>

#include "myrmics/k_means/k_means.h"

namespace {

constexpr std::size_t kAddedAtOnce = 5;  // lists of sums

using Sums = std::vector<k_means_sum*>;

// Lists that are added up in groups of neighbours. Those behind the last full group are the rest.
struct Level {
  explicit Level(Sums all) : lists(std::move(all)) {
    for (std::size_t i = 0; i < group_count() * kAddedAtOnce; ++i) {
      by_place[i % kAddedAtOnce].push_back(lists[i]);
    }
  }
  [[nodiscard]] std::size_t group_count() const { return lists.size() / kAddedAtOnce; }

  Sums lists;
  std::array<Sums, kAddedAtOnce>
      by_place;  // in a group: the first of each, the second of each, ...
};

struct Part {
  myr::Region points_region, sums_region, exchange_region;
  std::vector<k_means_tile*> tiles;
  k_means_centre* centres;
  std::deque<Level> sums;  // of the tiles; then of as many as are added at once, and so on, to one
};

Part part_of(const k_means& data, std::size_t number) {
  const part& points = data.points.part[number];
  const k_means_part& other = data.part[number];
  Part part{.points_region = myr::Region(points.region),
            .sums_region = myr::Region(other.sums_region),
            .exchange_region = myr::Region(other.exchange_region),
            .tiles = {},
            .centres = other.centres,
            .sums = {}};
  part.sums.emplace_back(Sums(other.sums, other.sums + points.tile_count));
  for (std::size_t i = 0; i < points.tile_count; ++i) {
    part.tiles.push_back(static_cast<k_means_tile*>(points.tiles[i]));
  }
  while (part.sums.back().lists.size() > 1) {
    const Sums& all = part.sums.back().lists;
    Sums firsts;
    for (std::size_t i = 0; i < all.size(); i += kAddedAtOnce) firsts.push_back(all[i]);
    part.sums.emplace_back(std::move(firsts));
  }
  return part;
}

void spawn_assignment(const Part& part, std::size_t cluster_count) {
  const std::size_t count = part.tiles.size();
  const Sums& sums = part.sums.front().lists;
  myr::for_each(myr::Range{0, count}, in(myr::each(part.tiles).in(part.points_region), myr::part),
                in(myr::each(&part.centres, 1).in(part.exchange_region), myr::part.grow(count)),
                out(myr::each(sums).in(part.sums_region), myr::part), myr::grain(1),
                [&part, &sums, cluster_count](std::size_t i) {
                  k_means_assign(part.tiles[i], part.centres, cluster_count, sums[i]);
                });
}

// A loop may be cut anywhere, and groups may not: so an iteration is a group.
template <std::size_t... kOther>
void spawn_groups(const Part& part, const Level& level, std::size_t cluster_count,
                  std::index_sequence<kOther...> /*places behind the first*/) {
  myr::for_each(myr::Range{0, level.group_count()},
                inout(myr::each(level.by_place[0]).in(part.sums_region), myr::part),
                in(myr::each(level.by_place[kOther + 1]).in(part.sums_region), myr::part)...,
                myr::grain(1), [&level, cluster_count](std::size_t group) {
                  k_means_add_up(&level.lists[group * kAddedAtOnce], kAddedAtOnce, cluster_count);
                });
}

// Arguments: how many clusters, how many lists, the lists. The first takes what is in the others.
void add_rest(const myr_access* arguments) {
  Sums lists;
  for (std::int64_t i = 0; i < arguments[1].integer; ++i) {
    lists.push_back(static_cast<k_means_sum*>(arguments[2 + i].address));
  }
  k_means_add_up(lists.data(), lists.size(), static_cast<std::size_t>(arguments[0].integer));
}

void spawn_rest(const Level& level, std::size_t cluster_count) {
  const std::size_t first = level.group_count() * kAddedAtOnce;
  const std::size_t count = level.lists.size() - first;
  if (count < 2) return;
  std::vector<myr_access> accesses{myr_value(static_cast<std::int64_t>(cluster_count)),
                                   myr_value(static_cast<std::int64_t>(count)),
                                   myr_inout(level.lists[first])};
  for (std::size_t i = 1; i < count; ++i) accesses.push_back(myr_in(level.lists[first + i]));
  myr_spawn(add_rest, accesses.data(), accesses.size());
}

void spawn_sums(const Part& part, std::size_t cluster_count) {
  for (const Level& level : part.sums) {
    if (level.group_count() != 0) {
      spawn_groups(part, level, cluster_count, std::make_index_sequence<kAddedAtOnce - 1>());
    }
    spawn_rest(level, cluster_count);
  }
}

struct Program {
  const k_means& data;
  std::vector<Part> parts;
  Sums totals;  // of the parts
};

void move_centres(const myr_access* arguments) {
  auto& program = *static_cast<Program*>(arguments[0].address);
  const k_means& data = program.data;
  k_means_move(program.totals.data(), program.totals.size(), data.cluster_count, data.centres,
               data.part_centres);
}

void spawn_move(Program& program, int* mark) {
  std::vector<myr_access> accesses{myr_safe(&program), myr_inout(program.data.centres),
                                   myr_out(mark)};
  for (const Part& part : program.parts) {
    accesses.push_back(myr_in(part.sums.back().lists.front()));
    accesses.push_back(myr_out(part.centres));
  }
  myr_spawn(move_centres, accesses.data(), accesses.size());
}

void wait_for(const void* object) {
  const myr_access wanted = myr_in(object);
  myr_wait(&wanted, 1);
}

}  // namespace

void k_means_tasks(k_means* data) {
  Program program{*data, {}, {}};
  for (std::size_t p = 0; p < data->points.part_count; ++p) {
    program.parts.push_back(part_of(*data, p));
    program.totals.push_back(program.parts.back().sums.back().lists.front());
  }
  // Main spawns an iteration while the one before runs, and then leaves its worker to tasks.
  int* marks[2];
  myr_alloc_many(sizeof(int), MYR_ROOT, 2, reinterpret_cast<void**>(marks));
  for (int i = 0; i < data->iterations; ++i) {
    for (const Part& part : program.parts) spawn_assignment(part, data->cluster_count);
    for (const Part& part : program.parts) spawn_sums(part, data->cluster_count);
    spawn_move(program, marks[i % 2]);
    if (i > 0) wait_for(marks[(i - 1) % 2]);
  }
  wait_for(data->centres);
  for (int* mark : marks) myr_free(mark);
}
