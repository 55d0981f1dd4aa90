// SPDX-License-Identifier: Apache-2.0
// flags: -std=c++20
// Functions, methods and templates that are declared tasks; the names of functions in tasks.
#include <cstdio>
#include <string>
#include <vector>

static void work_a_little() {
  for (volatile int i = 0; i < 1000000; i = i + 1) continue;
}

//: method_that_is_declared_a_task
struct Doubled {
  int value = 1;
#pragma omp task inout(*p)
  static void twice(int* p) {
    work_a_little();
    *p *= 2;
  }
#pragma omp task inout(value)
  void grow(int by, int times = 2);
#pragma omp task in(value) out(*to)
  void get(int* to) const { *to = value; }
  void all(int* to) {
    grow(1);
    grow(2, 3);
    get(to);
  }
};
void Doubled::grow(int by, int times) {
  work_a_little();
  value = value * times + by;
}
void method_that_is_declared_a_task() {
  int x = 1, to = 0;
  Doubled doubled;
#pragma omp task inout(x)
  {
    work_a_little();
    x += 2;
  }
  Doubled::twice(&x);
  doubled.all(&to);
  void (Doubled::*const grow)(int, int) = &Doubled::grow;
  (doubled.*grow)(4, 5);
#pragma omp taskwait
  std::printf("%d %d %d\n", x, to, doubled.value);
}
//= 6 11 59
//: templates_that_are_declared_tasks
#pragma omp task inout(v[0;n])
template <class T>
void scale(std::vector<T>& v, int n, const T& by) {
  work_a_little();
  for (int i = 0; i < n; ++i) v[i] = v[i] * by;
}
template <class T>
struct Growing {
  T sum{};
#pragma omp task inout(sum)
  void add(const T& x) {
    work_a_little();
    sum = sum + sum + x;
  }
#pragma omp task out(sum)
  template <class U>
  void set(U x);
};
template <class T>
template <class U>
void Growing<T>::set(U x) {
  work_a_little();
  sum = x;
}
void templates_that_are_declared_tasks() {
  std::vector<double> v(3, 2.0);
  scale(v, 3, 2.5);
  scale<double>(v, 2, 2);
  Growing<int> numbers;
  Growing<std::string> texts;
  numbers.set(3.7);
  texts.set("x");
  for (int i = 1; i < 3; ++i) {
    numbers.add(i);
    texts.add(std::string(2, static_cast<char>('a' + i)));
  }
#pragma omp taskwait
  std::printf("%g %g %d %s\n", v[0], v[2], numbers.sum, texts.sum.c_str());
}
//= 10 5 16 xxbbxxbbcc
//: overloads_that_are_declared_tasks
namespace several {
#pragma omp task inout(*p)
inline void change(int* p) {
  work_a_little();
  *p += 1;
}
#pragma omp task inout(*p)
void change(int* p, int by);
}  // namespace several
void several::change(int* p, int by) { *p = *p * 10 + by; }
using several::change;
template <class Function, class... More>
static void call(Function function, More... more) {
  function(more...);
}
void overloads_that_are_declared_tasks() {
  int x = 1;
  change(&x);
  several::change(&x, 3);
  void (*const function)(int*, int) = change;
  function(&x, 4);
  call([](int* p) { change(p); }, &x);
  call(static_cast<void (*)(int*, int)>(several::change), &x, 6);
#pragma omp taskwait
  std::printf("%d\n", x);
}
//= 2356
//: overload_that_a_template_picks
#pragma omp task inout(*p)
static void increase(int* p) {
  work_a_little();
  *p += 1;
}
static void increase(double* p) { *p += 0.5; }
template <class T>
static void increase_twice(T* p) {
  increase(p);
  increase(p);
}
void overload_that_a_template_picks() {
  int x = 1;
  double y = 1;
  increase_twice(&x);
  increase_twice(&y);
  increase(&x);
#pragma omp taskwait
  std::printf("%d %g\n", x, y);
}
//= 4 2
//: copy_of_a_part_of_an_object
template <class Whole>
struct Part {
  [[nodiscard]] int get() const { return static_cast<const Whole&>(*this).value; }
};
struct Whole : Part<Whole> {
  int value = 41;
};
#pragma omp task inout(*to)
template <class T>
static void add_part(const Part<T>& part, int* to) {
  *to += part.get();
}
void copy_of_a_part_of_an_object() {
  int x = 1;
  const Whole whole;
  //! would lose a part of it
  add_part(whole, &x);
#pragma omp taskwait
}
//: virtual_method_that_is_declared_a_task
struct Overridden {
  virtual ~Overridden() = default;
  //! a virtual method cannot be declared a task
#pragma omp task inout(*p)
  virtual void twice(int* p) { *p *= 2; }
};
void virtual_method_that_is_declared_a_task() {}
//: specialized_task
#pragma omp task inout(*p)
template <class T>
void specialized(T* p) {
  *p += 1;
}
//! cannot be specialized
template <>
void specialized<int>(int* p) {
  *p += 2;
}
void specialized_task() {}
//: used_before_it_is_a_task
void early(int* p);
void use_early(int* p) {
  //! is used before the pragma
  early(p);
}
#pragma omp task inout(*p)
void early(int* p);
void used_before_it_is_a_task() {}
//: name_of_the_function_by_a_macro
#define SAY_NAME(x) std::printf("%s: %d\n", __func__, x)
void name_of_the_function_by_a_macro() {
  int x = 5;
#pragma omp task in(x)
  {
    SAY_NAME(x);
  }
#pragma omp taskwait
}
//= name_of_the_function_by_a_macro: 5
//: names_of_functions_by_macros
#define SAY_TWICE(x) std::printf("%s: %d %s\n", __func__, x, __func__)
void names_of_functions_by_macros() {
  int x = 5;
#pragma omp task in(x)
  {
    SAY_TWICE(x);
    [&] { SAY_TWICE(x); }();
  }
#pragma omp taskwait
  //= names_of_functions_by_macros: 5 names_of_functions_by_macros
  //= operator(): 5 operator()
}
//: temporaries_for_a_function_that_is_a_task
#pragma omp task inout(to) in(from, times)
static void append_often(std::string& to, const std::string& from, const int& times) {
  for (volatile int i = 0; i < 1000000; i = i + 1) continue;
  for (int i = 0; i < times; ++i) to += from;
}
void temporaries_for_a_function_that_is_a_task() {
  std::string s;
  const std::string named = "/a name that has more letters than a string holds itself";
  for (int i = 0; i < 3; ++i) {
    append_often(s, "/a literal that has more letters than a string holds itself", 1);
    append_often(s, std::string(40, static_cast<char>('a' + i)), i + 1);
    append_often(s, named, 2);
  }
#pragma omp taskwait
  std::size_t hash = s.size();
  for (const char c : s) hash = (hash * 31 + static_cast<unsigned char>(c)) % 1000003;
  std::printf("%zu %zu\n", s.size(), hash);
}
//= 753 721562
//: argument_that_reads_what_its_task_changes
#pragma omp task inout(*a)
static void add_to(int* a, int v) {
  work_a_little();
  *a += v;
}
void argument_that_reads_what_its_task_changes() {
  int x = 1, y = 2;
  add_to(&x, 5);
  add_to(&x, y + 1);
  //! may read too early
  add_to(&x, x + 1);
#pragma omp taskwait
}
//: argument_that_reads_a_member_that_its_task_changes
struct Counted {
  int m = 1, other = 2;
#pragma omp task inout(m)
  void plus(int v) {
    work_a_little();
    m += v;
  }
};
void argument_that_reads_a_member_that_its_task_changes() {
  Counted s, t;
  s.plus(t.m);
  s.plus(s.other);
  //! may read too early
  s.plus(s.m + 1);
#pragma omp taskwait
}
//: macro_before_a_declaration
#define TASK(...) _Pragma(#__VA_ARGS__)
TASK(omp task inout(*x) if (v == 2 || v >= 3))
static void add_by_macro(int* x, int v) {
  work_a_little();
  *x = *x * 2 + v;
}
void macro_before_a_declaration() {
  int x = 1;
  for (int v = 0; v < 4; ++v) add_by_macro(&x, v);
#pragma omp taskwait
  std::printf("%d\n", x);
}
//= 27
