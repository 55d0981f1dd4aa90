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
#include <myr/reduction.hpp>
#include <optional>
#include <tuple>
#include <type_traits>
#include <utility>

namespace myr {

namespace detail {

// The iterations of a loop that reduces, in blocks of the same length but the last.
class Blocks {
 public:
  static constexpr std::size_t kMax = 1024;  // as many values are kept at most

  // `most`: there are no more; `grain`: none is shorter, but if the loop is; 0: each may be.
  Blocks(Range all, std::size_t most, std::size_t grain) noexcept
      : all_(all), length_(quotient(all.size(), most)) {
    if (length_ < grain) length_ = grain;
  }
  // So many suit the machine.
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
template <class Body, class... T>
struct BlockBody {
  Body body;
  Blocks blocks;
  std::tuple<Own<T>...> identities;
  BlockValues<T...>* results;

  void operator()(Range numbers) const {
    for (const std::size_t number : numbers) {
      std::tuple<Own<T>...> own = identities;
      std::apply(
          [&](Own<T>&... one) {
            run_iterations(body, blocks.of({number, number + 1}), one.value...);
          },
          own);
      results[number].emplace(std::move(own));
    }
  }
};

// The task behind the loop. Of one that has failed it combines the values of the blocks before the
// first that has none: these there are on every machine.
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
template <class A>
auto over_blocks(const Blocks& blocks, A argument) {
  if constexpr (is_reduction<A>) {
    return std::tuple<>();
  } else if constexpr (std::is_same_v<A, Grain>) {
    return std::tuple<Grain>(Grain{1});
  } else if constexpr (is_part_access<A>) {
    const myr_site* site = argument.site;
    auto footprint = [blocks, argument = std::move(argument)](Range numbers, myr_access* next) {
      return argument.footprint(blocks.of(numbers), next);
    };
    using Access = PartAccess<decltype(footprint), names_owners<A>>;
    return std::tuple<Access>(Access{std::move(footprint), site});
  } else {
    return std::tuple<A>(std::move(argument));
  }
}

template <class Body, class... T, class... Op, class... Others>
void spawn_blocks(const Blocks& blocks, Body&& body, std::tuple<Reduction<T, Op>...> reductions,
                  std::tuple<Others...> others) {
  const std::size_t count = blocks.numbers().size();
  if (count == 0) return;
  auto results = std::make_unique<BlockValues<T...>[]>(count);
  BlockValues<T...>* const first = results.get();
  const auto* site = std::apply(
      [](const auto&... reduction) { return first_site(reduction.site...); }, reductions);
  std::apply(
      [&](auto&... reduction) {
        BlockBody<std::decay_t<Body>, T...> code{
            std::forward<Body>(body), blocks, {std::move(reduction.own)...}, first};
        std::apply(
            [&](auto&... other) {
              spawn_loop(blocks.numbers(), std::move(code), make_part<MYR_INOUT>(first, part, site),
                         std::move(other)...);
            },
            others);
        auto combine = [into = std::make_tuple(std::move(reduction.into)...), first,
                        count](auto&&...) mutable { combine_blocks(into, first, count); };
        spawn(std::move(combine), make_range<MYR_INOUT>(first, count, site),
              access_to_target(reduction.into, reduction.site)...);
        // What a task has declared must be there until it has ended: so this is one more.
        spawn([results = std::move(results)](auto&&) {},
              notransfer(make_range<MYR_INOUT>(first, count, site)));
      },
      reductions);
}

template <class Body, class... A>
void spawn_reducing_loop(Range range, Body&& body, A&&... arguments) {
  std::size_t grain = 0;
  (note_grain(arguments, grain), ...);
  const std::size_t most =
      (... && is_in_order(arguments)) ? Blocks::kMax : Blocks::most_in_any_order();
  const Blocks blocks(range, most, grain);
  auto reductions = std::tuple_cat(reductions_of(arguments)...);
  const auto is_right = []<class... R>(const std::tuple<R...>*) {
    return std::bool_constant<check_body<std::decay_t<Body>, typename R::Value...>()>{};
  };
  if constexpr (decltype(is_right(&reductions))::value) {
    spawn_blocks(blocks, std::forward<Body>(body), std::move(reductions),
                 std::tuple_cat(over_blocks(blocks, kept(std::forward<A>(arguments), range))...));
  }
}

template <class Body, class T, class Op>
auto reducing(Body body, const Reduction<T, Op>& into) {
  return [body = std::move(body), op = into.into.op](auto which, T& own)
    requires std::is_invocable_v<const Body&, decltype(which)>
  { combine(op, own, body(which)); };
}
template <class Body, class Into, class... A>
auto reducing_body(Range range, Body&& body, const Into& into, const A&... arguments) {
  if constexpr (wants_views_into<std::decay_t<Body>, Range, A...>()) {
    return with_views_into(range, std::forward<Body>(body), into, arguments...);
  } else {
    return reducing(std::decay_t<Body>(std::forward<Body>(body)), into);
  }
}
template <class R, class Tuple, std::size_t... I>
void reduce_body_last(Range range, R&& into, Tuple&& all, std::index_sequence<I...>) {
  auto body =
      reducing_body(range, std::get<sizeof...(I)>(std::move(all)), into, std::get<I>(all)...);
  spawn_loop(range, std::move(body), std::forward<R>(into), std::get<I>(std::move(all))...);
}

template <class T, class Op, class... A>
void reduce_over(Range range, Reduction<T, Op> into, A&&... arguments) {
  reduce_body_last(range, std::move(into), std::forward_as_tuple(std::forward<A>(arguments)...),
                   std::make_index_sequence<sizeof...(A) - 1>());
}

}  // namespace detail

// reduce_each(range, reduce(x, op), accesses..., body): x becomes op(x, body(i)) for each number of
// the range; op should be associative. The range is cut into blocks: at most 1,024, each of at
// least a grain (grain(n)) of iterations. Each has a value of its own, which begins as the identity
// and to which its iterations are added in their order; x gets these in the order of the blocks. So
// the result has the same bits on every machine, though perhaps not those of a plain loop.
// Cost: that of for_each(), a task, and up to 1,024 values of x's type at a time.
template <class T, class Op, class... A>
void reduce_each(Range range, detail::Reduction<T, Op> into, A&&... arguments) {
  detail::check_arguments<A...>();
  if constexpr (sizeof...(A) > 0) {
    detail::reduce_over(range, std::move(into), std::forward<A>(arguments)...);
  }
}
template <detail::LoopAttribute First, detail::LoopRange R, class T, class Op, class... A>
void reduce_each(First attribute, const R& range, detail::Reduction<T, Op> into, A&&... arguments) {
  detail::check_arguments<A...>();
  if constexpr (sizeof...(A) > 0) {
    reduce_over(range, std::move(into), attribute, std::forward<A>(arguments)...);
  }
}
template <detail::LoopAttribute First, detail::LoopAttribute Second, class R, class T, class Op,
          class... A>
void reduce_each(First first, Second second, const R& range, detail::Reduction<T, Op> into,
                 A&&... arguments) {
  detail::check_arguments<A...>();
  if constexpr (sizeof...(A) > 0) {
    reduce_over(range, std::move(into), first, second, std::forward<A>(arguments)...);
  }
}

}  // namespace myr
