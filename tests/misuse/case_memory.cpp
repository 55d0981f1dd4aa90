// SPDX-License-Identifier: Apache-2.0
//
// Objects and regions that are unknown, freed, not held, or too large.
#include <myr/myr.hpp>
#include <tuple>
#include <vector>

#include "cases.hpp"

namespace myr::misuse_test {

namespace {

constexpr myr_region kNeverCreated = 0x123456789;
constexpr std::size_t kHuge = std::size_t{1} << 46;

void nothing(const myr_access*) {}

myr_region freed_region() {
  const myr_region region = myr_region_new(MYR_ROOT, 0);
  myr_region_free(region);
  std::ignore = myr_region_new(MYR_ROOT, 0);  // may take the freed one's place
  return region;
}

// ---- Unknown or freed.

// Where loops are cut by schedulers, which believe the program.
void loop_outside_its_region() {
  const Region region = Region::create(), other = Region::create();
  std::vector<int*> objects{region.make<int>(1), other.make<int>(2)};
  const auto window = each(objects).inside(region);
  for_each(Range{0, 2},
           inout(window, part),  // misuse: loop_outside_its_region: windows: no object of the
           [](std::size_t) {});
}

// The same of what it only reads, which may be with another scheduler than what it writes.
void loop_reads_outside_its_region() {
  const Region written(myr_region_new(MYR_ROOT, 0)), read(myr_region_new(MYR_ROOT, 0));
  const Region other(myr_region_new(MYR_ROOT, 0));
  std::vector<int*> targets, sources;
  for (int i = 0; i < 4; ++i) targets.push_back(written.make<int>(i));
  for (int i = 0; i < 3; ++i) sources.push_back(read.make<int>(i));
  sources.push_back(other.make<int>(3));
  const auto window = each(sources).inside(read);
  for_each(Range{0, 4},
           in(window, part),  // misuse: loop_reads_outside_its_region: windows: no object of the
           inout(each(targets).inside(written), part), [](std::size_t) {});
}

void double_free() {
  void* const object = myr_alloc(100, MYR_ROOT);
  myr_free(object);
  myr_free(object);  // misuse: double_free: freed
}

void double_free_in_region() {
  const myr_region region = myr_region_new(MYR_ROOT, 0);
  void* const object = myr_alloc(100, region);
  myr_region_free(region);
  myr_free(object);  // misuse: double_free_in_region: freed
}

void free_unknown() {
  int local = 0;
  myr_free(&local);  // misuse: free_unknown: no live object
}

void free_interior() {
  char* const object = static_cast<char*>(myr_alloc(1000, MYR_ROOT));
  myr_free(object + 64);  // misuse: free_interior: object
}

void free_interior_unaligned() {
  char* const object = static_cast<char*>(myr_alloc(1000, MYR_ROOT));
  myr_free(object + 3);  // misuse: free_interior_unaligned: object
}

void realloc_unknown() {
  int local = 0;
  std::ignore = myr_realloc(&local, 8, MYR_ROOT);  // misuse: realloc_unknown: no live object
}

void realloc_freed() {
  void* const object = myr_alloc(100, MYR_ROOT);
  myr_free(object);
  std::ignore = myr_realloc(object, 8, MYR_ROOT);  // misuse: realloc_freed: freed
}

void spawn_unknown_pointer() {
  static int number;
  const myr_access access = myr_in(&number);
  myr_spawn(nothing, access);  // misuse: spawn_unknown_pointer: not the begin of an object
}

void in_of_other_memory() {
  int* const numbers = new int[10];
  spawn([](int*) {}, out(numbers));  // misuse: in_of_other_memory: write|in..p.*in.p, n
}

void in_of_null() {
  int* head = nullptr;                 // a task that sets it may be under way
  spawn([](const int*) {}, in(head));  // misuse: in_of_null: is null.*in.maybe
}

void wait_for_null() {
  int* head = nullptr;
  wait(in(head));  // misuse: wait_for_null: is null.*in.maybe
}

void in_of_elements_of_null() {
  int* none = nullptr;
  spawn([](const int*) {}, in(none, 3));  // misuse: in_of_elements_of_null: is null
}

void spawn_freed_object() {
  void* const object = myr_alloc(100, MYR_ROOT);
  myr_free(object);
  const myr_access access = myr_in(object);
  myr_spawn(nothing, access);  // misuse: spawn_freed_object: freed
}

void spawn_interior() {
  char* const object = static_cast<char*>(myr_alloc(1000, MYR_ROOT));
  const myr_access access = myr_in(object + 64);
  myr_spawn(nothing, access);  // misuse: spawn_interior: into an object
}

void spawn_past_the_end() {
  char* const object = static_cast<char*>(myr_alloc(1000, MYR_ROOT));
  const myr_access access = myr_in_range(object + 500, 5000);
  myr_spawn(nothing, access);  // misuse: spawn_past_the_end: past the end
}

void spawn_unknown_region() {
  const myr_access access = myr_inout_region(kNeverCreated);
  myr_spawn(nothing, access);  // misuse: spawn_unknown_region: no (such )?region
}

void spawn_freed_region() {
  const myr_access access = myr_inout_region(freed_region());
  myr_spawn(nothing, access);  // misuse: spawn_freed_region: no (such )?region
}

void wait_unknown_region() {
  const myr_access access = myr_inout_region(kNeverCreated);
  myr_wait(access);  // misuse: wait_unknown_region: no (such )?region
}

void wait_freed_object() {
  void* const object = myr_alloc(100, MYR_ROOT);
  myr_free(object);
  const myr_access access = myr_inout(object);
  myr_wait(access);  // misuse: wait_freed_object: freed
}

void alloc_unknown_region() {
  std::ignore = myr_alloc(8, kNeverCreated);  // misuse: alloc_unknown_region: no (such )?region
}

void make_in_no_region() {
  struct Tree {
    Region left;
  };
  const Tree tree;
  spawn([tree] {
    std::ignore = tree.left.make<int>(1);  // misuse: make_in_no_region: no region.*Region::root
  });
  wait_all();
}
void create_in_no_region() {
  std::ignore = Region::create(Region());  // misuse: create_in_no_region: no region.*Region::root
}

void alloc_freed_region() {
  const myr_region region = freed_region();
  std::ignore = myr_alloc(8, region);  // misuse: alloc_freed_region: no (such )?region
}

void alloc_just_freed() {
  const myr_region region = myr_region_new(MYR_ROOT, 0);
  std::ignore = myr_alloc(8, region);
  std::ignore = myr_alloc(8, region);
  myr_region_free(region);
  std::ignore = myr_alloc(8, region);  // misuse: alloc_just_freed: no (such )?region
}

void blocks_of_no_size() {
  std::ignore = myr_alloc_blocks(8, 96, MYR_ROOT);  // misuse: blocks_of_no_size: 96.*power of two
}

void blocks_too_small() {
  std::ignore = myr_alloc_blocks(8, 32, MYR_ROOT);  // misuse: blocks_too_small: 32.*at least 64
}

void blocks_past_the_end() {
  auto* array = Region::root().make_blocks<char>(100'000, 4096);
  spawn([](char*) {}, inout(array + 4096, 200'000));  // misuse: blocks_past_the_end: end
}

void alloc_many_unknown() {
  void* objects[4];
  myr_alloc_many(8, kNeverCreated, 4, objects);  // misuse: alloc_many_unknown: no (such )?region
}

void region_new_unknown() {
  std::ignore = myr_region_new(kNeverCreated, 0);  // misuse: region_new_unknown: no (such )?region
}

void region_free_unknown() {
  myr_region_free(kNeverCreated);  // misuse: region_free_unknown: no (such )?region
}

void region_free_twice() {
  const myr_region region = freed_region();
  myr_region_free(region);  // misuse: region_free_twice: no (such )?region
}

void region_free_root() {
  myr_region_free(MYR_ROOT);  // misuse: region_free_root: root
}

// ---- Not held.

void alloc_read_only() {
  const Region region = Region::create();
  const auto task = [](Region held) {
    std::ignore = myr_alloc(8, held.id());  // misuse: alloc_read_only: footprint|hold
  };
  spawn(task, in(region));
  wait_all();
}

void alloc_parent_held() {
  const Region region = Region::create(Region::root());
  spawn(uses(inout(region)), [region] {
    std::ignore = myr_alloc(8, region.id());
    spawn([region] {
      std::ignore = myr_alloc(8, region.id());  // misuse: alloc_parent_held: footprint|hold
    });
    myr_wait_all();
  });
  myr_wait_all();
}

void alloc_not_held() {
  const Region region = Region::create();
  const auto task = [] {
    std::ignore = myr_alloc(8, MYR_ROOT);  // misuse: alloc_not_held: footprint|hold
  };
  spawn(uses(inout(region)), [task] { task(); });
  wait_all();
}

void region_new_read_only() {
  const Region region = Region::create();
  const auto task = [](Region held) {
    std::ignore = myr_region_new(held.id(), 0);  // misuse: region_new_read_only: footprint|hold
  };
  spawn(task, in(region));
  wait_all();
}

void free_own_argument() {
  int* const object = Region::root().make<int>(1);
  const auto task = [](int* held) {
    myr_free(held);  // misuse: free_own_argument: argument|hold
  };
  spawn(task, inout(object));
  wait_all();
}

void free_own_argument_beside_region() {
  const Region region = Region::create();
  int* const object = region.make<int>(1);
  const auto task = [](int* held) {
    myr_free(held);  // misuse: free_own_argument_beside_region: argument|hold
  };
  spawn(uses(inout(region)), task, inout(object));
  wait_all();
}

void free_read_only() {
  const Region region = Region::create();
  int* const object = region.make<int>(1);
  const auto task = [](int* inner) {
    myr_free(inner);  // misuse: free_read_only: footprint|hold
  };
  spawn(uses(in(region)), task, object);
  wait_all();
}

void free_not_held() {
  int* const object = Region::root().make<int>(1);
  const auto task = [](int* stranger) {
    myr_free(stranger);  // misuse: free_not_held: footprint|hold
  };
  spawn(task, object);
  wait_all();
}

void region_free_own_argument() {
  const Region region = Region::create();
  const auto task = [](Region held) {
    myr_region_free(held.id());  // misuse: region_free_own_argument: argument|hold
  };
  spawn(task, inout(region));
  wait_all();
}

void region_free_not_held() {
  const Region region = Region::create();
  const auto task = [](Region stranger) {
    myr_region_free(stranger.id());  // misuse: region_free_not_held: footprint|hold
  };
  spawn(task, region);
  wait_all();
}

void realloc_own_argument() {
  const Region region = Region::create();
  int* const object = Region::root().make<int>(1);
  const auto task = [](Region held, int* own) {
    std::ignore = myr_realloc(own, 99, held.id());  // misuse: realloc_own_argument: argument|hold
  };
  spawn(task, inout(region), inout(object));
  wait_all();
}

// ---- Too large.

void alloc_huge() {
  std::ignore = myr_alloc(kHuge, MYR_ROOT);  // misuse: alloc_huge: memory|address
}

void alloc_overflow() {
  std::ignore = myr_alloc(SIZE_MAX - 5, MYR_ROOT);  // misuse: alloc_overflow: memory|address
}

void alloc_many_huge() {
  void* objects[8];
  myr_alloc_many(kHuge, MYR_ROOT, 8, objects);  // misuse: alloc_many_huge: memory|address
}

void realloc_huge() {
  void* const object = myr_alloc(8, MYR_ROOT);
  std::ignore = myr_realloc(object, kHuge, MYR_ROOT);  // misuse: realloc_huge: memory|address
}

void range_overflow() {
  double few[4] = {};
  double* const numbers = few;
  spawn([](double*) {}, inout(numbers, SIZE_MAX / 4));  // misuse: range_overflow: end of memory
}

void range_count_negative() {
  char letters[4] = {};
  char* const first = letters;
  const int count = -1;
  const auto size = static_cast<std::size_t>(count);
  spawn([](char*) {}, out(first, size));  // misuse: range_count_negative: negative
}

void tile_overflow() {
  int numbers[4] = {};
  const auto rows = SIZE_MAX / 8;
  spawn([](myr::Tile<int>) {},
        inout(myr::tile(numbers, rows, 4, 4)));  // misuse: tile_overflow: end
}

// Rows are accesses of their own, so many that their size does not fit into 64 bits; n - 1 of no n.
void tile_rows_negative() {
  int numbers[8] = {};
  const std::size_t none = 0;
  const auto absurd = myr::tile(numbers, none - 1, 1, 2);
  spawn([](myr::Tile<int>) {}, inout(absurd));  // misuse: tile_rows_negative: no memory for a task
}

void tile_rows_overflow() {
  int numbers[8] = {};
  const auto half = myr::tile(numbers, (SIZE_MAX >> 1) + 1, 1, 2);
  spawn([](myr::Tile<const int>, myr::Tile<const int>) {},
        in(half),  // misuse: tile_rows_overflow: no memory
        in(half));
}

void tile_stride_negative() {
  int numbers[8] = {};
  const std::size_t none = 0;
  const auto absurd = myr::tile(&numbers[4], 2, 1, none - 1);
  spawn([](myr::Tile<int>) {}, inout(absurd));  // misuse: tile_stride_negative: end of memory
}

void wait_for_negative_rows() {
  int numbers[8] = {};
  const std::size_t none = 0;
  const auto absurd = myr::tile(numbers, none - 1, 1, 2);
  myr::wait(in(absurd));  // misuse: wait_for_negative_rows: no memory
}

void loop_over_negative_rows() {
  int numbers[8] = {};
  const std::size_t none = 0;
  const auto absurd = myr::tile(numbers, none - 1, 1, 2);
  for_each(myr::grain(none - 1), Range{0, none - 1},
           inout(absurd, part),  // misuse: loop_over_negative_rows: no memory for a task
           [](Range) {});
}

void loop_past_memory() {
  int numbers[8] = {};
  int* const first = numbers;
  for_each(Range{SIZE_MAX / 4 - 3, SIZE_MAX / 4 + 2},
           out(first, part),  // misuse: loop_past_memory: end of memory
           [](Range) {});
}

// At the very end of all addresses, behind every array.
void range_at_the_end() {
  std::ignore = Region::root().make_blocks<int>(1000, 64);
  char* const last = reinterpret_cast<char*>(UINTPTR_MAX - 3);
  spawn([](char*) {}, inout(last, 3));  // misuse: range_at_the_end: end of memory
}

// Where tasks are ordered by blocks of memory. A wait names as much as it likes.
void too_many_blocks() {
  char first = 0;
  char* const begin = &first;
  constexpr std::size_t most = std::size_t{1} << 47;
  wait(in(begin, most));
  spawn([](const char*) {}, in(begin, most));  // misuse: too_many_blocks: blocks: 67108864 blocks
}

void spawn_negative_count() {
  const myr_access access = myr_value(1);
  myr_spawn_array(nothing, &access, SIZE_MAX / 16 + 2);  // misuse: spawn_negative_count: no memory
}

void part_overflow() {
  int* const object = Region::root().make<int>(1);
  const auto count = SIZE_MAX / 2;
  spawn([](int*) {}, inout(object, count));  // misuse: part_overflow: past the end
}

// ---- Not an access.

void flag_unknown() {
  myr_access access = myr_in(myr_alloc(8, MYR_ROOT));
  access.flags |= 0x8000;
  myr_spawn(nothing, access);  // misuse: flag_unknown: 0x8000
}

void mode_forgotten() {
  int x = 0;
  myr_access access = {};  // as C makes of myr_spawn(nothing, &x)
  access.address = &x;
  myr_spawn(nothing, access);  // misuse: mode_forgotten: access 1 does not say.*myr_in
}

void mode_forgotten_in_wait() {
  myr_access access = myr_in(myr_alloc(8, MYR_ROOT));
  access.flags = MYR_NOTRANSFER;
  myr_wait(access);  // misuse: mode_forgotten_in_wait: access 1 does not say what it is for
}

void no_function() {
  myr_spawn_array(nullptr, nullptr, 0);  // misuse: no_function: pointer to the function is null
}

void no_function_with_priority() {
  myr_spawn_priority(1, nullptr);  // misuse: no_function_with_priority: function is null
}

void no_accesses() {
  myr_spawn_array(nothing, nullptr, 3);  // misuse: no_accesses: pointer to the accesses is null
}

void no_accesses_to_wait_for() {
  myr_wait_array(nullptr, 2);  // misuse: no_accesses_to_wait_for: pointer to the accesses is null
}

constexpr Case kCases[] = {
    {"mode_forgotten", mode_forgotten},
    {"mode_forgotten_in_wait", mode_forgotten_in_wait},
    {"no_function", no_function},
    {"no_function_with_priority", no_function_with_priority},
    {"no_accesses", no_accesses},
    {"no_accesses_to_wait_for", no_accesses_to_wait_for},
    {"double_free", double_free},
    {"loop_outside_its_region", loop_outside_its_region},
    {"loop_reads_outside_its_region", loop_reads_outside_its_region},
    {"double_free_in_region", double_free_in_region},
    {"free_unknown", free_unknown},
    {"free_interior", free_interior},
    {"free_interior_unaligned", free_interior_unaligned},
    {"realloc_unknown", realloc_unknown},
    {"realloc_freed", realloc_freed},
    {"spawn_unknown_pointer", spawn_unknown_pointer},
    {"in_of_other_memory", in_of_other_memory},
    {"in_of_null", in_of_null},
    {"wait_for_null", wait_for_null},
    {"in_of_elements_of_null", in_of_elements_of_null},
    {"spawn_freed_object", spawn_freed_object},
    {"spawn_interior", spawn_interior},
    {"spawn_past_the_end", spawn_past_the_end},
    {"spawn_unknown_region", spawn_unknown_region},
    {"spawn_freed_region", spawn_freed_region},
    {"wait_unknown_region", wait_unknown_region},
    {"wait_freed_object", wait_freed_object},
    {"alloc_unknown_region", alloc_unknown_region},
    {"make_in_no_region", make_in_no_region},
    {"create_in_no_region", create_in_no_region},
    {"alloc_freed_region", alloc_freed_region},
    {"alloc_just_freed", alloc_just_freed},
    {"alloc_many_unknown", alloc_many_unknown},
    {"region_new_unknown", region_new_unknown},
    {"region_free_unknown", region_free_unknown},
    {"region_free_twice", region_free_twice},
    {"region_free_root", region_free_root},
    {"alloc_read_only", alloc_read_only},
    {"alloc_not_held", alloc_not_held},
    {"alloc_parent_held", alloc_parent_held},
    {"region_new_read_only", region_new_read_only},
    {"free_own_argument", free_own_argument},
    {"free_own_argument_beside_region", free_own_argument_beside_region},
    {"free_read_only", free_read_only},
    {"free_not_held", free_not_held},
    {"region_free_own_argument", region_free_own_argument},
    {"region_free_not_held", region_free_not_held},
    {"realloc_own_argument", realloc_own_argument},
    {"alloc_huge", alloc_huge},
    {"blocks_of_no_size", blocks_of_no_size},
    {"blocks_too_small", blocks_too_small},
    {"blocks_past_the_end", blocks_past_the_end},
    {"alloc_overflow", alloc_overflow},
    {"alloc_many_huge", alloc_many_huge},
    {"realloc_huge", realloc_huge},
    {"range_overflow", range_overflow},
    {"range_count_negative", range_count_negative},
    {"tile_overflow", tile_overflow},
    {"tile_rows_negative", tile_rows_negative},
    {"tile_rows_overflow", tile_rows_overflow},
    {"tile_stride_negative", tile_stride_negative},
    {"wait_for_negative_rows", wait_for_negative_rows},
    {"loop_over_negative_rows", loop_over_negative_rows},
    {"loop_past_memory", loop_past_memory},
    {"range_at_the_end", range_at_the_end},
    {"too_many_blocks", too_many_blocks},
    {"spawn_negative_count", spawn_negative_count},
    {"part_overflow", part_overflow},
    {"flag_unknown", flag_unknown},
};

}  // namespace

const std::span<const Case> kMemoryCases = kCases;

}  // namespace myr::misuse_test
