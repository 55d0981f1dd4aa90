// SPDX-License-Identifier: Apache-2.0
//
// K-means clustering as loops over the tiles of a part, which find the nearest centres. Tasks add
// up what tiles found, a few at a time, into the first of them. What is left of each part, one task
// adds up; it moves the centres and gives each part a copy.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <myr/myr.hpp>
#include <vector>

#include "myrmics/k_means/k_means.h"

namespace {

constexpr std::size_t kAddedAtOnce = 5;  // lists of sums

using Sums = std::vector<k_means_sum*>;

struct Part {
  myr::Region points_region, sums_region, exchange_region;
  std::vector<k_means_tile*> tiles;
  k_means_centre* centres;
  std::deque<Sums> sums;  // of the tiles; then of as many as are added at once, and so on, to one
};

Part part_of(const k_means& data, std::size_t number) {
  const part& points = data.points.part[number];
  const k_means_part& other = data.part[number];
  Part part{.points_region = myr::Region(points.region),
            .sums_region = myr::Region(other.sums_region),
            .exchange_region = myr::Region(other.exchange_region),
            .tiles = {},
            .centres = other.centres,
            .sums = {Sums(other.sums, other.sums + points.tile_count)}};
  for (std::size_t i = 0; i < points.tile_count; ++i) {
    part.tiles.push_back(static_cast<k_means_tile*>(points.tiles[i]));
  }
  while (part.sums.back().size() > 1) {
    const Sums& all = part.sums.back();
    Sums firsts;
    for (std::size_t i = 0; i < all.size(); i += kAddedAtOnce) firsts.push_back(all[i]);
    part.sums.push_back(firsts);
  }
  return part;
}

void spawn_assignment(const Part& part, std::size_t cluster_count) {
  const std::size_t count = part.tiles.size();
  const Sums& sums = part.sums.front();
  myr::for_each(myr::Range{0, count}, in(myr::each(part.tiles).in(part.points_region), myr::part),
                in(myr::each(&part.centres, 1).in(part.exchange_region), myr::part.grow(count)),
                out(myr::each(sums).in(part.sums_region), myr::part), myr::grain(1),
                [&part, &sums, cluster_count](std::size_t i) {
                  k_means_assign(part.tiles[i], part.centres, cluster_count, sums[i]);
                });
}

// Arguments: how many clusters, how many lists, the lists. The first takes what is in the others.
void add_up(const myr_access* arguments) {
  Sums lists;
  for (const myr_access* list = arguments + 2; lists.size() < std::size_t(arguments[1].integer);) {
    lists.push_back(static_cast<k_means_sum*>(list++->address));
  }
  k_means_add_up(lists.data(), lists.size(), std::size_t(arguments[0].integer));
}

// Tasks, and no loop: a loop may be cut anywhere, and groups of lists may not.
void spawn_sums(const Part& part, std::size_t cluster_count) {
  for (const Sums& lists : part.sums) {
    for (std::size_t first = 0; first + 1 < lists.size(); first += kAddedAtOnce) {
      const std::size_t count = std::min(kAddedAtOnce, lists.size() - first);
      std::vector<myr_access> accesses{myr_value(std::int64_t(cluster_count)),
                                       myr_value(std::int64_t(count)), myr_inout(lists[first])};
      for (std::size_t i = 1; i < count; ++i) accesses.push_back(myr_in(lists[first + i]));
      myr_spawn(add_up, accesses.data(), accesses.size());
    }
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
    accesses.push_back(myr_in(part.sums.back().front()));
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
    program.totals.push_back(program.parts.back().sums.back().front());
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
