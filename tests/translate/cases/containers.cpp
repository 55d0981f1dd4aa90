// SPDX-License-Identifier: Apache-2.0
// flags: -std=c++17
// Elements of containers, objects behind references, operators.
#include <algorithm>
#include <array>
#include <cstdio>
#include <deque>
#include <list>
#include <map>
#include <memory>
#include <numeric>
#include <string>
#include <vector>

static void set(int& to, int value) { to = value; }
static void keep(int value, int& to) { to = value; }
static void keep_reference(const int& value, int& to) { to = value; }

//: element_of_a_vector
void element_of_a_vector() {
  std::vector<int> v{1, 2, 3};
#pragma omp task inout(v[0])
  set(v[0], 40);
#pragma omp task inout(v[0])
  v[0] += 2;
#pragma omp taskwait
  std::printf("%d\n", v[0]);
}
//= 42
//: element_as_argument
void element_as_argument() {
  std::vector<int> v{1, 2, 3};
  int a = 0, b = 0, c = 0;
#pragma omp task inout(v[0])
  set(v[0], 42);
#pragma omp task in(v[0]) out(a)
  keep(v[0], a);
#pragma omp task in(v[0]) out(b)
  keep_reference(v[0], b);
#pragma omp task in(v[0]) out(c)
  keep(v.front(), c);
#pragma omp taskwait
  std::printf("%d %d %d\n", a, b, c);
}
//= 42 42 42
//: iterator_as_argument
void iterator_as_argument() {
  std::vector<int> v{1, 2, 3};
  int a = 0;
  auto it = v.begin() + 1;
#pragma omp task inout(*it)
  set(*it, 42);
#pragma omp task in(*it) out(a)
  keep(*it, a);
#pragma omp taskwait
  std::printf("%d\n", a);
}
//= 42
//: range_of_a_vector
void range_of_a_vector() {
  std::vector<int> v(10, 0);
#pragma omp task out(v[0;6])
  std::fill(v.begin(), v.begin() + 6, 1);
#pragma omp task inout(v[4;6])
  for (int i = 4; i < 10; ++i) v[i] += 10;
#pragma omp taskwait
  std::printf("%d\n", std::accumulate(v.begin(), v.end(), 0));
}
//= 66
//: rest_of_a_vector
static void add_rest(std::vector<int>& to, const std::vector<int>& from) {
#pragma omp task inout(to[3:]) in(from[:])
  for (std::size_t i = 3; i < to.size(); ++i) to[i] += from[i];
#pragma omp taskwait on(to[:])
  to[3] += 2;
}
void rest_of_a_vector() {
  std::vector<int> v(6, 1);
#pragma omp task inout(v.data()[0;6])
  for (int& x : v) x += 4;
#pragma omp task depend(inout : v[0:6])
  for (int& x : v) x *= 2;
  add_rest(v, v);
  std::printf("%d %d %d\n", v[2], v[3], v[5]);
}
//= 10 22 20
//: ranges_of_other_containers
struct Holder {
  std::vector<int> values;
};
void ranges_of_other_containers() {
  std::array<int, 4> a{1, 2, 3, 4};
  std::string s = "abcd";
  Holder holder{{5, 6, 7}};
  std::vector<std::vector<int>> rows(3, {1, 2, 3});
#pragma omp task inout(a[2;2], s[1:2])
  {
    a[2] += 30;
    s[1] = 'x';
  }
#pragma omp task in(a[:]) inout(holder.values[:], rows[1][0;2])
  {
    holder.values[0] += a[2];
    rows[1][0] = a[2];
  }
#pragma omp taskwait
  std::printf("%d %s %d %d\n", a[2], s.c_str(), holder.values[0], rows[1][0]);
}
//= 33 axcd 38 33
//: windows_of_a_vector
void windows_of_a_vector() {
  std::vector<int> v(6, 1);
#pragma omp task inout({v[i;2], i=0;5})
  for (int& x : v) x += 2;
#pragma omp task inout(v[1;4])
  v[2] *= 2;
#pragma omp taskwait
  std::printf("%d %d\n", v[2], v[5]);
}
//= 6 3
//: vector_of_bits
void vector_of_bits() {
  std::vector<bool> bits(6);
  //! no data() and size()
#pragma omp task inout(bits[1;4])
  bits[2] = true;
#pragma omp taskwait
}
//: elements_that_are_scattered
void elements_that_are_scattered() {
  std::deque<int> d(6);
  //! name a pointer to them
#pragma omp task inout(d[1;4])
  d[2] = 1;
#pragma omp taskwait
}
//: tile_of_vectors
void tile_of_vectors() {
  std::vector<std::vector<int>> rows(3, {1, 2, 3});
  //! name those of one, as in rows[i][first;count]
#pragma omp task inout(rows[0;2][0;2])
  rows[1][1] = 1;
#pragma omp taskwait
}
//: references_to_what_is_declared
struct OfMembers {
  std::vector<int> numbers = std::vector<int>(2, 1);
  void read(int* out) {
    auto& first = numbers[0];
#pragma omp task inout(numbers[0])
    {
      for (volatile int i = 0; i < 1000000; i = i + 1) continue;
      numbers[0] = 7;
    }
#pragma omp task in(numbers[0]) out(*out)
    {
      *out = first;
    }
  }
};
void references_to_what_is_declared() {
  std::vector<int> v(1, 1), w(1, 9);
  std::array<int, 2> pair = {3, 4};
  int* const p = new int(3);
  auto u = std::make_unique<int>(5);
  const std::string s = "a";
  OfMembers members;
  int i = 0, sum = 0, of_member = 0;
  auto& element = v[i];
  auto& same_element = element;
  int& pointed = *p;
  const int& owned = *u;
  auto& [first, second] = pair;
  auto& other = w[i];
  const std::string& temporary = s + "!";
#pragma omp task inout(v[i], *p, *u, pair)
  {
    for (volatile int k = 0; k < 1000000; k = k + 1) continue;
    v[0] = 50, *p = 60, *u = 70, pair[1] = 80;
  }
#pragma omp task in(v[i], *p, *u, pair) out(sum)
  {
    sum = same_element + pointed + owned + second + first;
    sum += other + static_cast<int>(temporary.size());
  }
  other = 1000;
  members.read(&of_member);
#pragma omp taskwait
  std::printf("%d %d\n", sum, of_member);
  delete p;
}
//= 274 7
//: vector_by_its_data
void vector_by_its_data() {
  std::vector<int> v(8, 5);
  int sum = 0;
  int* p = v.data();
  auto n = v.size();
#pragma omp task inout([n]p) shared(v)
  for (auto& x : v) x += 1;
#pragma omp task in([n]p) out(sum) shared(v)
  sum = std::accumulate(v.begin(), v.end(), 0);
#pragma omp taskwait
  std::printf("%d\n", sum);
}
//= 48
//: whole_vector_that_grows
void whole_vector_that_grows() {
  std::vector<int> v{1};
#pragma omp task inout(v)
  v.push_back(2);
#pragma omp task inout(v)
  v.insert(v.end(), {3, 4});
#pragma omp taskwait
  std::printf("%zu %d\n", v.size(), v.back());
}
//= 4 4
//: method_call_as_a_task
void method_call_as_a_task() {
  std::vector<int> v;
  std::string s = "a";
  for (int i = 0; i < 3; ++i) {
#pragma omp task inout(v)
    v.push_back(i);
#pragma omp task inout(s)
    s.append("b");
  }
#pragma omp taskwait
  std::printf("%zu %s\n", v.size(), s.c_str());
}
//= 3 abbb
//: string_operator
void string_operator() {
  std::string s = "a";
#pragma omp task inout(s)
  s += "b";
#pragma omp task inout(s)
  s = s + 'c';
#pragma omp taskwait
  std::puts(s.c_str());
}
//= abc
//: changes_without_access
static void add(int& to) { to += 1; }
void changes_without_access() {
  int other = 0;
  std::vector<int> v{1};
#pragma omp task inout(other, v)
  {
    v.push_back(2);
    add(other);
  }
#pragma omp taskwait
  std::printf("%zu %d\n", v.size(), other);
}
//= 2 1
//: map_entry
void map_entry() {
  std::map<std::string, int> m{{"a", 1}, {"b", 2}};
#pragma omp task inout(m["a"])
  m["a"] += 41;
#pragma omp task inout(m.at("b"))
  set(m.at("b"), 7);
#pragma omp taskwait
  std::printf("%d %d\n", m["a"], m["b"]);
}
//= 42 7
//: array_object
void array_object() {
  std::array<int, 3> a{1, 2, 3};
#pragma omp task inout(a[1])
  a[1] = 20;
#pragma omp task in(a[1]) inout(a[2])
  a[2] = 2 + 2 * a[1];
#pragma omp taskwait
  std::printf("%d\n", a[2]);
}
//= 42
//: deque_and_list
void deque_and_list() {
  std::deque<int> d{1, 2};
  std::list<int> l{3, 4};
#pragma omp task inout(d.front())
  d.front() = 10;
#pragma omp task in(d.front()) inout(l.back())
  l.back() += d.front();
#pragma omp taskwait
  std::printf("%d\n", l.back());
}
//= 14
//: unique_pointer
void unique_pointer() {
  auto p = std::make_unique<int>(1);
#pragma omp task inout(*p)
  *p = 40;
#pragma omp task inout(*p)
  set(*p, *p + 2);
#pragma omp taskwait
  std::printf("%d\n", *p);
}
//= 42
//: shared_pointer_is_copied
void shared_pointer_is_copied() {
  auto p = std::make_shared<int>(0);
#pragma omp task inout(*p) firstprivate(p)
  *p = 42;
#pragma omp taskwait
  std::printf("%d\n", *p);
}
//= 42
//: vector_of_vectors
void vector_of_vectors() {
  std::vector<std::vector<int>> rows(3, std::vector<int>(3, 1));
  for (int i = 1; i < 3; ++i) {
#pragma omp task in(rows[i - 1][0]) inout(rows[i][0])
    rows[i][0] += rows[i - 1][0];
  }
#pragma omp taskwait
  std::printf("%d\n", rows[2][0]);
}
//= 3
//: reference_parameter
static void double_all(std::vector<int>& v) {
  for (std::size_t i = 0; i < v.size(); ++i) {
#pragma omp task inout(v[i])
    v[i] *= 2;
  }
#pragma omp taskwait
}
void reference_parameter() {
  std::vector<int> v{1, 2, 18};
  double_all(v);
  std::printf("%d\n", v[0] + v[1] + v[2]);
}
//= 42
//: local_reference
void local_reference() {
  std::vector<int> v{1, 2};
  int& first = v[0];
  const int& second = v[1];
#pragma omp task inout(first) in(second)
  first += second;
#pragma omp task inout(first)
  set(first, first * 14);
#pragma omp taskwait
  std::printf("%d\n", v[0]);
}
//= 42
//: range_for
void range_for() {
  std::vector<int> v{1, 2, 3};
  for (int& x : v) {
#pragma omp task inout(x)
    x *= x;
  }
#pragma omp taskwait
  std::printf("%d\n", v[0] + v[1] + v[2]);
}
//= 14
//: pair_and_tuple_members
void pair_and_tuple_members() {
  std::pair<int, int> p{1, 2};
#pragma omp task inout(p.first) in(p.second)
  p.first += p.second;
#pragma omp task inout(std::get<0>(p))
  std::get<0>(p) *= 14;
#pragma omp taskwait
  std::printf("%d\n", p.first);
}
//= 42
//: temporary_string_argument
static void store(std::string& to, const std::string& from) { to = from; }
void temporary_string_argument() {
  std::string s;
#pragma omp task out(s)
  store(s, "made " + std::to_string(42));
#pragma omp taskwait
  std::puts(s.c_str());
}
//= made 42
//: moved_value_argument
static void take(std::vector<int> from, int& to) { to = static_cast<int>(from.size()); }
void moved_value_argument() {
  std::vector<int> v{1, 2, 3};
  int n = 0;
#pragma omp task out(n)
  take(v, n);
  v.clear();
#pragma omp taskwait
  std::printf("%d\n", n);
}
//= 3
//: container_copied_into_a_block
void container_copied_into_a_block() {
  std::vector<int> v{1, 2, 3};
  int n = 0;
#pragma omp task out(n)
  {
    n = std::accumulate(v.begin(), v.end(), 0);
  }
  v[0] = 100;
#pragma omp taskwait
  std::printf("%d\n", n);
}
//= 6
//: iterators_through_a_vector
static void sum_all(const std::vector<int>& from, int& to) {
  for (const int x : from) to += x;
}
void iterators_through_a_vector() {
  std::vector<int> v(4, 1);
  const std::size_t n = v.size();
  int sum = 0;
#pragma omp task inout({v[i], i=0;n})
  for (int& x : v) x += 2;
#pragma omp task depend(iterator(std::size_t i = 0 : n), in : v[i]) inout(sum)
  sum_all(v, sum);
#pragma omp taskwait
  std::printf("%d\n", sum);
}
//= 12
//: pointers_that_own
void pointers_that_own() {
  std::vector<std::unique_ptr<int>> v;
  for (int i = 0; i < 4; ++i) v.push_back(std::make_unique<int>(i));
  for (int i = 0; i < 4; ++i) {
#pragma omp task inout(*v[i])
    *v[i] += 1;
  }
#pragma omp taskwait
  std::printf("%d\n", *v[3]);
}
//= 4
//: elements_of_a_view
struct Elements {
  double* first;
  int count;
  double* data() const { return first; }
  int size() const { return count; }
};
void elements_of_a_view() {
  double raw[20] = {};
  Elements v{raw, 20};
#pragma omp task inout(v[2;5])
  {
    for (int k = 2; k < 7; ++k) v.data()[k] += 1.5;
  }
#pragma omp taskwait
  std::printf("%g\n", raw[3]);
}
//= 1.5
//: type_of_what_is_shared
void type_of_what_is_shared() {
  std::vector<int> v{1};
#pragma omp task inout(v)
  {
    decltype(v) copy = v;
    copy.push_back(3);
    v[0] = static_cast<int>(copy.size());
  }
#pragma omp taskwait
  std::printf("%d %zu\n", v[0], v.size());
}
//= 2 1
//: type_of_what_a_closure_shares
void type_of_what_a_closure_shares() {
  std::vector<int> v{1};
  [&v] {
#pragma omp task inout(v)
    {
      //! would be the type of
      decltype(v) copy = v;
      v[0] = static_cast<int>(copy.size());
    }
  }();
}
//: whole_container_stands_for_its_elements
void whole_container_stands_for_its_elements() {
  std::vector<int> v(10, 0);
  std::array<int, 4> fixed{};
  std::string text(40, 'a');
  int sum = 0;
  for (int i = 0; i < 10; ++i) {
#pragma omp task inout(v[i])
    {
      for (volatile int k = 0; k < 100000; k = k + 1) continue;
      v[i] = i;
    }
  }
#pragma omp task out(fixed[2])
  fixed[2] = 5;
#pragma omp task inout(text[7])
  text[7] = 'b';
#pragma omp task in(v, fixed) in(text) inout(sum)
  {
    for (const int x : v) sum += x;
    sum += fixed[2] + text[7];
  }
#pragma omp task inout(v)
  v.resize(2000, 1);
#pragma omp task in(v) inout(sum)
  sum += static_cast<int>(v.size()) + v[1999];
#pragma omp taskwait on(v, sum)
#pragma omp task inout(v[1999])
  v[1999] = 7;
#pragma omp taskwait in(v)
  std::printf("%d %d\n", sum, v[1999]);
#pragma omp taskwait
}
//= 2149 7
//: containers_of_a_list_of_items
void containers_of_a_list_of_items() {
  std::vector<std::vector<int>> rows(5, std::vector<int>(8, 1));
  int sum = 0;
  for (int r = 0; r < 5; ++r) {
    for (int c = 0; c < 8; ++c) {
#pragma omp task inout(rows[r][c])
      rows[r][c] += r * c;
    }
  }
#pragma omp task in({rows[r], r = 0;5}) inout(sum)
  for (const auto& row : rows) sum = std::accumulate(row.begin(), row.end(), sum);
#pragma omp taskloop nogroup inout(rows[i]) grainsize(2)
  for (int i = 0; i < 5; ++i) rows[i][0] = i;
#pragma omp task in(rows[4]) inout(sum)
  sum += rows[4][0];
#pragma omp taskwait
  std::printf("%d\n", sum);
}
//= 324
