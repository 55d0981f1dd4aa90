// SPDX-License-Identifier: Apache-2.0
// flags: -std=c++20
// Classes, lambdas, exceptions, newer syntax.
#include <atomic>
#include <compare>
#include <cstddef>
#include <cstdio>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <stdexcept>
#include <string>
#include <utility>
#include <variant>
#include <vector>

//: member_variables
struct Counter {
  int count = 0;
  void increase(int by) {
#pragma omp task inout(count)
    count += by;
  }
  int value() const {
#pragma omp taskwait
    return count;
  }
};
void member_variables() {
  Counter c;
  c.increase(40);
  c.increase(2);
  std::printf("%d\n", c.value());
}
//= 42
//: private_members
class Account {
 public:
  void pay_in(int n) {
#pragma omp task inout(balance_)
    balance_ += n;
  }
  int close() {
#pragma omp taskwait
    return balance_;
  }

 private:
  int balance_ = 0;
};
void private_members() {
  Account a;
  a.pay_in(20);
  a.pay_in(22);
  std::printf("%d\n", a.close());
}
//= 42
//: this_explicitly
struct Box {
  int x = 1, y = 2;
  void add() {
#pragma omp task inout(this->x) in(this->y)
    this->x += this->y;
#pragma omp taskwait
  }
};
void this_explicitly() {
  Box b;
  b.add();
  std::printf("%d\n", b.x);
}
//= 3
//: static_member
struct Shared {
  static int total;
  static void add(int n) {
#pragma omp task inout(total)
    total += n;
  }
};
int Shared::total = 0;
void static_member() {
  Shared::add(40);
  Shared::add(2);
#pragma omp taskwait
  std::printf("%d\n", Shared::total);
}
//= 42
//: virtual_call
struct Shape {
  virtual ~Shape() = default;
  virtual int corners() const = 0;
};
struct Square : Shape {
  int corners() const override { return 4; }
};
void virtual_call() {
  std::unique_ptr<Shape> s = std::make_unique<Square>();
  Shape* p = s.get();
  int n = 0;
#pragma omp task in(*p) out(n)
  n = p->corners();
#pragma omp taskwait
  std::printf("%d\n", n);
}
//= 4
//: namespaces
namespace outer::inner {
int depth = 0;
void change(int& x) { x += 1; }
}  // namespace outer::inner
void namespaces() {
  using namespace outer;
#pragma omp task inout(inner::depth)
  inner::change(inner::depth);
#pragma omp task inout(outer::inner::depth)
  outer::inner::depth += 41;
#pragma omp taskwait
  std::printf("%d\n", inner::depth);
}
//= 42
//: anonymous_namespace
namespace {
int hidden = 2;
void change_hidden() {
#pragma omp task inout(hidden)
  hidden += 40;
#pragma omp taskwait
}
}  // namespace
void anonymous_namespace() {
  change_hidden();
  std::printf("%d\n", hidden);
}
//= 42
//: lambda_inside
void lambda_inside() {
  int x = 0, by = 42;
#pragma omp task inout(x)
  {
    auto add = [&x](int n) { x += n; };
    add(by);
  }
#pragma omp taskwait
  std::printf("%d\n", x);
}
//= 42
//: lambda_as_callee
void lambda_as_callee() {
  int x = 2;
  auto multiply = [](int& to, int by) { to *= by; };
#pragma omp task inout(x)
  multiply(x, 21);
#pragma omp taskwait
  std::printf("%d\n", x);
}
//= 42
//: task_in_a_lambda
void task_in_a_lambda() {
  int x = 0;
  auto spawn = [&](int n) {
#pragma omp task inout(x)
    x += n;
  };
  spawn(40);
  spawn(2);
#pragma omp taskwait
  std::printf("%d\n", x);
}
//= 42
//: lambda_at_namespace_scope
auto twice = [](int* x) {
#pragma omp task inout(*x)
  *x *= 2;
#pragma omp taskwait
};
void lambda_at_namespace_scope() {
  int x = 21;
  twice(&x);
  std::printf("%d\n", x);
}
//= 42
//: captured_by_value
void captured_by_value() {
  int x = 0, n = 42;
  auto spawn = [n](int* to) {
#pragma omp task out(*to)
    *to = n;
  };
  spawn(&x);
#pragma omp taskwait
  std::printf("%d\n", x);
}
//= 42
//: std_function
void std_function() {
  int x = 1;
  std::function<void(int&)> f = [](int& y) { y += 41; };
#pragma omp task inout(x)
  f(x);
#pragma omp taskwait
  std::printf("%d\n", x);
}
//= 42
//: structured_binding
void structured_binding() {
  auto [k, v] = std::pair{40, 2};
  int sum = 0;
#pragma omp task out(sum)
  sum = k + v;
#pragma omp taskwait
  std::printf("%d\n", sum);
}
//= 42
//: structured_binding_by_reference
void structured_binding_by_reference() {
  std::pair<int, int> p{1, 2};
  auto& [a, b] = p;
#pragma omp task inout(p)
  {
    a = 40;
    b += a;
  }
#pragma omp taskwait
  std::printf("%d\n", p.second);
}
//= 42
//: structured_binding_of_a_copy
void structured_binding_of_a_copy() {
  std::pair<int, int> p{40, 2};
  auto [a, b] = p;
  int sum = 0;
#pragma omp task inout(p) out(sum)
  {
    sum = a + b;
    p.first = 0;
  }
  a = 0;
#pragma omp taskwait
  std::printf("%d %d\n", sum, p.first);
}
//= 42 0
//: reference_to_what_is_declared
void reference_to_what_is_declared() {
  std::pair<int, int> p{1, 2};
  int a[2] = {1, 2};
  int& first = p.first;
  const int& second = p.second;
  int& last = a[1];
#pragma omp task inout(p)
  p.second = 20;
#pragma omp task inout(p, a)
  {
    first += second;
    last = first * 2;
  }
#pragma omp taskwait
  std::printf("%d %d\n", p.first, a[1]);
}
//= 21 42
//: structured_binding_inside
void structured_binding_inside() {
  std::pair<int, int> p{40, 2};
  int sum = 0;
#pragma omp task in(p) out(sum)
  {
    const auto& [a, b] = p;
    sum = a + b;
  }
#pragma omp taskwait
  std::printf("%d\n", sum);
}
//= 42
//: initialised_conditions
void initialised_conditions() {
  std::optional<int> maybe = 40;
  int x = 2;
#pragma omp task inout(x)
  {
    if (auto copy = maybe; copy.has_value()) x += *copy;
  }
#pragma omp taskwait
  std::printf("%d\n", x);
}
//= 42
//: exception_inside
void exception_inside() {
  int x = 0;
#pragma omp task inout(x)
  {
    try {
      throw std::runtime_error("42");
    } catch (const std::exception& e) {
      x = std::stoi(e.what());
    }
  }
#pragma omp taskwait
  std::printf("%d\n", x);
}
//= 42
//: destructors_run
struct Guard {
  int* to;
  explicit Guard(int* p) : to(p) {}
  ~Guard() { *to += 2; }
};
void destructors_run() {
  int x = 0;
#pragma omp task inout(x)
  {
    Guard g(&x);
    x = 40;
  }
#pragma omp taskwait
  std::printf("%d\n", x);
}
//= 42
//: span_of_a_vector
void span_of_a_vector() {
  std::vector<int> v(4, 10);
  std::span<int> s(v);
  //? dimensions
#pragma omp task inout(s[0;4])
  for (int& x : s) x += 1;
#pragma omp taskwait
  std::printf("%d\n", v[0] + v[3]);
}
//= 22
//: variant_and_visit
void variant_and_visit() {
  std::variant<int, std::string> v = std::string("abc");
  int n = 0;
#pragma omp task in(v) out(n)
  n = std::visit(
      [](const auto& x) {
        if constexpr (std::is_same_v<std::decay_t<decltype(x)>, int>) {
          return x;
        } else {
          return static_cast<int>(x.size());
        }
      },
      v);
#pragma omp taskwait
  std::printf("%d\n", n);
}
//= 3
//: overloads
static void convert(int& to, int from) { to = from; }
static void convert(int& to, const char* from) { to = from[0] - '0'; }
static void convert(double& to, double from) { to = from / 2; }
void overloads() {
  int a = 0, b = 0;
  double c = 0;
#pragma omp task out(a)
  convert(a, 1);
#pragma omp task out(b)
  convert(b, "2");
#pragma omp task out(c)
  convert(c, 3);
#pragma omp taskwait
  std::printf("%d %d %g\n", a, b, c);
}
//= 1 2 1.5
//: default_arguments
static void put(int& to, int a = 40, int b = 2) { to = a + b; }
void default_arguments() {
  int x = 0, y = 0;
#pragma omp task out(x)
  put(x);
#pragma omp task out(y)
  put(y, 1);
#pragma omp taskwait
  std::printf("%d %d\n", x, y);
}
//= 42 3
//: operators
struct Vector {
  double x, y;
  Vector& operator+=(const Vector& o) {
    x += o.x, y += o.y;
    return *this;
  }
  double operator()(double f) const { return f * (x + y); }
};
static Vector operator*(double f, Vector v) { return {f * v.x, f * v.y}; }
void operators() {
  Vector a{1, 2}, b{3, 4};
  double r = 0;
#pragma omp task inout(a) in(b)
  a += b;
#pragma omp task inout(a)
  a = 2 * a;
#pragma omp task in(a) out(r)
  r = a(0.5);
#pragma omp taskwait
  std::printf("%g %g %g\n", a.x, a.y, r);
}
//= 8 12 10
//: conversions
struct Metres {
  double value;
  Metres(double v) : value(v) {}
  operator double() const { return value; }
};
static void keep_metres(Metres m, double& to) { to = m; }
void conversions() {
  double x = 0, y = 2;
#pragma omp task inout(y)
  y = 40;
#pragma omp task in(y) out(x)
  keep_metres(y + 2, x);
#pragma omp taskwait
  std::printf("%g\n", x);
}
//= 42
//: new_and_delete
void new_and_delete() {
  int* p = new int(1);
  int r = 0;
#pragma omp task inout(*p)
  *p += 41;
#pragma omp task in(*p) out(r)
  r = *p;
#pragma omp task inout(*p)
  delete p;
#pragma omp taskwait
  std::printf("%d\n", r);
}
//= 42
//: constructor_spawns
struct Table {
  std::vector<int> squares;
  explicit Table(int n) : squares(n) {
    for (int i = 0; i < n; ++i) {
      int* s = &squares[i];
#pragma omp task out(*s)
      *s = i * i;
    }
#pragma omp taskwait
  }
};
void constructor_spawns() {
  Table t(5);
  std::printf("%d\n", t.squares[4]);
}
//= 16
//: enumeration_class
enum class Colour { Red, Green, Blue };
static void next_colour(Colour& c) { c = static_cast<Colour>((static_cast<int>(c) + 1) % 3); }
void enumeration_class() {
  Colour c = Colour::Green;
#pragma omp task inout(c)
  next_colour(c);
#pragma omp task inout(c)
  if (c == Colour::Blue) c = Colour::Red;
#pragma omp taskwait
  std::printf("%d\n", static_cast<int>(c));
}
//= 0
//: types_by_auto_and_decltype
void types_by_auto_and_decltype() {
  auto x = 40L;
  decltype(x) y = 2;
  using Number = decltype(x + y);
#pragma omp task inout(x) in(y)
  {
    Number sum = x + y;
    x = sum;
  }
#pragma omp taskwait
  std::printf("%ld\n", x);
}
//= 42
//: local_class
void local_class() {
  struct Local {
    int a;
    int twice() const { return 2 * a; }
  };
  Local l{21};
  int r = 0;
#pragma omp task in(l) out(r)
  r = l.twice();
#pragma omp taskwait
  std::printf("%d\n", r);
}
//= 42
//: raw_strings_and_literals
void raw_strings_and_literals() {
  std::string s;
#pragma omp task out(s)
  s = R"(a "raw" \n text)" + std::to_string(1'000) + std::to_string(0b11);
#pragma omp taskwait
  std::puts(s.c_str());
}
//= a "raw" \n text10003
//: atomic_object
void atomic_object() {
  std::atomic<int> n{0};
  for (int i = 0; i < 10; ++i) {
#pragma omp task shared(n)
    n += i;
  }
#pragma omp taskwait
  std::printf("%d\n", n.load());
}
//= 45
//: concepts
template <class T>
concept Number = requires(T x) { x + x; };
template <Number T>
static void add_one(T* x) {
#pragma omp task inout(*x)
  *x += 1;
#pragma omp taskwait
}
static void add_two(Number auto* x) {
#pragma omp task inout(*x)
  *x += 2;
#pragma omp taskwait
}
void concepts() {
  int x = 39;
  add_one(&x);
  add_two(&x);
  std::printf("%d\n", x);
}
//= 42
//: functions_of_anything
static void add_some(auto& x, int n)
  requires Number<decltype(n)>
{
#pragma omp task inout(x)
  x += n;
#pragma omp taskwait
}
static auto half(const auto& x) -> int {
  int result = 0;
#pragma omp task in(x) out(result)
  result = x / 2;
#pragma omp taskwait
  return result;
}
struct Sum {
  int sum = 0;
  void add(auto n) {
#pragma omp task inout(this->sum)
    sum += n;
#pragma omp taskwait
  }
};
void functions_of_anything() {
  int x = 80;
  Sum sum;
  add_some(x, 2);
  sum.add(half(x));
  sum.add(1L);
  std::printf("%d\n", sum.sum);
}
//= 42
//: designated_initialisers
struct Options {
  int a = 1, b = 2;
};
static void sum_options(Options o, int& to) { to = o.a + o.b; }
void designated_initialisers() {
  int x = 0;
#pragma omp task out(x)
  sum_options({.b = 41}, x);
#pragma omp taskwait
  std::printf("%d\n", x);
}
//= 42
//: type_by_compiler
#ifdef __clang__
using Real = float;
#else
using Real = double;
#endif
static void set(Real* x, Real value) { *x = value; }
void type_by_compiler() {
  Real x = 0;
#pragma omp task out(x)
  set(&x, 0.1);
#pragma omp taskwait
  std::printf("%d\n", x == Real(0.1));
}
//= 1
//: type_by_version
#if __GNUC__ >= 7
using Newer = double;
#else
using Newer = int;
#endif
static void set_newer(Newer* x, Newer value) { *x = value; }
void type_by_version() {
  Newer x = 0;
#pragma omp task out(x)
  set_newer(&x, Newer(2.5));
#pragma omp taskwait
  std::printf("%d\n", x == Newer(2.5));
}
//= 1
//: classes_in_declarations
// Clang shows them twice.
typedef struct {
  int sum;
  void add(int number) {
#pragma omp task inout(sum)
    sum += number;
  }
} Summed;
struct {
  struct Inner {
    int factor;
    void multiply(int& number) const {
#pragma omp task inout(number)
      number *= factor;
    }
  } inner;
} doubler = {{2}};
void classes_in_declarations() {
  using Last = struct {
    static void negate(int& number) {
#pragma omp task inout(number)
      number = -number;
    }
  };
  Summed s{1};
  s.add(4);
  doubler.inner.multiply(s.sum);
  Last::negate(s.sum);
#pragma omp taskwait
  std::printf("%d\n", s.sum);
}
//= -10
//: methods_by_arrow
struct Adder {
  int by = 0;
  virtual ~Adder() = default;
  virtual void add_to(int& sum) { sum += by++; }
};
template <class P>
void call_method_by_arrow(P& p, int& sum) {
#pragma omp task inout(sum) inout(*p)
  p->add_to(sum);
}
void methods_by_arrow() {
  int sum = 0;
  std::vector<std::unique_ptr<Adder>> owned;
  owned.push_back(std::make_unique<Adder>());
  std::vector<Adder> adders(2);
  std::optional<Adder> maybe = Adder();
  maybe->by = 100;
  for (int step = 0; step < 2; ++step) {
    for (const auto& adder : owned) {
#pragma omp task inout(sum)
      adder->add_to(sum);
    }
    for (auto it = adders.begin(); it != adders.end(); ++it) {
#pragma omp task inout(sum)
      it->add_to(sum);
    }
    {
      auto shared = std::make_shared<Adder>();
      shared->by = 5;
#pragma omp task inout(sum)
      shared->add_to(sum);
    }
#pragma omp task inout(sum)
    maybe->add_to(sum);
    call_method_by_arrow(owned[0], sum);
    call_method_by_arrow(maybe, sum);
#pragma omp taskwait
  }
  std::printf("%d %d %d\n", sum, owned[0]->by, maybe->by);
}
//= 424 4 104
//: values_in_braces
void values_in_braces() {
  std::pair<int, int> p{1, 2};
#pragma omp task inout(p)
  p = {3, 4};
#pragma omp task inout(p)
  for (int i = 0; i < 2; ++i) p = std::pair<int, int>{p.first + 1, 5};
#pragma omp task inout(p)
  if (p.first == 0)
    p.first = 1;
  else
    p.second += int{6};
#pragma omp taskwait
  std::printf("%d %d\n", p.first, p.second);
}
//= 5 11
//: object_that_the_declared_memory_leads_to
struct Steps {
  int sum = 1;
  void add(int by) { sum += by; }
};
void object_that_the_declared_memory_leads_to() {
  auto u = std::make_unique<Steps>();
#pragma omp task inout(u)
  {
    for (volatile int i = 0; i < 1000000; i = i + 1) continue;
    u = std::make_unique<Steps>();
    u->sum = 50;
  }
#pragma omp task inout(u)
  u->add(3);
#pragma omp taskwait
  std::printf("%d\n", u->sum);
}
//= 53
//: call_on_what_a_call_returns
void call_on_what_a_call_returns() {
  std::string s;
#pragma omp task inout(s)
  {
    for (volatile int i = 0; i < 1000000; i = i + 1) continue;
    s += "first";
  }
#pragma omp task inout(s)
  s.append(",second").push_back('!');
#pragma omp taskwait
  std::printf("%s\n", s.c_str());
}
//= first,second!
//: class_that_a_block_declares
void class_that_a_block_declares() {
  int r = 0;
#pragma omp task inout(r)
  {
    struct Less {
      bool operator()(int a, int b) const { return a < b; }
      static int twice(int x) {
        if (x == 0) return x;
        return 2 * x;
      }
    };
    r += Less()(1, 2) + Less::twice(20);
  }
#pragma omp taskwait
  std::printf("%d\n", r);
}
//= 41
//: exceptions_at_once
static int fail_below(int depth) {
  if (depth == 0) throw std::runtime_error("deep");
  int result = 0;
#pragma omp task out(result) final(depth < 3)
  result = fail_below(depth - 1);
#pragma omp taskwait
  return result;
}
void exceptions_at_once() {
  int sum = 0;
  try {
#pragma omp task inout(sum) if (0)
    {
      sum += 1;
      throw std::runtime_error("at once");
    }
    std::puts("not here");
  } catch (const std::exception& error) {
    std::printf("%s %d\n", error.what(), sum);
  }
  try {
    fail_below(4);
  } catch (const std::exception& error) {
    std::puts(error.what());
  }
}
//= at once 1
//= deep
//: task_in_a_closure_that_is_gone
struct SummedLater {
  int sum = 0;
  void add(int by) {
    auto later = [this, by, text = std::string(40, 'x')](int more) {
#pragma omp task inout(sum)
      sum += by + more + static_cast<int>(text.size());
    };
    later(100);
  }
};
void task_in_a_closure_that_is_gone() {
  SummedLater all;
  for (int i = 0; i < 3; ++i) all.add(i);
#pragma omp taskwait
  std::printf("%d\n", all.sum);
}
//= 423
