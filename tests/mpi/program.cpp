// SPDX-License-Identifier: Apache-2.0
//
// A program for test_mpi.py: its first argument says how it is to end.
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <memory>
#include <myr/myr.hpp>
#include <myr/serialize.hpp>
#include <stdexcept>
#include <string>
#include <string_view>
#include <tuple>
#include <vector>

namespace {

#ifdef MYR_OTHER_BUILD
constexpr int kFactor = 3;
#else
constexpr int kFactor = 2;
#endif

// Before main begins, in each process.
struct Table {
  Table() {
    for (int i = 0; i < 10; ++i) squares[i] = i * i;
  }
  int squares[10];
};
const Table table;

// What main has set up before its first spawn is not known elsewhere; what initialisers have is.
void add_square(long& sum, int i) { sum += table.squares[i % 10] * kFactor; }

long compute(int rounds) {
  const myr::Region region = myr::Region::create();
  constexpr std::size_t kSums = 8;
  std::array<long*, kSums> sums{};
  for (long*& sum : sums) sum = region.make<long>(0);
  for (int round = 0; round < rounds; ++round) {
    int number = round;
    for (long* sum : sums) myr::spawn(add_square, myr::inout(*sum), number++);
  }
  long total = 0;
  myr::spawn(
      myr::uses(myr::in(region)),
      [](const std::array<long*, kSums>& all, long& result) {
        for (const long* sum : all) result += *sum;
      },
      sums, myr::inout(total));
  myr::wait_all();
  region.free();
  return total;
}

// Objects that only their owner knows: parts of them, one inside the other, grown and freed.
bool use_memory() {
  const myr::Region region = myr::Region::create();
  constexpr std::size_t kCount = 100'000;
  int* const numbers = region.make_array<int>(kCount);
  for (std::size_t i = 0; i < kCount; i += kCount / 10) {
    myr::spawn(
        [](int* part, std::size_t first) {
          for (std::size_t j = 0; j < kCount / 10; ++j) part[j] = static_cast<int>(first + j);
        },
        myr::out(numbers + i, kCount / 10), i);
  }
  myr::spawn([](int& one) { one = -1; }, myr::out(numbers[7]));  // the rest of it stays
  const std::size_t bytes = 2 * kCount * sizeof(int);
  auto* const longer = static_cast<int*>(myr_realloc(numbers, bytes, region.id()));
  bool is_right = longer[7] == -1;
  for (std::size_t i = 8; i < kCount; ++i) is_right &= longer[i] == static_cast<int>(i);
  myr_free(longer);
  region.free();
  return is_right;
}

// Tasks that only the process of their spawner can run.
bool keep_tasks() {
  const auto text = std::make_shared<int>(5);
  int seen = 0;
  myr::spawn([text, &seen] { seen = *text; });
  myr::wait_all();
  return seen == 5 && text.use_count() == 1;
}

// What main sets up once; and variables that tasks use by their names, because they declare them.
int setting = 1;
int counter = 0;
int neighbour = 3;  // not changed
int forgotten = 1;

int own_number() {
  static int number = neighbour + 1;
  return number;
}

bool use_variables() {
  counter = 0;
  setting = 7;
  myr::publish(setting);
  const myr::Region region = myr::Region::create();
  int* seen[8];
  for (int*& one : seen) {
    one = region.make<int>(0);
    myr::spawn([](int& result) { result = setting; }, myr::out(*one));
  }
  for (int i = 0; i < 8; ++i) myr::spawn([](int&) { counter += 1; }, myr::inout(counter));
  myr::wait_all();
  bool is_right = counter == 8;
  for (const int* one : seen) is_right &= *one == 7;
  region.free();
  return is_right;
}

// Those of which other processes have nothing older, and one of which they are given the value.
bool use_neighbours() {
  forgotten = 5;
  const myr::Region region = myr::Region::create();
  int* seen[8];
  bool is_right = own_number() == 4;
  for (int*& one : seen) {
    one = region.make<int>(0);
    myr::spawn([](int& result, int value) { result = neighbour + own_number() + value; },
               myr::out(*one), forgotten);
  }
  myr::wait_all();
  for (const int* one : seen) is_right &= *one == 12;
  region.free();
  return is_right;
}

void use_forgotten() {
  forgotten = 6;
  const myr::Region region = myr::Region::create();
  for (int i = 0; i < 8; ++i) {
    int* const result = region.make<int>(0);
    myr::spawn([](int& it) { it = forgotten; }, myr::out(*result));  // the mistake
  }
  myr::wait_all();
}

// Locals and malloc: lent, lent on by tasks that do not wait, and given back.
bool lend_memory() {
  int sum = 0;
  std::vector<long> numbers(50'000, 1);
  for (std::size_t i = 0; i < numbers.size(); i += 10'000) {
    myr::spawn(
        [](long* part, int& total) {
          for (int j = 0; j < 10'000; ++j) part[j] += j;
          myr::spawn([](int& t) { t += 1; }, myr::inout(total));
        },
        myr::inout(numbers.data() + i, 10'000), myr::inout(sum));
  }
  myr::wait_all();
  bool is_right = sum == 5;
  for (std::size_t i = 0; i < numbers.size(); ++i) {
    is_right &= numbers[i] == 1 + static_cast<long>(i % 10'000);
  }
  return is_right;
}

// What its user says how to save: as with an archive of a library for that, which has it as bytes.
class Matrix {
 public:
  explicit Matrix(std::vector<double> values) : values_(std::move(values)) {}
  [[nodiscard]] const std::vector<double>& values() const { return values_; }

 private:
  std::vector<double> values_;
};

}  // namespace

template <>
struct myr::serialize<Matrix> {
  static std::vector<char> save(const Matrix& matrix) {
    const auto* const first = reinterpret_cast<const char*>(matrix.values().data());
    return {first, first + matrix.values().size() * sizeof(double)};
  }
  static Matrix load(std::string_view bytes) {
    std::vector<double> values(bytes.size() / sizeof(double));
    bytes.copy(reinterpret_cast<char*>(values.data()), bytes.size());
    return Matrix(std::move(values));
  }
};

namespace {

// Arguments that are more than their bytes; of the last task, nobody has said how to save them.
bool save_arguments() {
  const myr::Region region = myr::Region::create();
  bool is_right = true;
  int kept = 0;
  const auto text = std::make_shared<std::string>("stays");
  myr::spawn([text](int& result) { result = static_cast<int>(text->size()); }, myr::out(kept));
  for (int i = 0; i < 20; ++i) {
    const std::string name(static_cast<std::size_t>(i), 'x');
    long* const sum = region.make<long>(0);
    myr::spawn(
        [](long& result, const std::string& word, const std::vector<int>& numbers,
           const Matrix& matrix) {
          usleep(1000);
          result = static_cast<long>(word.size() + numbers.size() + matrix.values().size());
        },
        myr::inout(*sum), name, std::vector<int>(5), Matrix({1, 2, 3}));
    myr::spawn([](const long& result, bool& right, long wanted) { right &= result == wanted; },
               myr::in(*sum), myr::inout(is_right), long{i} + 8);
  }
  myr::wait_all();
  region.free();
  return is_right && kept == 5;
}

// Pairs of tasks that wait for each other, so both must have begun: of two that are bound to one
// worker, one is taken back.
void meet(std::string_view folder) {
  constexpr int kRounds = 20;
  const auto mark = [](const char* where, int round, int side) {
    return std::filesystem::path(where) / (std::to_string(round) + (side == 0 ? "a" : "b"));
  };
  const myr::Region region = myr::Region::create();
  char* const where = region.make_array<char>(folder.size() + 1);
  folder.copy(where, folder.size());
  where[folder.size()] = 0;
  for (int round = 0; round < kRounds; ++round) {
    for (int side = 0; side < 2; ++side) {
      myr::spawn(
          [mark](const char* in, int number, int own) {
            std::ofstream(mark(in, number, own)).put('x');
            while (!std::filesystem::exists(mark(in, number, 1 - own))) usleep(1000);
            usleep(2000);  // so that main goes on to spread
          },
          myr::in(where), round, side);
    }
    myr::wait_all();
  }
  region.free();
}

// Parts of the first loop go anywhere; those of the second stay, as vectors own memory.
bool loop() {
  constexpr std::size_t kCount = 30;
  const myr::Region region = myr::Region::create();
  int* const numbers = region.make_array<int>(kCount);
  std::vector<std::vector<int>> lists(kCount);
  for (long round = 0; round < 10; ++round) {  // no gaps in a body, which may look like addresses
    myr::for_each(myr::Range{0, kCount}, myr::inout(numbers, myr::part),
                  [numbers, round](std::size_t i) {
                    if (i == 0) usleep(1000);
                    numbers[i] += static_cast<int>(round);
                  });
  }
  myr::for_each(myr::Range{0, kCount}, myr::inout(lists, myr::part),
                [all = lists.data()](std::size_t i) { all[i].push_back(1); });
  myr::wait_all();
  bool is_right = true;
  for (std::size_t i = 0; i < kCount; ++i) is_right &= numbers[i] == 45 && lists[i].size() == 1;
  region.free();
  return is_right;
}

// One after the other, wherever.
void chain() {
  int* const number = myr::Region::root().make<int>(0);
  for (int i = 0; i < 40; ++i) {
    myr::spawn(
        [](int& one) {
          usleep(1000);
          one += 1;
        },
        myr::inout(*number));
  }
  myr::wait_all();
}

// Strings where others would find their bytes: in a region that the task was given, or that it
// leaves behind.
void make_owners(bool leaves) {
  const myr::Region given = myr::Region::create();
  for (int i = 0; i < 4; ++i) {
    myr::spawn(
        [](myr::Region own, bool inside) {
          const myr::Region region = inside ? myr::Region::create(own) : own;
          std::ignore = region.make_array<std::string>(2);  // the mistake
        },
        myr::inout(given), leaves);  // left behind by this one
  }
  myr::wait_all();
}

// Children complete what their parents have made, some of them in another process. More parents are
// held open than workers have room for.
bool complete_elsewhere() {
  constexpr int kRounds = 4;
  int sums[64] = {};
  for (int round = 0; round < kRounds; ++round) {
    for (int& sum : sums) {
      myr::spawn(
          [](int& own) {
            const myr_event event = myr::Event::create().release();
            myr::spawn(
                [event](int& childs) {
                  childs += 1;
                  myr_event_complete(event);
                },
                myr::inout(own));
          },
          myr::inout(sum));
    }
  }
  myr::wait_all();
  return std::all_of(std::begin(sums), std::end(sums), [](int sum) { return sum == kRounds; });
}

// The mistake: the event is completed twice, the second time in another process.
void complete_twice() {
  int sums[16] = {};
  for (int& sum : sums) {
    myr::spawn(
        [](int& own) {
          const myr_event event = myr::Event::create().release();
          myr::spawn([event](int&) { myr_event_complete(event); }, myr::inout(own));
          myr_event_complete(event);
        },
        myr::inout(sum));
  }
  myr::wait_all();
}

}  // namespace

int main(int count, char** arguments) {
  const std::string_view end = count > 1 ? arguments[1] : "";
  if (end == "nothing") return std::puts("done") < 0 ? 1 : 0;
  if (end == "lasts") return static_cast<int>(sleep(20));
  if (end == "without_tasks") return std::puts("done") < 0 ? 1 : 4;
  if (end == "forever") {
    static_cast<void>(compute(1000));  // the job has started
    std::puts("computing");
    std::fflush(stdout);
    for (;;) static_cast<void>(compute(1000));
  }
  if (end == "exhaust") {  // in the process of a task, which keeps what it is given
    myr::spawn(
        [](myr::Region region) {
          for (;;) region.make_array<char>(std::size_t{1} << 20)[0] = 1;
        },
        myr::inout(myr::Region::create()));
  }
  if (end == "saved") return save_arguments() ? 0 : 1;
  if (end == "variables") return use_variables() && use_neighbours() && use_variables() ? 0 : 1;
  if (end == "forgotten") use_forgotten();
  if (end == "owners" || end == "leaves") make_owners(end == "leaves");
  if (end == "elsewhere") return complete_elsewhere() ? 0 : 1;
  if (end == "twice") complete_twice();
  if (end == "loop") return loop() ? 0 : 1;
  if (end == "meet") {
    meet(arguments[2]);
    return 0;
  }
  if (end == "chain") {
    chain();
    return 0;
  }
  std::printf("main runs: %ld\n", compute(100));
  if (!use_memory() || !keep_tasks() || !use_variables() || !lend_memory()) return 1;
  if (end == "status") return 3;
  if (end == "throw") {
    int* const x = myr::Region::root().make<int>(0);
    myr::spawn([](int&) { throw std::runtime_error("nobody catches this"); }, myr::inout(*x));
  }
  if (end == "misuse") {
    int* const x = myr::Region::root().make<int>(0);
    int* const y = myr::Region::root().make<int>(0);
    myr::spawn([](int&, int* other) { myr::spawn([](int&) {}, myr::inout(*other)); },
               myr::inout(*x), y);
  }
  if (end == "fault") {
    struct Outside {
      int* number;
    };
    Outside outside{new int(1)};
    myr::spawn([](const Outside& it) { *it.number += 1; }, myr::in(outside));
    myr::wait_all();
  }
  if (end == "again") {
    myr_finish();
    if (myr_init() != 0) return 1;
    std::printf("%ld\n", compute(10));
  }
  return 0;
}
