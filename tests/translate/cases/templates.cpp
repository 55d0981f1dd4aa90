// SPDX-License-Identifier: Apache-2.0
// flags: -std=c++17
// Tasks in templates and generic lambdas: the same as in a function of that type.
#include <array>
#include <cstdio>
#include <string>
#include <type_traits>
#include <vector>

template <class T>
static void increase(T& x, T by) {
  x += by;
}

//: block_on_a_vector
template <class T>
static void set_first(std::vector<T>& v) {
#pragma omp task inout(v[0])
  v[0] = T(42);
#pragma omp taskwait
}
void block_on_a_vector() {
  std::vector<int> v(1);
  std::vector<double> w(1);
  set_first(v);
  set_first(w);
  std::printf("%d %g\n", v[0], w[0]);
}
//= 42 42
//: block_on_any_container
template <class C>
static void set_any(C& c) {
#pragma omp task inout(c[0])
  c[0] = 42;
#pragma omp taskwait
}
void block_on_any_container() {
  std::vector<int> v(1);
  std::array<long, 2> a{};
  int plain[1] = {};
  set_any(v);
  set_any(a);
  set_any(plain);
  std::printf("%d %ld %d\n", v[0], a[0], plain[0]);
}
//= 42 42 42
//: block_on_a_name
template <class T>
static void set_name(T& x) {
#pragma omp task inout(x)
  x = T(42);
#pragma omp taskwait
}
void block_on_a_name() {
  int x = 0;
  set_name(x);
  std::printf("%d\n", x);
}
//= 42
//: block_on_a_pointer
template <class T>
static void set_behind(T* p, int n) {
#pragma omp task out([n]p)
  for (int i = 0; i < n; ++i) p[i] = T(i);
#pragma omp taskwait
}
void block_on_a_pointer() {
  double a[3] = {};
  set_behind(a, 3);
  std::printf("%g %g\n", a[1], a[2]);
}
//= 1 2
//: member_function_of_a_template
template <class T>
struct Holder {
  T value{};
  std::vector<T> all{T{}};
  void set() {
#pragma omp task inout(all[0])
    all[0] = T(40);
#pragma omp task inout(value)
    value = T(2);
#pragma omp taskwait
  }
};
void member_function_of_a_template() {
  Holder<int> h;
  h.set();
  std::printf("%d\n", h.all[0] + h.value);
}
//= 42
//: member_of_an_argument
template <class T>
static void set_member(Holder<T>& h) {
#pragma omp task inout(h.value)
  h.value = T(42);
#pragma omp taskwait
}
void member_of_an_argument() {
  Holder<int> h;
  set_member(h);
  std::printf("%d\n", h.value);
}
//= 42
//: call_in_a_template
template <class T>
static void increase_twice(T& x, T by) {
#pragma omp task inout(x)
  increase(x, by);
#pragma omp task inout(x)
  increase<T>(x, by);
#pragma omp taskwait
}
void call_in_a_template() {
  int x = 2;
  increase_twice(x, 20);
  std::printf("%d\n", x);
}
//= 42
//: call_of_a_template_on_a_vector
template <class T>
static void increase_first(std::vector<T>& v, T by) {
  v[0] += by;
}
template <class T>
static void increase_vector(std::vector<T>& v) {
#pragma omp task inout(v[0])
  increase_first(v, T(20));
#pragma omp task inout(v)
  increase_first<T>(v, 22);
#pragma omp taskwait
}
void call_of_a_template_on_a_vector() {
  std::vector<int> v(1);
  increase_vector(v);
  std::printf("%d\n", v[0]);
}
//= 42
//: reference_argument_without_access
template <class T>
static void bump(T& x) {
  x += 1;
}
template <class T>
static void bump_in_a_task(T& x) {
#pragma omp task
  bump(x);
#pragma omp taskwait
}
void reference_argument_without_access() {
  int x = 41;
  bump_in_a_task(x);
  std::printf("%d\n", x);
}
//= 42
//: method_in_a_template
struct Sum {
  int s = 0;
  void add(int x) { s += x; }
  template <class T>
  void add_any(T x) {
    s += static_cast<int>(x);
  }
};
template <class A>
static void add_to(A& a) {
#pragma omp task inout(a)
  a.add(20);
#pragma omp task inout(a.s)
  a.template add_any<double>(22.5);
#pragma omp taskwait
}
void method_in_a_template() {
  Sum s;
  add_to(s);
  std::printf("%d\n", s.s);
}
//= 42
//: generic_lambda
void generic_lambda() {
  std::vector<int> v(1);
  auto set = [](auto& r) {
#pragma omp task inout(r[0])
    r[0] = 42;
#pragma omp taskwait
  };
  set(v);
  std::printf("%d\n", v[0]);
}
//= 42
//: array_reference
template <class T, std::size_t N>
static void fill(T (&a)[N]) {
#pragma omp task inout(a)
  for (auto& x : a) x = T(N);
#pragma omp taskwait
}
void array_reference() {
  int a[3] = {};
  fill(a);
  std::printf("%d %d\n", a[0], a[2]);
}
//= 3 3
//: value_parameter
template <int N, class T>
static void add_n(T* x) {
#pragma omp task inout(*x)
  *x += N;
#pragma omp taskwait
}
void value_parameter() {
  int x = 0;
  add_n<40>(&x);
  add_n<2>(&x);
  std::printf("%d\n", x);
}
//= 42
//: specialisation
template <class T>
static void describe(std::string* to) {
#pragma omp task out(*to)
  *to = "any";
#pragma omp taskwait
}
template <>
void describe<int>(std::string* to) {
#pragma omp task out(*to)
  *to = "int";
#pragma omp taskwait
}
void specialisation() {
  std::string a, b;
  describe<int>(&a);
  describe<char>(&b);
  std::printf("%s %s\n", a.c_str(), b.c_str());
}
//= int any
//: constexpr_if
template <class T>
static void halve(T* x) {
#pragma omp task inout(*x)
  {
    if constexpr (std::is_integral_v<T>) {
      *x >>= 1;
    } else {
      *x /= 2;
    }
  }
#pragma omp taskwait
}
void constexpr_if() {
  int i = 85;
  double d = 5;
  halve(&i);
  halve(&d);
  std::printf("%d %g\n", i, d);
}
//= 42 2.5
//: recursion_in_a_template
template <int N>
struct Power {
  static void of(long* x) {
#pragma omp task inout(*x)
    *x *= 2;
    Power<N - 1>::of(x);
  }
};
template <>
struct Power<0> {
  static void of(long*) {}
};
void recursion_in_a_template() {
  long x = 1;
  Power<10>::of(&x);
#pragma omp taskwait
  std::printf("%ld\n", x);
}
//= 1024
//: dependent_types
template <class C>
static void sum_into(const C& c, typename C::value_type& to) {
  using Value = typename C::value_type;
#pragma omp task in(c) inout(to)
  {
    Value sum{};
    for (const Value& x : c) sum += x;
    to = sum;
  }
#pragma omp taskwait
}
void dependent_types() {
  std::vector<int> v{10, 32};
  int sum = 0;
  sum_into(v, sum);
  std::printf("%d\n", sum);
}
//= 42
//: null_and_braces
struct Pair {
  int a, b;
};
template <class T>
static void combine(T* to, T* from, Pair p) {
  *to = (from ? *from : 0) + p.a + p.b;
}
template <class T>
static void combine_in_a_task(T* x) {
#pragma omp task inout(*x)
  combine<T>(x, nullptr, {40, 2});
#pragma omp taskwait
}
void null_and_braces() {
  int x = 0;
  combine_in_a_task(&x);
  std::printf("%d\n", x);
}
//= 42
//: forwarding_parameter
template <class T>
static void set_forwarded(T&& x) {
#pragma omp task inout(x)
  x = 42;
#pragma omp taskwait
}
void forwarding_parameter() {
  int x = 0;
  set_forwarded(x);
  std::printf("%d\n", x);
}
//= 42
//: parameter_pack
template <class... T>
static void zero_all(T&... x) {
  auto zero = [](auto& one) {
#pragma omp task inout(one)
    one = 0;
#pragma omp taskwait
  };
  (zero(x), ...);
}
void parameter_pack() {
  int a = 1;
  double b = 2;
  zero_all(a, b);
  std::printf("%d %g\n", a, b);
}
//= 0 0
//: function_objects
template <class It, class F>
void apply_to_each(It begin, It end, F f) {
  for (; begin != end; ++begin) {
#pragma omp task inout(*begin)
    f(*begin);
  }
}
void function_objects() {
  std::vector<int> v{1, 2, 3};
  int by = 4;
  apply_to_each(v.begin(), v.end(), [by](int& x) { x *= by; });
  apply_to_each(v.data() + 1, v.data() + 3, +[](int& x) { x += 1; });
#pragma omp taskwait
  std::printf("%d %d %d\n", v[0], v[1], v[2]);
}
//= 4 9 13
//: elements_of_arrays_of_open_types
template <class T>
struct Packed {
  T first = 0;
  T list[4] = {};
};
template <class T, int N>
void elements_of(int k, T one) {
  Packed<T> s[3];
  std::vector<T> vs[2] = {std::vector<T>(3), std::vector<T>(3)};
  int m[N][3] = {};
  T cube[2][2][2] = {};
  T* rows[2] = {cube[0][0], cube[1][0]};
#pragma omp task inout(s[k].list[1])
  s[k].list[1] = 9;
#pragma omp task inout(s[k].list[2;2])
  s[k].list[3] = 10;
#pragma omp task inout(vs[k][1])
  vs[k][1] = 14;
#pragma omp task inout(m[N - 1][1])
  m[N - 1][1] = 15;
#pragma omp task inout(m[0][one;2])
  m[0][2] = 16;
#pragma omp task inout(cube[one][1][0;2])
  cube[one][1][1] = 17;
#pragma omp task inout(rows[k][1])
  rows[k][1] = 18;
#pragma omp taskwait
  std::printf("%d %d %d %d %d %d %d\n", s[k].list[1], s[k].list[3], vs[k][1], m[N - 1][1], m[0][2],
              cube[one][1][1], cube[1][0][1]);
}
void elements_of_arrays_of_open_types() {
  elements_of<int, 2>(1, 1);
  Packed<int> s[2];
  const auto change = [&](auto i) {
#pragma omp task inout(s[i].list[1])
    s[i].list[1] = 5;
#pragma omp taskwait
  };
  change(1);
  std::printf("%d\n", s[1].list[1]);
}
//= 9 10 14 15 16 17 18
//= 5
//: template_that_is_a_task_with_a_default
#pragma omp task in([n]from) inout(to)
template <class T>
static void add_last(T& to, const T* from, int n, T more = 4) {
  to += from[n - 1] + more;
}
void template_that_is_a_task_with_a_default() {
  int x = 1, a[3] = {1, 2, 3};
  add_last(x, a, 3);
  add_last(x, a, 2, 7);
#pragma omp taskwait
  std::printf("%d\n", x);
}
//= 17
