// SPDX-License-Identifier: Apache-2.0
//
// Loops that reduce, of loop.hpp. Their range is cut into blocks, by its length and the grain
// alone: so the result has the same bits on every machine, with any number of workers. The loop
// goes over the blocks, each of which leaves a value; behind it a task combines these with the
// variable, in the order of the blocks, and another one frees them.
#pragma once

#include <myr/cxx20.hpp>

#include <cstddef>
#include <memory>
#include <myr/loop.hpp>
#include <myr/operations.hpp>
#include <myr/reduction.hpp>
#include <myr/sanitized.hpp>
#include <optional>
#include <tuple>
#include <type_traits>
#include <utility>

namespace myr::inline v0 {

namespace detail {

// The iterations of a loop that reduces, in blocks of the same length, except the last.
class Blocks {
 public:
  static constexpr std::size_t kMax = 1024;  // as many values are kept at most

  // `most`: there are no more; `grain`: none is shorter, unless the loop is; 0: each may be.
  Blocks(Range all, std::size_t most, std::size_t grain) noexcept
      : all_(all), length_(quotient(all.size(), most)) {
    if (length_ < grain) length_ = grain;
  }
  // As many as suit the machine.
  static std::size_t most_in_any_order() noexcept { return std::size_t{8} * myr_worker_count(); }

  [[nodiscard]] Range numbers() const noexcept {
    return {0, length_ == 0 ? 0 : quotient(all_.size(), length_)};
  }
  // The iterations of these blocks.
  [[nodiscard]] Range of(Range some) const noexcept {
    const bool reaches_end = some.to >= numbers().to;
    return {all_.from + some.from * length_, reaches_end ? all_.to : all_.from + some.to * length_};
  }

 private:
  static constexpr std::size_t quotient(std::size_t a, std::size_t b) noexcept {
    return a / b + (a % b != 0 ? 1 : 0);
  }

  Range all_;
  std::size_t length_;
};

// What the blocks have left: a value for each reduction, or nothing if the block has failed.
template <class... T>
using BlockValues = std::optional<std::tuple<Own<T>...>>;

// The body of the loop over the blocks.
template <class Space, class Body, class... T>
struct BlockBody {
  Body body;
  Space space;
  Blocks blocks;
  std::tuple<Own<T>...> identities;
  BlockValues<T...>* results;

  void operator()(Range numbers) const {
    for (const std::size_t number : numbers) {
      std::tuple<Own<T>...> own = identities;
      std::apply(
          [&](Own<T>&... one) {
            const Children children{own};
            space.run(blocks.of({number, number + 1}), body, one.value...);
          },
          own);
      results[number].emplace(std::move(own));
    }
  }

 private:
  struct Children {
    std::tuple<Own<T>...>& own;
    ~Children() {
      std::apply([](auto&... one) { (await_users_of(one.value), ...); }, own);
    }
  };
};

// The task behind the loop. If the loop has failed, it combines the values of the blocks before the
// first that has none: these exist on every machine.
template <class... T, class... Op>
void combine_blocks(std::tuple<Combination<T, Op>...>& into, BlockValues<T...>* first,
                    std::size_t count) {
  const auto add_all = [&]<std::size_t... I>(std::tuple<Own<T>...>& values,
                                             std::index_sequence<I...>) {
    (std::get<I>(into).add(std::get<I>(values).value), ...);
  };
  for (BlockValues<T...>* values = first; values != first + count && *values; ++values) {
    add_all(**values, std::index_sequence_for<T...>{});
  }
}

template <class A>
auto reductions_of(const A& argument) {
  if constexpr (is_reduction<A>) {
    return std::tuple<A>(argument);
  } else {
    return std::tuple<>();
  }
}

template <class A>
bool is_in_order(const A& argument) noexcept {
  if constexpr (is_reduction<A>) return argument.in_order;
  return true;
}

// The argument for the loop over the blocks, if it has one.
template <class Space, class A>
auto over_blocks(const Space& space, const Blocks& blocks, A argument) {
  if constexpr (is_reduction<A>) {
    return std::tuple<>();
  } else if constexpr (is_part_access<A>) {
    const myr_site* site = argument.site;
    auto footprint = [space, blocks, argument = std::move(argument)](const Range& numbers,
                                                                     myr_access* next) {
      return space.put(argument.footprint, blocks.of(numbers), next);
    };
    using Access = PartAccess<decltype(footprint), names_owners<A>>;
    return std::tuple<Access>(Access{std::move(footprint), site});
  } else {
    return std::tuple<A>(std::move(argument));
  }
}

template <class Space, class Body, class... T, class... Op, class... Others>
void spawn_blocks(const Space& space, const Blocks& blocks, std::size_t grain, Body&& body,
                  std::tuple<Reduction<T, Op>...> reductions, std::tuple<Others...> others) {
  const std::size_t count = blocks.numbers().size();
  if (count == 0) return;
  auto results = std::make_unique<BlockValues<T...>[]>(count);
  BlockValues<T...>* const first = results.get();
  const auto* site = std::apply(
      [](const auto&... reduction) { return first_site(reduction.site...); }, reductions);
  std::apply(
      [&](auto&... reduction) {
        BlockBody<Space, std::decay_t<Body>, T...> code{
            std::forward<Body>(body), space, blocks, {std::move(reduction.own)...}, first};
        std::apply(
            [&](auto&... other) {
              spawn_loop(Line(blocks.numbers()), grain, std::move(code),
                         make_part<MYR_INOUT>(first, part, site), std::move(other)...);
            },
            others);
        auto combine = [into = std::make_tuple(std::move(reduction.into)...), first,
                        count](auto&&...) mutable { combine_blocks(into, first, count); };
        spawn(std::move(combine), make_range<MYR_INOUT>(first, count, site),
              access_to_target(reduction.into, reduction.site)...);
        // What a task has declared must be there until it has ended: so this is one more. It waits
        // for the end of the results, and does not read them.
        spawn(
            [results = std::move(results)](auto&&) mutable {
              [[maybe_unused]] const Glance glance;
              results.reset();
            },
            notransfer(make_range<MYR_INOUT>(first, count, site)));
      },
      reductions);
}

template <class Space, class Body, class... A>
void spawn_reducing_loop(const Space& space, std::size_t grain, Body&& body, A&&... arguments) {
  using R = std::remove_cvref_t<decltype(space.all())>;
  const std::size_t most =
      (... && is_in_order(arguments)) ? Blocks::kMax : Blocks::most_in_any_order();
  const Blocks blocks(space.numbers(), most, grain);
  auto reductions = std::tuple_cat(reductions_of(arguments)...);
  const auto is_right = []<class... A1>(const std::tuple<A1...>*) {
    return std::bool_constant<check_body<std::decay_t<Body>, R, typename A1::Value...>()>{};
  };
  if constexpr (decltype(is_right(&reductions))::value) {
    spawn_blocks(space, blocks, grain == 0 ? 0 : 1, std::forward<Body>(body), std::move(reductions),
                 std::tuple_cat(
                     over_blocks(space, blocks, kept(std::forward<A>(arguments), space.all()))...));
  }
}

// What a sum adds: the body's own value.
template <class Body, class Op>
struct SummedBody {
  Body body;
  Op op;

  template <class A, class T>
    requires std::is_invocable_v<const Body&, const A&>
  void operator()(const A& some, T& own) const {
    combine(op, own, body(some));
  }
  template <class I, class J, class T>
    requires std::is_invocable_v<const Body&, I, J>
  void operator()(I i, J j, T& own) const {
    combine(op, own, body(i, j));
  }
  template <class I, class J, class K, class T>
    requires std::is_invocable_v<const Body&, I, J, K>
  void operator()(I i, J j, K k, T& own) const {
    combine(op, own, body(i, j, k));
  }
};

// For (into, a, b, body) calls spawn(space, grain, summed body, into, a, b).
template <class Spawn>
struct ReduceEach {
  static constexpr std::size_t kLead = 1;
  Spawn spawn;

  template <class Space, class T, class Op, class... A>
  void operator()(const Space& space, std::size_t grain, Reduction<T, Op> into,
                  A&&... arguments) const {
    static_assert(sizeof...(A) > 0, "a loop needs a body, its last argument");
    if constexpr (sizeof...(A) > 0) {
      turn(space, grain, std::move(into), std::forward_as_tuple(std::forward<A>(arguments)...),
           std::make_index_sequence<sizeof...(A) - 1>());
    }
  }

 private:
  template <class Space, class Into, class Tuple, std::size_t... I>
  void turn(const Space& space, std::size_t grain, Into&& into, Tuple&& all,
            std::index_sequence<I...>) const {
    using R = std::remove_cvref_t<decltype(space.all())>;
    using Body = std::decay_t<std::tuple_element_t<sizeof...(I), Tuple>>;
    auto&& body = std::get<sizeof...(I)>(std::move(all));
    auto summed = [&] {
      if constexpr (wants_views_into<Body, R,
                                     std::remove_cvref_t<std::tuple_element_t<I, Tuple>>...>()) {
        return with_views_into(space.all(), std::forward<decltype(body)>(body), into,
                               std::get<I>(all)...);
      } else {
        if constexpr (sees_cut<Body, R>) note_cut();
        return SummedBody<Body, decltype(into.into.op)>{std::forward<decltype(body)>(body),
                                                        into.into.op};
      }
    }();
    spawn(space, grain, std::move(summed), std::move(into), std::get<I>(std::move(all))...);
  }
};

}  // namespace detail

// reduce_each(range, reduce(x, op), accesses..., body): x becomes op(x, body(i)) for each number of
// the range; op should be associative. The range is cut into blocks: at most 1,024, each of at
// least a grain (grain(n)) of iterations. Each has a value of its own, which begins as the identity
// and to which its iterations are added in their order; x gets these in the order of the blocks. So
// the result has the same bits on every machine, though perhaps not those of a plain loop.
// Cost: that of for_each(), a task, and up to 1,024 values of x's type at a time.
template <detail::StartsLoop First, class... A>
void reduce_each(First&& first, A&&... arguments) {
  detail::read_loop(detail::Cut<0>(), detail::ReduceEach<detail::SpawnLoop>(),
                    std::forward<First>(first), std::forward<A>(arguments)...);
}

}  // namespace myr::inline v0

#include <myr/scope.hpp>  // Scope, which has both kinds of loops
