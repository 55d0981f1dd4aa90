// SPDX-License-Identifier: Apache-2.0
//
// K-means clustering as loops over the tiles of a part: one finds the nearest centres, others add
// up what tiles found, a few at a time, into the first of them. One task adds up what is left of
// each part; it moves the centres and gives each part a copy.
#include <array>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <myr/myr.hpp>
#include <span>
#include <utility>
#include <vector>

#include "common/job_table.hpp"
#include "myrmics/k_means/k_means.h"

namespace {

constexpr std::size_t kAddedAtOnce = 5;  // lists of sums

// In the order of the tiles, part by part; and of the copies of the centres, one for each part.
kernels::JobTable<k_means_tile> tiles;
kernels::JobTable<k_means_sum> sums;
kernels::JobTable<k_means_centre> centres;

void set_tables(const k_means& data) {
  const parts& all = data.points;
  tiles.fill(all.tile_total,
             [&](std::size_t i) { return static_cast<k_means_tile*>(parts_tile(&all, i)); });
  sums.fill(all.tile_total, [&](std::size_t i) {
    const part* const with = parts_with(&all, i);
    return data.part[with - all.part].sums[i - with->first];
  });
  centres.fill(all.part_count, [&](std::size_t p) { return data.part[p].centres; });
}

using Sums = std::vector<k_means_sum*>;

// Lists that are added up in groups of neighbours. Those behind the last full group are the rest.
// The list i is that of the tile first + i * stride.
struct Level {
  Level(Sums all, std::size_t first_tile, std::size_t tiles_between)
      : lists(std::move(all)), first(first_tile), stride(tiles_between) {
    for (std::size_t i = 0; i < group_count() * kAddedAtOnce; ++i) {
      by_place[i % kAddedAtOnce].push_back(lists[i]);
    }
  }
  [[nodiscard]] std::size_t group_count() const { return lists.size() / kAddedAtOnce; }

  Sums lists;
  std::size_t first, stride;
  std::array<Sums, kAddedAtOnce>
      by_place;  // in a group: the first of each, the second of each, ...
};

struct Part {
  myr::Region points_region, sums_region, exchange_region;
  std::size_t number;
  std::size_t first, count;  // tiles
  std::deque<Level>
      levels;  // of the tiles; then of as many as are added at once, and so on, to one
};

Part part_of(const k_means& data, std::size_t number) {
  const part& points = data.points.part[number];
  const k_means_part& other = data.part[number];
  Part part{.points_region = myr::Region(points.region),
            .sums_region = myr::Region(other.sums_region),
            .exchange_region = myr::Region(other.exchange_region),
            .number = number,
            .first = points.first,
            .count = points.tile_count,
            .levels = {}};
  part.levels.emplace_back(Sums(other.sums, other.sums + points.tile_count), points.first, 1);
  while (part.levels.back().lists.size() > 1) {
    const Level& below = part.levels.back();
    Sums firsts;
    for (std::size_t i = 0; i < below.lists.size(); i += kAddedAtOnce) {
      firsts.push_back(below.lists[i]);
    }
    part.levels.emplace_back(std::move(firsts), below.first, below.stride * kAddedAtOnce);
  }
  return part;
}

k_means_sum* total_of(const Part& part) { return part.levels.back().lists.front(); }

void spawn_assignment(const Part& part, std::size_t cluster_count) {
  const auto own = [&part](const auto& table) {
    return myr::each(table.data() + part.first, part.count);
  };
  myr::for_each(myr::grain(1), myr::Range{0, part.count},
                myr::in(own(tiles).inside(part.points_region), myr::part),
                myr::in(myr::each(centres.data() + part.number, 1).inside(part.exchange_region),
                        myr::part.grow(part.count)),
                myr::out(own(sums).inside(part.sums_region), myr::part),
                [first = part.first, number = part.number, cluster_count](std::size_t i) {
                  k_means_assign(tiles[first + i], centres[number], cluster_count, sums[first + i]);
                });
}

// A loop may be cut anywhere, and groups may not: so an iteration is a group.
template <std::size_t... kOther>
void spawn_groups(const Part& part, const Level& level, std::size_t cluster_count,
                  std::index_sequence<kOther...> /*places behind the first*/) {
  myr::for_each(
      myr::grain(1), myr::Range{0, level.group_count()},
      myr::inout(myr::each(level.by_place[0]).inside(part.sums_region), myr::part),
      myr::in(myr::each(level.by_place[kOther + 1]).inside(part.sums_region), myr::part)...,
      [first = level.first, stride = level.stride, cluster_count](std::size_t group) {
        std::array<k_means_sum*, kAddedAtOnce> lists;
        for (std::size_t i = 0; i < kAddedAtOnce; ++i) {
          lists[i] = sums[first + (group * kAddedAtOnce + i) * stride];
        }
        k_means_add_up(lists.data(), kAddedAtOnce, cluster_count);
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
  myr_spawn_array(add_rest, accesses.data(), accesses.size());
}

void spawn_sums(const Part& part, std::size_t cluster_count) {
  for (const Level& level : part.levels) {
    if (level.group_count() != 0) {
      spawn_groups(part, level, cluster_count, std::make_index_sequence<kAddedAtOnce - 1>());
    }
    spawn_rest(level, cluster_count);
  }
}

// Adds up the totals of some parts.
struct Branch {
  const k_means& data;
  k_means_branch here;
  std::span<const Part> parts;
  Sums totals;  // of the parts
  std::vector<k_means_centre*> copies;
};

struct Program {
  const k_means& data;
  std::vector<Part> parts;
  std::vector<Branch> branches;
  // The totals of the branches, or, if there are none, of the parts.
  Sums totals;
  std::vector<k_means_centre*> copies;
  // The slices of the clusters: their centres are moved side by side.
  std::span<const k_means_slice> slices;
};

void spawn_loops(std::span<const Part> parts, std::size_t cluster_count) {
  for (const Part& part : parts) spawn_assignment(part, cluster_count);
  for (const Part& part : parts) spawn_sums(part, cluster_count);
}

// ---- branches: tasks that spawn the loops of some parts -----------------------------------------

const Branch& branch_in(const myr_access* arguments) {
  return *static_cast<const Branch*>(arguments[0].address);
}

void copy_centres(const myr_access* arguments) {
  const Branch& branch = branch_in(arguments);
  k_means_copy(branch.here.centres, branch.data.cluster_count, branch.copies.data(),
               branch.copies.size());
}

void add_totals(const myr_access* arguments) {
  const Branch& branch = branch_in(arguments);
  k_means_add(branch.totals.data(), branch.totals.size(), branch.data.cluster_count,
              branch.here.total);
}

void run_branch(const myr_access* arguments) {
  const Branch& branch = branch_in(arguments);
  std::vector<myr_access> copy{myr_pointer(&branch), myr_in(branch.here.centres)};
  std::vector<myr_access> add{myr_pointer(&branch), myr_out(branch.here.total)};
  for (k_means_centre* one : branch.copies) copy.push_back(myr_out(one));
  for (const k_means_sum* total : branch.totals) add.push_back(myr_in(total));
  myr_spawn_array(copy_centres, copy.data(), copy.size());
  spawn_loops(branch.parts, branch.data.cluster_count);
  myr_spawn_array(add_totals, add.data(), add.size());
}

void spawn_branch(const Branch& branch, myr_region region) {
  const std::array accesses{myr_pointer(&branch),
                            myr_region_access(region, MYR_INOUT | MYR_NOTRANSFER | MYR_WEAK)};
  myr_spawn_array(run_branch, accesses.data(), accesses.size());
}

// ---- main ---------------------------------------------------------------------------------------

const Program& program_in(const myr_access* arguments) {
  return *static_cast<const Program*>(arguments[0].address);
}

// Arguments: the program, the number of the slice; then its centres, and the lists of sums.
void move_slice(const myr_access* arguments) {
  const Program& program = program_in(arguments);
  k_means_move_slice(program.totals.data(), program.totals.size(),
                     program.slices[static_cast<std::size_t>(arguments[1].integer)]);
}

// Arguments: the program; a copy of the centres, and the slices.
void join_slices(const myr_access* arguments) {
  const Program& program = program_in(arguments);
  k_means_join(program.slices.data(), program.slices.size(),
               static_cast<k_means_centre*>(arguments[1].address));
}

// Where tasks are replayed, more of them cost little.
void spawn_moves(const Program& program) {
  for (std::size_t i = 0; i < program.slices.size(); ++i) {
    std::vector<myr_access> accesses{myr_pointer(&program), myr_value(static_cast<std::int64_t>(i)),
                                     myr_inout(program.slices[i].centres)};
    for (const k_means_sum* total : program.totals) accesses.push_back(myr_in(total));
    myr_spawn_array(move_slice, accesses.data(), accesses.size());
  }
  for (k_means_centre* copy : program.copies) {
    std::vector<myr_access> accesses{myr_pointer(&program), myr_out(copy)};
    for (const k_means_slice& slice : program.slices) accesses.push_back(myr_in(slice.centres));
    myr_spawn_array(join_slices, accesses.data(), accesses.size());
  }
}

// Arguments: the program, the centres, the mark; then the lists of sums, and the copies.
void move_centres(const myr_access* arguments) {
  const Program& program = program_in(arguments);
  k_means_move(program.totals.data(), program.totals.size(), program.data.cluster_count,
               program.data.centres, program.copies.data());
}

void spawn_move(const Program& program, int* mark) {
  std::vector<myr_access> accesses{myr_pointer(&program), myr_inout(program.data.centres),
                                   myr_out(mark)};
  for (const k_means_sum* total : program.totals) accesses.push_back(myr_in(total));
  for (k_means_centre* copy : program.copies) accesses.push_back(myr_out(copy));
  myr_spawn_array(move_centres, accesses.data(), accesses.size());
}

void spawn_iteration(const Program& program) {
  const k_means& data = program.data;
  for (std::size_t i = 0; i < program.branches.size(); ++i) {
    spawn_branch(program.branches[i], data.points.branches[i]);
  }
  if (program.branches.empty()) spawn_loops(program.parts, data.cluster_count);
}

Program program_of(const k_means& data) {
  Program program{data, {}, {}, {}, {}, {data.slices, data.slice_count}};
  for (std::size_t p = 0; p < data.points.part_count; ++p) {
    program.parts.push_back(part_of(data, p));
    program.totals.push_back(total_of(program.parts.back()));
    program.copies.push_back(centres[p]);
  }
  return program;
}

// REQUIRES: there are some.
void make_branches(Program& program) {
  const k_means& data = program.data;
  const std::size_t size = program.parts.size() / data.branch_count;
  const Sums totals = std::exchange(program.totals, {});
  const auto copies = std::exchange(program.copies, {});
  for (std::size_t i = 0; i < data.branch_count; ++i) {
    const std::size_t first = i * size;
    const auto of_parts = [&](const auto& list) {
      return std::vector(list.begin() + first, list.begin() + first + size);
    };
    program.branches.push_back({data, data.branch[i], std::span(program.parts).subspan(first, size),
                                of_parts(totals), of_parts(copies)});
    program.totals.push_back(data.branch[i].total);
    program.copies.push_back(data.branch[i].centres);
  }
}

void wait_for(const void* object) {
  const myr_access wanted = myr_in(object);
  myr_wait_array(&wanted, 1);
}

// Main does nothing between two iterations, so they are replayed.
void run_recorded(const Program& program) {
  myr::Recording iteration;
  for (int i = 0; i < program.data.iterations; ++i) {
    iteration.step([&] {
      spawn_iteration(program);
      spawn_moves(program);
    });
  }
  const k_means& data = program.data;
  const myr_access exchange = myr_region_access(data.exchange, MYR_INOUT);
  myr_wait_array(&exchange, 1);
  k_means_join(data.slices, data.slice_count, data.centres);
}

// Main spawns an iteration while the one before runs, and then leaves its worker to tasks.
void run_branches(const Program& program) {
  int* marks[2];
  myr_alloc_many(sizeof(int), MYR_ROOT, 2, reinterpret_cast<void**>(marks));
  for (int i = 0; i < program.data.iterations; ++i) {
    spawn_iteration(program);
    spawn_move(program, marks[i % 2]);
    if (i > 0) wait_for(marks[(i - 1) % 2]);
  }
  wait_for(program.data.centres);
  for (int* mark : marks) myr_free(mark);
}

}  // namespace

void k_means_tasks(k_means* data) {
  set_tables(*data);
  Program program = program_of(*data);
  if (data->branch_count == 0) {
    run_recorded(program);
  } else {
    make_branches(program);
    run_branches(program);
  }
}
