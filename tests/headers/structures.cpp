// SPDX-License-Identifier: Apache-2.0
// Structures whose members an access finds, whatever these are, and how many they hold: compiling
// this is the test.
#include <any>
#include <array>
#include <atomic>
#include <chrono>
#include <complex>
#include <filesystem>
#include <functional>
#include <initializer_list>
#include <iterator>
#include <list>
#include <map>
#include <memory>
#include <mutex>
#include <myr/myr.hpp>
#include <optional>
#include <random>
#include <span>
#include <sstream>
#include <string>
#include <string_view>
#include <thread>
#include <tuple>
#include <utility>
#include <valarray>
#include <variant>
#include <vector>

namespace {

struct WithConstructor {
  explicit(false) WithConstructor(int) {}
  std::vector<int> v;
};
struct FromAnything {
  template <class T>
  explicit(false) FromAnything(T&&) {}
};
struct Inner {
  int count;
  std::vector<double> values;
};

template <class T>
struct Around {
  std::string text;
  T member;
  unsigned bits : 3;
  int numbers[2][3];
};

template <class T, std::size_t kHeld>
constexpr bool holds() {
  using All = Around<T>;
  constexpr auto count = [](const auto&... member) { return sizeof...(member); };
  static_assert(
      std::is_same_v<decltype(myr::detail::with_members(std::declval<const All&>(), count)),
                     std::size_t>);
  return myr::detail::member_count<All>() == 4 && myr::detail::held_count<All>() == 1 + kHeld;
}

static_assert(holds<int, 0>());
static_assert(holds<int*, 0>());
static_assert(holds<std::vector<int>, 1>());
static_assert(holds<const std::vector<int>, 1>());
static_assert(holds<std::valarray<double>, 1>());
static_assert(holds<std::string_view, 1>());
static_assert(holds<std::span<int>, 1>());
static_assert(holds<std::pair<int, std::string>, 1>());
static_assert(holds<std::tuple<std::string, int, std::vector<int>>, 2>());
static_assert(holds<std::array<std::string, 3>, 3>());
static_assert(holds<std::vector<int>[2], 2>());
static_assert(holds<Inner, 1>());
static_assert(holds<Inner[3], 3>());
static_assert(holds<WithConstructor, 0>());
static_assert(holds<FromAnything, 0>());
static_assert(holds<std::optional<std::string>, 0>());
static_assert(holds<std::variant<int, std::string>, 0>());
static_assert(holds<std::any, 0>());
static_assert(holds<std::function<void()>, 0>());
static_assert(holds<std::unique_ptr<int>, 0>());
static_assert(holds<std::map<int, std::string>, 0>());
static_assert(holds<std::list<int>, 0>());
static_assert(holds<std::mutex, 0>());
static_assert(holds<std::atomic<int>, 0>());
static_assert(holds<std::thread, 0>());
static_assert(holds<std::ostringstream, 0>());
static_assert(holds<std::mt19937, 0>());
static_assert(holds<std::filesystem::path, 0>());
static_assert(holds<std::chrono::nanoseconds, 0>());
static_assert(holds<myr::Region, 0>());
static_assert(holds<myr::Future<int>, 0>());

// What C has, too, is its bytes.
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wpedantic"
struct WithRest {
  std::size_t count;
  std::size_t room;
  float numbers[];
};
#pragma GCC diagnostic pop
struct Vector3 {
  union {
    float x[3];
    int bits;
  };
  int kind = 0;
};
struct Token {
  std::string text;
  union {
    int number;
    float value;
  };
};
struct Matrix {
  double rows[2][2];
  std::span<float> all;
  unsigned kind : 3;
};
struct Window {
  std::span<float> all;
  int from;
};
static_assert(!myr::detail::is_open<WithRest>() && !myr::detail::is_closed<WithRest>());
static_assert(!myr::detail::is_open<Vector3>() && !myr::detail::is_closed<Vector3>());
static_assert(!myr::detail::is_open<Token>() && myr::detail::is_closed<Token>());
static_assert(myr::detail::member_count<Matrix>() == 3 && myr::detail::held_count<Matrix>() == 1);
static_assert(myr::detail::held_count<Window>() == 1);

struct Node {
  int value = 0;
  std::vector<Node> below;
};
static_assert(myr::detail::levels<Node>() >= myr::detail::kTooDeep);

using Numbers = std::vector<int>;
static_assert(myr::detail::levels<Numbers>() == 1);
static_assert(myr::detail::levels<std::vector<std::string>>() == 1);
static_assert(myr::detail::levels<std::vector<std::vector<std::string>>>() == 2);
static_assert(myr::detail::levels<std::pair<int, std::array<Numbers, 2>>>() == 1);
static_assert(myr::detail::levels<std::vector<Inner[3]>>() >= 1);
static_assert(myr::detail::levels<std::vector<std::vector<Numbers>>>() >= myr::detail::kTooDeep);
static_assert(myr::detail::levels<std::vector<std::unique_ptr<int>>>() >= myr::detail::kTooDeep);
static_assert(myr::detail::levels<Around<std::map<int, int>>>() >= myr::detail::kTooDeep);

// The compiler sees of these only that they own something, or that they do not.
template <class T>
inline constexpr bool is_untold = myr::detail::levels<Around<T>>() >= myr::detail::kUntold &&
                                  myr::detail::levels<std::vector<T>>() >= myr::detail::kUntold;
static_assert(is_untold<WithConstructor> && is_untold<Token>);
static_assert(is_untold<std::function<void()>> && is_untold<std::filesystem::path>);
static_assert(is_untold<std::any> && is_untold<std::optional<std::string>>);
static_assert(is_untold<std::thread> && is_untold<std::ostringstream>);
static_assert(!is_untold<std::mutex> && !is_untold<std::atomic<int>> && !is_untold<std::mt19937>);
static_assert(!is_untold<std::complex<double>> &&
              !is_untold<std::chrono::system_clock::time_point>);
static_assert(!is_untold<std::optional<int>> && !is_untold<std::variant<int, double>>);
static_assert(!is_untold<std::string> && !is_untold<Numbers> && !is_untold<Inner>);

// A structure with a reference; one with a constant looks the same.
struct ReadsNumbers {
  const Numbers& numbers;
};
struct WithConstant {
  const int size = 0;
};
static_assert(myr::detail::refers<ReadsNumbers>() && myr::detail::refers<WithConstant>());
static_assert(myr::detail::refers<std::optional<ReadsNumbers>>());
static_assert(myr::detail::refers<std::initializer_list<int>>());
static_assert(myr::detail::refers<std::move_iterator<Numbers::iterator>>());
static_assert(myr::detail::refers<myr::Future<int>>() && !myr::detail::refers<myr::Event>());
static_assert(!myr::detail::refers<Inner>() && !myr::detail::refers<std::unique_ptr<int>>());

}  // namespace
