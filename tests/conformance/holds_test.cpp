// SPDX-License-Identifier: Apache-2.0
//
// docs/semantics.md, "What an access names": containers and views stand for what they hold.
#include <algorithm>
#include <array>
#include <map>
#include <memory>
#include <myr/serialize.hpp>
#include <numeric>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <valarray>
#include <vector>

#include "support.hpp"

namespace myr::conformance {

namespace {

constexpr std::size_t kElements = 10'000;

// Some time passes, so that one that does not wait comes too early.
template <class Container>
void fill_slowly(Container& all, int value) {
  take_time(100'000);
  for (auto& one : all) one = static_cast<std::remove_reference_t<decltype(one)>>(value);
}
inline void fill_slowly_from(int* first, std::size_t count) {
  std::span all(first, count);
  fill_slowly(all, 1);
}
template <class Container>
long total_of(const Container& all) {
  return std::accumulate(std::begin(all), std::end(all), 0L);
}

// What a std::mdspan of one dimension has, which GCC 12 does not.
template <class T, class Extents, class Layout, class A>
struct Mapping {
  T* first;
  std::size_t count;
  Mapping(T* data, std::size_t size) : first(data), count(size) {}
  template <class U, class B>
  explicit(false) Mapping(const Mapping<U, Extents, Layout, B>& other)
      : first(other.first), count(other.count) {}
  [[nodiscard]] T* data_handle() const { return first; }
  [[nodiscard]] const Mapping& mapping() const { return *this; }
  [[nodiscard]] std::size_t required_span_size() const { return count; }
  T& operator[](std::size_t i) const { return first[i]; }
};
template <class T>
struct Accessor {};
template <class T>
using View = Mapping<T, int, int, Accessor<T>>;

// Writers of x and readers of its elements wait for each other, and the other way round.
template <class X, class E, class Fill, class Sum>
void check_order_of(X& x, E* first, std::size_t count, Fill fill, Sum sum) {
  long of_elements = 0;
  long of_all = 0;
  spawn(fill, out(x));
  spawn([count](const E* all, long& s) { s = std::accumulate(all, all + count, 0L); },
        in(first, count), out(of_elements));
  spawn(
      [count](E* all) {
        for (std::size_t i = 0; i < count; ++i) all[i] = static_cast<E>(2);
      },
      inout(first, count));
  spawn([sum](const X& all, long& s) { s = sum(all); }, in(x), out(of_all));
  wait(in(x));
  CHECK(sum(x) == 2 * static_cast<long>(count));
  wait_all();
  CHECK(of_elements == static_cast<long>(count));
  CHECK(of_all == 2 * static_cast<long>(count));
}
template <class X, class E>
void check_order(X& x, E* first, std::size_t count) {
  check_order_of(
      x, first, count, [](X& all) { fill_slowly(all, 1); },
      [](const X& all) { return total_of(all); });
}

struct Band {
  int first = 0;
  std::vector<int> cells;
  std::string name;
};

}  // namespace

}  // namespace myr::conformance

template <>
struct myr::parts_of<myr::conformance::Band> {
  template <class B>
  static auto of(B& band) {
    return std::tie(band.first, band.cells, band.name);
  }
};

namespace myr::conformance {

TEST_CASE("a container stands for its elements") {
  std::vector<int> v(kElements);
  int* const p = v.data();
  for_each(Range{0, v.size()}, out(v, part), [p](std::size_t i) { p[i] = 1; });
  long sum = 0;
  spawn(
      [](const std::vector<int>& all, long& s) { s = std::accumulate(all.begin(), all.end(), 0L); },
      in(v), out(sum));  // after all parts of the loop
  wait(in(v));           // so is main
  CHECK(v.back() == 1);
  spawn([](std::vector<int>& all) { all[0] = 5; }, inout(v));
  int first = 0;
  spawn([](const int* q, int& f) { f = *q; }, in(p, 1), out(first));  // after the write
  wait_all();
  CHECK(sum == kElements);
  CHECK(first == 5);
}

TEST_CASE("a view stands for what it looks at") {
  std::vector<int> v(100);
  spawn([](std::span<int> all) { std::fill(all.begin(), all.end(), 1); }, out(std::span(v)));
  std::span half(v.data(), 50);
  spawn([](std::span<int> some) { some[0] = 2; }, inout(half));
  int sum = 0;
  spawn([](std::span<const int> all, int& s) { s = std::accumulate(all.begin(), all.end(), 0); },
        in(std::span(v)), out(sum));
  wait(in(sum));
  CHECK(sum == 101);
}

TEST_CASE("object(v) is the container without its elements") {
  std::vector<int> v(10, 1);
  std::size_t size = 0;
  spawn([](const std::vector<int>& all, std::size_t& s) { s = all.size(); }, in(object(v)),
        out(size));
  spawn([](int* p) { p[0] = 7; }, inout(v.data(), 10));  // need not wait for the first
  int* head = nullptr;
  spawn([](int*& p, int* to) { p = to; }, out(object(head)), v.data());  // the pointer itself
  wait_all();
  CHECK(size == 10);
  CHECK(v[0] == 7);
  CHECK(head == v.data());
}

TEST_CASE("what does not conflict with the header or with the elements meets") {
  if (!is_parallel()) return;
  std::vector<int> v(10);
  std::atomic<int> arrived{0};
  Spawning main_spawns;
  main_spawns.begin();
  const auto meet = [&](auto&&) {
    ++arrived;
    if (!main_spawns.is_below_us()) await([&] { return arrived == 2; });
  };
  spawn(meet, inout(object(v)));
  spawn(meet, inout(v.data(), v.size()));
  main_spawns.end();
  wait_all();
  CHECK(arrived == 2);
}

TEST_CASE("a task may change the size of what it gets") {
  std::vector<int> v(3, 1);
  spawn([](std::vector<int>& all) { all.resize(1000, 1); }, inout(v));
  long sum = 0;
  spawn(
      [](const std::vector<int>& all, long& s) { s = std::accumulate(all.begin(), all.end(), 0L); },
      in(v), out(sum));
  wait(inout(v));  // then v may be named by its parts
  CHECK(sum == 1000);
  spawn([](int* p) { p[999] = 2; }, out(v.data(), v.size()));
  wait(in(v));
  CHECK(v.back() == 2);
}

TEST_CASE("who comes after a task that has changed a size waits for its children") {
  for (int round = 0; round < 20; ++round) {
    std::vector<int> v;
    spawn(
        [](std::vector<int>& all) {
          all.resize(64);
          for (std::size_t i = 0; i < all.size(); i += 8) {
            const auto fill = [](int* first) {
              take_time(10'000);
              std::fill(first, first + 4, 1);
            };
            const auto fill_both = [fill](int* first) {
              spawn(fill, out(first, 4));
              spawn(fill, out(first + 4, 4));
            };
            spawn(fill_both, out(all.data() + i, 8));
          }
        },
        inout(v));
    long sum = 0;
    spawn([](const std::vector<int>& all, long& s) { s = total_of(all); }, in(v), out(sum));
    wait(in(sum));
    CHECK(sum == 64);
  }
}

TEST_CASE("and for those on what it has put into an object") {
  struct Node {
    std::unique_ptr<Node> next;
    int value = 0;
  };
  for (int round = 0; round < 20; ++round) {
    Node list;
    spawn(
        [](Node& head) {
          for (Node* last = &head; head.value < 5; ++head.value) {
            last->next = std::make_unique<Node>();
            last = last->next.get();
          }
          const auto set = [](int& value) {
            take_time(10'000);
            value = 1;
          };
          for (Node* node = head.next.get(); node != nullptr; node = node->next.get()) {
            spawn(set, out(node->value));
          }
        },
        inout(object(list)));
    int sum = 0;
    const auto add = [](const Node& head, int& s) {
      for (const Node* node = head.next.get(); node != nullptr; node = node->next.get()) {
        s += node->value;
      }
    };
    spawn(add, in(object(list)), out(sum));
    wait(in(sum));
    CHECK(sum == 5);
  }
}

TEST_CASE("children of a task may name what a container has grown into") {
  std::vector<int> v(50, 1);
  v.reserve(100);
  spawn(
      [](std::vector<int>& all) {
        all.resize(100, 1);
        spawn([](int* first) { *first = 2; }, inout(all.data() + 60, 1));
        spawn([](int* first) { first[0] = first[11] = 3; }, inout(all.data() + 45, 12));
      },
      inout(v));
  wait(inout(v));
  CHECK(total_of(v) == 105);
}

// What is freed is what comes next, as it often is with malloc().
template <class T>
struct SamePlace {
  using value_type = T;
  SamePlace() = default;
  template <class U>
  SamePlace(const SamePlace<U>&) {}
  T* allocate(std::size_t) {
    static T room[kElements];
    return room;
  }
  void deallocate(T*, std::size_t) {}
  friend bool operator==(SamePlace, SamePlace) { return true; }
};
using Replaced = std::vector<int, SamePlace<int>>;

TEST_CASE("what a container has grown into may begin where it was") {
  Replaced v(8, 0);
  Replaced many[20];  // more than a few accesses, which are looked up differently
  const auto grow = [](Replaced& own) {
    const std::size_t size = 2 * own.size();
    own = Replaced();
    own.assign(size, 0);
    for (std::size_t i = 0; i < 2; ++i) {
      spawn([](int* p, std::size_t n) { fill_slowly_from(p, n); },
            inout(&own[i * size / 2], size / 2), size / 2);
    }
    int sum = 0;
    spawn([](const Replaced& all, int& s) { s = std::accumulate(all.begin(), all.end(), 0); },
          in(own), out(sum));
    wait(in(sum));
    CHECK(sum == std::accumulate(own.begin(), own.end(), 0));
    CHECK(sum > 0);
  };
  for (int i = 0; i < 5; ++i) {
    spawn(grow, inout(v));
    spawn([grow](Replaced& own, auto&) { grow(own); }, inout(v), inout(many));
  }
  wait(in(v));
  CHECK(v.size() == 8 << 10);
}

TEST_CASE("children of a task that has changed a size may name all of it") {
  std::vector<int> v(50, 1);
  v.reserve(100);
  spawn(
      [](std::vector<int>& all) {
        all.resize(100, 1);  // now there are more elements than this task has declared
        spawn(
            [](std::vector<int>& own) {
              for (int& one : own) one *= 2;
            },
            inout(all));
      },
      inout(v));
  wait(inout(v));
  CHECK(total_of(v) == 200);
}

TEST_CASE("writers and readers of all kinds of containers are ordered") {
  std::array<int, 10> array{};
  check_order(array, array.data(), array.size());
  std::valarray<int> values(kElements);
  check_order(values, &values[0], values.size());
  std::string text(kElements, 'a');
  check_order(text, text.data(), text.size());
  std::string brief = "ab";  // its characters are in the object itself
  check_order(brief, brief.data(), brief.size());
  std::vector<char> none;
  check_order(none, none.data(), 0);
  std::vector<int> two[2] = {std::vector<int>(1), std::vector<int>(kElements)};
  check_order_of(
      two, two[1].data(), kElements, [](auto& all) { fill_slowly(all[1], 1); },
      [](const auto& all) { return total_of(all[1]); });
  std::array<std::vector<int>, 2> both = {std::vector<int>(1), std::vector<int>(kElements)};
  check_order_of(
      both, both[1].data(), kElements, [](auto& all) { fill_slowly(all[1], 1); },
      [](const auto& all) { return total_of(all[1]); });
}

TEST_CASE("parts_of says what a type of the user's holds") {
  Band band{3, std::vector<int>(kElements), "band"};
  check_order_of(
      band, band.cells.data(), kElements, [](Band& all) { fill_slowly(all.cells, 1); },
      [](const Band& all) { return total_of(all.cells); });
  band.name = std::string(100, 'x');
  const auto saved = serialize<Band>::save(band);
  const Band loaded = serialize<Band>::load({saved.data(), saved.size()});
  CHECK(loaded.first == 3);
  CHECK(loaded.cells == band.cells);
  CHECK(loaded.name == band.name);
}

TEST_CASE("and so for structures, arrays and pairs of it") {
  struct Album {
    int number = 0;
    std::pair<int, Band> band[2];
  };
  Album album{1, {{0, {0, std::vector<int>(kElements), "a"}}, {1, {1, std::vector<int>(5), "b"}}}};
  check_order_of(
      album, album.band[0].second.cells.data(), kElements,
      [](Album& all) { fill_slowly(all.band[0].second.cells, 1); },
      [](const Album& all) { return total_of(all.band[0].second.cells); });
}

TEST_CASE("a structure stands for what its members hold") {
  struct Inner {
    std::string name = "a name that no std::string has in itself";
    int count = 1;
  };
  struct Grid {
    int rows[3] = {1, 2, 3};
    std::vector<int> cells = std::vector<int>(kElements);
    unsigned kind : 3 = 1;
    Inner inner;
    std::pair<int, std::vector<int>> pair = {7, std::vector<int>(kElements)};
    std::vector<int> planes[2] = {std::vector<int>(kElements), std::vector<int>(kElements)};
  };
  Grid grid;
  const auto sum_of = [](const std::vector<int>& all) { return total_of(all); };
  check_order_of(
      grid, grid.cells.data(), kElements, [](Grid& all) { fill_slowly(all.cells, 1); },
      [&](const Grid& all) { return sum_of(all.cells); });
  check_order_of(
      grid, grid.pair.second.data(), kElements, [](Grid& all) { fill_slowly(all.pair.second, 1); },
      [&](const Grid& all) { return sum_of(all.pair.second); });
  check_order_of(
      grid, grid.planes[1].data(), kElements, [](Grid& all) { fill_slowly(all.planes[1], 1); },
      [&](const Grid& all) { return sum_of(all.planes[1]); });
  char first = 0;
  char* const text = grid.inner.name.data();
  spawn([](char* some) { take_time(100'000), *some = 'A'; }, out(text, 1));
  spawn([](const Grid& all, char& c) { c = all.inner.name[0]; }, in(grid), out(first));
  wait_all();
  CHECK(first == 'A');
}

TEST_CASE("a structure stands for what its views look at") {
  struct Window {
    std::span<int> cells;
    int kind = 0;
  };
  std::vector<int> v(kElements);
  Window window{v};
  check_order_of(
      window, v.data(), kElements, [](Window& all) { fill_slowly(all.cells, 1); },
      [](const Window& all) { return total_of(all.cells); });
}

TEST_CASE("a part of a loop stands for what its elements hold") {
  struct Row {
    std::vector<int> cells = std::vector<int>(100);
  };
  std::vector<Row> rows(10);
  std::vector<std::vector<int>> lists(10, std::vector<int>(100));
  // Taken now: tasks may use rows and lists when these are needed.
  std::vector<std::span<int>> cells, elements;
  for (Row& row : rows) cells.emplace_back(row.cells);
  for (std::vector<int>& list : lists) elements.emplace_back(list);
  const auto begin = [&](int value) {
    for_each(range(rows.size()), inout(rows, part), inout(lists, part),
             [value](std::size_t i, auto some_rows, auto some_lists) {
               take_time(50'000);
               for (int& cell : some_rows[i].cells) cell += value;
               for (int& cell : some_lists[i]) cell = 2 * cell + value;
             });
  };
  begin(1);
  for (std::size_t k = 0; k < rows.size(); ++k) {
    for_each(range(100), inout(cells[k], part), inout(elements[k], part),
             [](std::size_t i, auto row, auto list) {
               row[i] *= 3;
               list[i] += 4;
             });
  }
  begin(5);
  long sum = 0;
  for (std::size_t k = 0; k < rows.size(); ++k) {
    spawn([](std::span<const int> a, std::span<const int> b,
             long& s) { s += total_of(a) + total_of(b); },
          in(cells[k]), in(elements[k]), inout(sum));
  }
  wait(in(cells[9].subspan(99)));
  CHECK(cells[9][99] == 8);
  wait_all();
  CHECK(sum == 1000 * (8 + 15));
}

TEST_CASE("object(v) with part names elements alone, whatever they hold") {
  std::vector<std::map<int, int>> maps(20);
  for (std::map<int, int>& map : maps) {
    spawn(
        [](std::map<int, int>& own) {
          take_time(20'000);
          own[1] = 2;
        },
        inout(object(map)));
  }
  for_each(range(maps.size()), inout(object(maps), part),
           [](std::size_t i, auto some) { some[i][1] *= 5; });
  wait_all();
  CHECK(std::all_of(maps.begin(), maps.end(), [](auto& map) { return map[1] == 10; }));
}

TEST_CASE("a reduction stands for what its variable holds, which stays where it is") {
  std::vector<int> counts(8);
  const std::span<int> all_counts(counts);
  const auto add = [](const std::vector<int>& a, const std::vector<int>& b) {
    std::vector<int> both(a);
    for (std::size_t i = 0; i < both.size(); ++i) both[i] += b[i];
    return both;
  };
  // A task that names counts while they are combined names all of them.
  const auto add_in_place = [&counts](std::vector<int> a, const std::vector<int>& b) {
    for (std::size_t i = 0; i < a.size(); ++i) a[i] += b[i];
    return counts.size() == a.size() ? a : std::vector<int>();
  };
  for (std::size_t k = 0; k < 8; ++k) {
    spawn([](std::vector<int>& own, std::size_t i) { take_time(50'000), own[i] = 1; },
          reduce(counts, add, std::vector<int>(8)), k);
  }
  wait(in(all_counts.subspan(7)));
  CHECK(all_counts[7] == 1);
  const std::vector<int> data(800, 1);
  reduce_each(range(data.size()), reduce(counts, add_in_place, std::vector<int>(8)), in(data, part),
              [](std::size_t i, auto some) {
                std::vector<int> one(8);
                one[i % 8] = some[i];
                return one;
              });
  for_each(range(8), inout(counts, part), [](std::size_t i, auto some) { some[i] *= 2; });
  long sum = 0;
  spawn([](const std::vector<int>& all, long& s) { s = total_of(all); }, in(counts), out(sum));
  wait_all();
  CHECK(sum == 2 * 808);
  CHECK(counts.data() == all_counts.data());
}

TEST_CASE("a view of several dimensions stands for what it looks at") {
  std::vector<int> v(kElements);
  spawn([](View<int> all) { fill_slowly_from(all.first, all.count); },
        out(View<int>(v.data(), kElements)));
  long sum = 0;
  spawn([](View<const int> all,
           long& s) { s = std::accumulate(all.first, all.first + all.count, 0L); },
        in(View<int>(v.data(), kElements)), out(sum));
  std::string text = "none";
  std::string_view some(text);
  bool is_right = false;
  spawn([](std::string& all) { take_time(100'000), all[0] = 'd'; }, inout(text));
  spawn([](std::string_view all, bool& right) { right = all == "done"; }, in(some), out(is_right));
  wait_all();
  CHECK(sum == kElements);
  CHECK(is_right);
}

}  // namespace myr::conformance
