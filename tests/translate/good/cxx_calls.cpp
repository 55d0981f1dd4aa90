// SPDX-License-Identifier: Apache-2.0
//
// Calls as tasks in C++: references, conversions, overloads, templates, members, exceptions.
// flags: -std=c++20
#include <cstdio>
#include <cstring>
#include <functional>
#include <memory>
#include <myr/myr.hpp>
#include <numeric>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

namespace {

struct Vec {
  double x, y;
};
double operator+(Vec a, double b) { return a.x + a.y + b; }

void add(double& to, const double& from) { to += from; }
void add(int& to, int from) { to += 10 * from; }
void take(std::string& to, const std::string& text) { to += text; }
void keep(std::string& to, std::string&& text) { to += std::move(text); }
void own(int& to, std::unique_ptr<int> value) { to += *value; }
void with_default(int& to, int by = 7, const char* text = "abc") {
  to += by + static_cast<int>(std::strlen(text));
}
void fill(double* data, std::size_t count, double value) { std::fill(data, data + count, value); }
void plain(Vec v, double* to) { *to = v + 1; }
void first(const std::vector<double>& v, double& to) { to += v[0] + static_cast<double>(v.size()); }
void nothing() {}

template <class T>
void double_all(T* data, int count) {
  for (int i = 0; i < count; ++i) data[i] = data[i] + data[i];
}

template <class T, int N>
struct Array {
  T data[N] = {};
  void set(int from, int count, T value) {
    for (int i = from; i < from + count; ++i) data[i] = value;
  }
  T sum() const { return std::accumulate(data, data + N, T{}); }
  void set_all(T value) {
    for (int i = 0; i < N; i += 2) {
#pragma omp task out(data[i; 2])
      set(i, 2, value);
    }
#pragma omp task inout(data)
    this->set(0, 1, T{100});
#pragma omp task inout(data)
    double_all(data, N);
#pragma omp taskwait
  }
};

struct Base {
  virtual ~Base() = default;
  virtual int value() const { return 1; }
  void note(int& to) const { to += value(); }
};
struct Derived : Base {
  int value() const override { return 2; }
};

template <class F, class... A>
void forward_task(int& to, F f, A... more) {
#pragma omp task inout(to)
  f(to, more...);
#pragma omp task inout(to)
  add(to, 1);
}

void references() {
  double x = 1, y = 2;
  int i = 3;
  std::string text = "a";
  const char* tail = "tail";
#pragma omp task inout(x) in(y)
  add(x, y);
#pragma omp task inout(x)
  add(x, 5);  // a temporary: kept
#pragma omp task inout(i)
  add(i, static_cast<int>(text.size()));
#pragma omp task inout(text)
  take(text, tail);  // converted now
  tail = "changed";
#pragma omp task inout(text)
  keep(text, std::string("-moved"));
#pragma omp task inout(i)
  own(i, std::make_unique<int>(1000));
#pragma omp task inout(i)
  with_default(i);
#pragma omp task inout(i)
  with_default(i, 9);
#pragma omp task out(y)
  plain({1, 2}, &y);
#pragma omp task
  ::nothing();
  std::vector<double> v{4, 5, 6};
#pragma omp task in(v[0]) inout(x)
  first(v, x);
#pragma omp taskwait
  std::printf("%g %g %d %s\n", x, y, i, text.c_str());
}

void members() {
  Array<int, 6> array;
  array.set_all(4);
  Array<int, 6>* pointer = &array;
#pragma omp task inout(array)
  array.set(0, 2, 50);
#pragma omp task inout(*pointer)
  pointer->set(1, 1, 60);
  pointer = nullptr;
  int noted = 0;
  const Derived derived;
  const Base& base = derived;
#pragma omp task inout(noted)
  base.note(noted);
#pragma omp task inout(noted)
  forward_task(noted, [](int& to, int a, int b) { to += a * b; }, 20, 30);
#pragma omp taskwait
  std::printf("%d %d\n", array.sum(), noted);
}

void callees() {
  double data[8] = {};
  double* p = data;
  void (*function)(double*, std::size_t, double) = fill;
  std::function<void(double*)> object = [](double* d) { d[1] += 1; };
  auto lambda = [p](int i) { p[i] += 2; };
#pragma omp task out(data)
  function(data, 8, 2);
  function = nullptr;
#pragma omp task inout([2] p)
  object(p);
#pragma omp task inout(data)
  lambda(3);
#pragma omp task inout(data)
  double_all<double>(data, 8);
#pragma omp taskwait
  std::printf("%g %g\n", data[1], data[3]);
}

void fail(int n) { throw std::runtime_error("number " + std::to_string(n)); }

void exceptions() {
  for (int i = 0; i < 3; ++i) {
#pragma omp task
    fail(i);
  }
  try {
#pragma omp taskwait
    // On one processor without tasks, the call itself throws.
  } catch (const std::exception& e) {
    std::printf("%s\n", e.what());
  }
}

void regions() {
  myr::Region region = myr::Region::create();
  int* x = region.make<int>(1);
#pragma myrmics task region inout(region) in(x) safe(x)
  double_all(x, 1);
#pragma myrmics task inout(x)
  double_all(x, 1);
#pragma myrmics wait on(region region)
  std::printf("%d\n", *x);
  region.free();
}

}  // namespace

int main() {
  references();
  members();
  callees();
  try {
    exceptions();
  } catch (const std::exception& e) {
    std::printf("%s\n", e.what());
  }
  regions();
}
