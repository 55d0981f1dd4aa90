// SPDX-License-Identifier: Apache-2.0
// Wrong uses of myr.hpp, each with a part of the one error that compilers must give for it;
// test_refused.py reads both.
#include <deque>
#include <functional>
#include <initializer_list>
#include <iterator>
#include <map>
#include <memory>
#include <myr/algorithm.hpp>
#include <myr/myr.hpp>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <tuple>
#include <utility>
#include <vector>

struct alignas(64) Wide {
  double x[8];
};
void two(int, double);
void change(int& x);
void change_both(int& x, int& y);
void change_behind(int* p);
void take_text(std::string text);
void take_pointer(long* p);
void take_reference(long& x);
void take_vector(std::vector<int>& v);
void set_pointer(int*& p);
void overloaded(int& x);
void overloaded(double& x);
template <class T>
void generic(T& x);
void fill_span(std::span<int> s);
void change_span(std::span<int>& s);
struct Two {
  Two(int, int) {}
};
struct WithSpan {
  std::span<int> cells;
  int kind = 0;
};
struct Folder {
  std::vector<Folder> folders;
};
struct WithConstructor {
  explicit WithConstructor(std::size_t n) : v(n) {}
  std::vector<int> v;
};
struct Derived : Two {
  std::vector<int> v;
};
struct Owner {
  std::vector<int> v;
};
class Image {
 public:
  int at(std::size_t i) const { return pixels_[i]; }

 private:
  std::vector<int> pixels_;
};
struct Page {
  Image image;
  int number = 0;
};
struct Callback {
  std::function<int()> call;
};
struct Cell {
  std::unique_ptr<long> value;
};
struct Reads {
  const std::vector<int>& v;
};
struct Writes {
  std::vector<int>& v;
};

void wrong_values() {
  int x = 0;
  long l = 0;
  const int constant = 0;
  const int* const pointer = &constant;
  int* variable = nullptr;
  std::unique_ptr<int> owner;
  std::vector<int> v;
  Wide wide{};
  const int table[] = {1, 2};
  char name[16] = "part";
  int numbers[3] = {1, 2, 3};
  const auto rest_of = [](auto&&...) {};
  myr::spawn(two, 1);                                           // more or fewer arguments
  myr::spawn(two, 1, 2, 3);                                     // more or fewer arguments
  myr::spawn([](const std::vector<int>&, int) {}, myr::in(v));  // more or fewer arguments
  myr::spawn(change, myr::in(x));                               // in() only lets it read
  myr::spawn(change_both, myr::inout(x), myr::out(constant));   // or what is const
  myr::spawn(change_behind, myr::in(pointer));                  // in() only lets it read
  myr::spawn(set_pointer, myr::out(variable));                  // write inout(object(x))
  myr::spawn(change, x);                                        // the task has a copy
  myr::spawn(change_both, myr::inout(x), x);                    // the task has a copy
  myr::spawn(take_vector, v);                                   // the task has a copy
  myr::spawn(take_text, 5.0);                                   // cannot take what spawn() hands
  myr::spawn([](std::string& s) { s = ""; }, myr::inout(x));    // cannot take what spawn() hands
  myr::spawn([](auto& y) { y = 1; }, x);                        // cannot take what spawn() hands
  myr::spawn(take_pointer, myr::inout(l));                      // takes a pointer, but gets
  myr::spawn(take_reference, myr::inout(&l));                   // takes an object, but gets
  myr::spawn(5, x);                                             // must be a function
  myr::spawn([](int y) { return y; }, x);                       // returns something, which nobody
  myr::spawn("text");                                           // must be a function
  myr::spawn(rest_of, table);                                   // an array is no value
  myr::spawn(rest_of, numbers);                                 // an array is no value
  myr::spawn(take_text, name);                                  // an array is no value
  myr::spawn([](std::unique_ptr<int>) {}, owner);               // one of these cannot be copied
  auto keeps = [owner = std::move(owner)] {};
  myr::spawn(keeps);                               // one of these cannot be copied
  myr::spawn([](Wide) {}, wide);                   // aligned to 16 bytes at most
  myr::wait(x);                                    // wait() takes in(x), out(x)
  myr::wait();                                     // wait for what?
  myr::wait(myr::in(x + 1L));                      // a temporary is gone
  myr::spawn([](const int&) {}, myr::in(int(x)));  // a temporary is gone
}

void values_that_refer() {
  int x = 0;
  std::vector<int> v;
  std::deque<int> pieces;
  std::vector<decltype(myr::in(x))> accesses{myr::in(x)};
  std::tuple<int&> bundle(x);
  const auto rest = [](auto&&...) {};
  myr::spawn(change, bundle);                                 // unchecked(x)
  myr::spawn(rest, std::cref(x));                             // unchecked(x)
  myr::spawn(rest, std::span(v));                             // unchecked(x)
  myr::spawn(rest, std::string_view("text"));                 // unchecked(x)
  myr::spawn(rest, WithSpan{v});                              // unchecked(x)
  myr::spawn(rest, std::pair<int, std::vector<int>&>(1, v));  // unchecked(x)
  myr::spawn(rest, std::optional<std::span<int>>(v));         // unchecked(x)
  myr::spawn(rest, std::vector<std::span<int>>(3));           // unchecked(x)
  myr::spawn(rest, std::map<int, WithSpan>());                // unchecked(x)
  myr::spawn(rest, Reads{v});                                 // unchecked(x)
  myr::spawn(rest, Writes{v});                                // unchecked(x)
  myr::spawn(rest, std::initializer_list<int>{1, 2});         // unchecked(x)
  myr::spawn(rest, std::move_iterator(v.begin()));            // unchecked(x)
  myr::spawn(rest, std::back_inserter(v));                    // unchecked(x)
  myr::spawn(rest, myr::async([] { return 1; }));             // a future or the like
  myr::spawn(rest, std::vector<myr::Future<int>>());          // a future or the like
  myr::spawn(rest, accesses);                                 // uses(in(each(v)))
  myr::spawn(rest, v.begin());                                // a reference, an iterator
  myr::spawn(rest, pieces.cbegin());                          // a reference, an iterator
}

void wrong_accesses() {
  const myr::Region region;
  int x = 0;
  std::vector<int> v;
  const int* const pointer = &x;
  double d = 0;
  Owner pile;
  auto on_region = [](myr::Region& r) { r = myr::Region(); };
  std::vector<int*> pointers;
  const auto larger = [](double a, double b) { return a > b ? a : b; };
  const auto rest = [](auto&&...) {};
  myr::spawn(overloaded, myr::out(x));                         // overloaded function
  myr::spawn(generic, myr::out(x));                            // overloaded function
  myr::spawn(on_region, myr::inout(region));                   // takes a handle by reference
  myr::spawn(change_span, myr::inout(std::span(v)));           // takes a handle by reference
  myr::spawn(fill_span, myr::in(v));                           // or what is const
  myr::spawn(change_behind, myr::out(v));                      // let it take a std::span
  myr::spawn([](int) {}, myr::out(x));                         // takes by value what out()
  myr::spawn([](std::vector<int>) {}, myr::inout(v));          // takes by value what out()
  myr::spawn([](double) {}, myr::reduce(d, std::plus<>()));    // takes by value what out()
  myr::spawn(rest, myr::uses(myr::in(x)));                     // come first, in this order
  myr::spawn(rest, myr::priority(1), x);                       // come first, in this order
  myr::spawn(myr::uses(), myr::priority(1), rest);             // come first, in this order
  myr::spawn(myr::inout(x), change);                           // must be a function: spawn(f, in(x)
  myr::spawn(rest, myr::in(myr::each(pointers)));              // uses(in(each(v)))
  myr::spawn(myr::uses(x), [] {});                             // uses() takes in(x)
  myr::spawn(myr::uses(myr::in(x)), [](int) {});               // go into uses(...), before it
  myr::spawn(rest, myr::reduce(d, larger));                    // the identity of op is not known
  myr::spawn(rest, myr::reduce(pile, std::plus<>()));          // must take two values
  myr::spawn(rest, myr::weak(myr::reduce(d, std::plus<>())));  // weak() is for in(x)
  myr::spawn(rest, myr::notransfer(myr::in(v, myr::part)));    // notransfer() is for in(x)
  myr::spawn(1, rest, myr::out(x));                            // must be a function
  std::vector<bool> bits;
  myr::spawn([](auto&&) {}, myr::in(bits));                 // use a std::vector<char>
  myr::wait(myr::in(bits));                                 // use a std::vector<char>
  myr::spawn([](myr::Region) {}, myr::concurrent(region));  // write commutative(region)
  myr::spawn([](const int&) {}, myr::concurrent(int(x)));   // a temporary is gone
  std::deque<int> pieces;
  Folder folder;
  myr::wait(myr::in(pieces));  // has its elements in many pieces
  std::map<int, int> map;
  myr::wait(myr::in(map));  // has its elements in many pieces
  std::unique_ptr<int> owned;
  myr::wait(myr::inout(owned));  // name what it points to
  std::vector<std::vector<std::vector<int>>> deep;
  myr::wait(myr::in(deep));  // of which in(x) would not name all
  std::vector<std::unique_ptr<int>> owners;
  myr::wait(myr::in(owners));  // of which in(x) would not name all
  std::pair<int, std::map<int, int>> numbered;
  myr::wait(myr::inout(numbered));  // of which in(x) would not name all
  Derived derived{{1, 2}, {}};
  myr::wait(myr::in(derived));  // say what it holds by myr::parts_of
  WithConstructor made(3);
  myr::spawn(rest, myr::inout(folder));                       // three deep
  myr::spawn([](WithConstructor&) {}, myr::inout(made));      // say what it holds by myr::parts_of
  myr::spawn([](auto&&) {}, myr::out(v, 0));                  // write in(v.data(), n)
  myr::spawn([](auto&&) {}, myr::out(v, 10));                 // write in(v.data(), n)
  myr::spawn([](auto&&) {}, myr::out(v.begin(), v.end()));    // in(std::span(first, last))
  myr::spawn([](auto&&) {}, myr::out(pointer, pointer + 1));  // in(std::span(first, last))
}

// The language does not show what they hold.
void untold_classes() {
  const myr::Range all{0, 10};
  std::vector<Image> images(3);
  std::vector<Page> pages(3);
  std::vector<Cell> cells(3);
  std::vector<std::map<int, int>> maps(3);
  std::pair<int, Image> numbered;
  Image in_array[2];
  Page page;
  Callback callback;
  const auto rest = [](auto&&...) {};
  std::vector<std::reference_wrapper<Image>> chosen(images.begin(), images.end());
  myr::wait(myr::in(page));                                        // say what it holds by
  myr::wait(myr::in(images));                                      // say what it holds by
  myr::wait(myr::in(pages));                                       // say what it holds by
  myr::wait(myr::in(numbered));                                    // say what it holds by
  myr::wait(myr::in(in_array));                                    // say what it holds by
  myr::wait(myr::in(callback));                                    // say what it holds by
  myr::wait(myr::in(std::span(images)));                           // say what it holds by
  myr::wait(myr::in(std::span(cells)));                            // would not name all
  myr::wait(myr::in(myr::each(chosen)));                           // say by myr::parts_of
  myr::spawn(myr::uses(myr::in(myr::each(maps))), [] {});          // say by myr::parts_of
  myr::for_each(myr::inout(images), rest);                         // say what it holds by
  myr::for_each(all, myr::in(pages, myr::part), rest);             // in(object(x), part)
  myr::for_each(all, myr::inout(cells, myr::part), rest);          // in(object(x), part)
  myr::for_each(all, myr::out(maps, myr::part), rest);             // in(object(x), part)
  myr::for_each(all, myr::out(std::span(maps), myr::part), rest);  // in(object(x), part)
  myr::for_each(all, myr::out(images.data(), myr::part), rest);    // in(object(x), part)
}

void wrong_loops_and_reductions() {
  int x = 0;
  const int constant = 0;
  std::vector<int> v;
  myr::Region::root().make<Two>(1);  // no T can be constructed
  const myr::Range all{0, 10};
  myr::for_each(v, change);                                       // write for_each(inout(v)
  myr::for_each(0, 10, myr::out(v, myr::part), [](int) {});       // write for_each(myr::range(from
  myr::for_each(std::deque<int>(), change);                       // side by side in a vector
  myr::for_each(myr::inout(x), change);                           // side by side in a vector
  myr::for_each(myr::inout(v));                                   // a loop needs a body
  myr::for_each(myr::inout(v), myr::grain(5), change);            // stand in front
  myr::for_each(myr::inout(v), [](char*) {});                     // body, which takes an
  myr::for_each(myr::tiles(2, 2), all, [](int) {});               // for loops over two or three
  myr::for_each(myr::tiles(2, 2, 2), all, all, [](int, int) {});  // for each range
  myr::for_each(myr::range(10), [](myr::Range) {});               // an IndexRange
  myr::for_each(all, myr::in(v, myr::parts(myr::part, myr::part)), [](int) {});  // is for a tile
  myr::for_each(all, [](int) {}, myr::out(v, myr::part));              // must be in(), out(),
  myr::for_each(all);                                                  // a loop needs a body
  myr::for_each(all, myr::in(v, myr::part));                           // body, which takes an
  myr::for_each(all, myr::in(v), [](std::string) {});                  // body, which takes an
  myr::for_each(all, [x](int) mutable { ++x; });                       // a mutable lambda
  myr::for_each(all, v, [](int) {});                                   // must be in(), out(),
  myr::for_each(all, myr::in(x, myr::part), [](int) {});               // a vector, an array
  myr::spawn([](int) {}, myr::in(v, myr::part));                       // are for loops
  myr::reduce_each(all, myr::reduce(x, std::plus<>()), [](char*) {});  // body, which takes an
  myr::for_each(all, myr::reduce(x, std::plus<>()), [](int) {});       // a T& for each reduce()
  myr::for_each(all, myr::grain(5), [](int) {});  // stand in front of the range
  struct Plain {
    int a;
  } plain{};
  const auto joined = [](int a, int b) { return a + b; };
  myr::spawn([](int&) {}, myr::reduce(x, joined));                        // write it as the third
  myr::spawn([](Plain&) {}, myr::reduce(plain, std::plus<>(), Plain{}));  // and give one
  myr::spawn([](int&) {}, myr::reduce(constant, std::plus<>()));          // which is const
  // Only what they show is elsewhere.
  auto shown = std::ref(v);
  auto place = v.begin();
  std::vector<std::span<int>> spans{v};
  std::vector<std::reference_wrapper<std::vector<int>>> several{v};
  std::vector<std::vector<int>::iterator> places{v.begin()};
  struct Shown {
    std::reference_wrapper<int> number;
  } holder{x};
  myr::spawn([](const std::vector<int>&) {}, myr::in(shown));  // only show what is elsewhere
  myr::spawn([](auto) {}, myr::in(place));                     // only show what is elsewhere
  myr::spawn([](const auto&) {}, myr::in(spans));              // only show what is elsewhere
  myr::spawn([](const auto&) {}, myr::in(several));            // only show what is elsewhere
  myr::spawn([](const auto&) {}, myr::in(holder));             // only show what is elsewhere
  myr::wait(myr::in(spans));                                   // only show what is elsewhere
  myr::spawn(myr::uses(myr::in(myr::each(places))), [] {});    // only show what is elsewhere
}

void algorithms() {
  std::vector<int> v(9), to(9);
  const std::vector<int> constant(9);
  std::deque<int> pieces(9);
  int counter = 0;
  const auto is_odd = [](int x) { return x % 2 != 0; };
  const auto counts = [counter](int) mutable { return ++counter > 3; };
  const auto concat = [](const char* left, int) { return left; };
  myr::sort(v.begin(), v.end());                          // write sort(v, less)
  myr::sort(pieces);                                      // side by side
  myr::sort(constant);                                    // are not const
  myr::stable_sort(myr::inout(v));                        // write stable_sort(v, less)
  myr::parallel_for(v.begin(), v.end(), is_odd);          // what for_each() takes
  myr::parallel_for(v, counts);                           // is called as const
  myr::parallel_for(pieces, is_odd);                      // side by side
  myr::transform_reduce(pieces, 0, std::plus<>());        // side by side
  myr::transform_reduce(v, 0, std::plus<>(), counts, 1);  // write transform_reduce(v, init
  myr::transform_reduce(v, 0, concat);                    // op takes two values of init's type
  myr::inclusive_scan(v, to.begin());                     // and so must `to`
  myr::inclusive_scan(v, to, concat);                     // op takes two values of init's type
  myr::exclusive_scan(v, to, 0, concat);                  // op takes two values of init's type
  myr::exclusive_scan(v, constant, 0);                    // and so must `to`
  myr::find_if(v.begin(), v.end(), is_odd);               // write find_if(v, test)
  myr::find_if(std::vector<int>(9), is_odd);              // v a variable or a span
  myr::any_of(pieces, is_odd);                            // side by side
  myr::all_of(v, counts);                                 // is called as const
  myr::none_of(v);                                        // write none_of(v, test)
  myr::count_if(v, 3);                                    // the test takes an element
  myr::parallel_invoke(is_odd, is_odd);                   // without arguments
}
