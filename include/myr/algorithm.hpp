// SPDX-License-Identifier: Apache-2.0
//
// Algorithms that are ready to use: calls that run as tasks and return when all is done.
// docs/user/algorithms.md explains them.
//
//   myr::parallel_for(v, [](double& x) { x = std::sqrt(x); });
//   double sum = myr::transform_reduce(v, 0.0, std::plus<>(), [](double x) { return x * x; });
//   myr::inclusive_scan(v, to);
//   myr::sort(v);
//   auto first = myr::find_if(v, [](double x) { return x > 1; });
//   myr::parallel_invoke([&] { build(left); }, [&] { build(right); });
//
// What they have in common
//   v          has its elements side by side: a vector, an array, a span, ... They are declared as
//              by in(v.data(), n), or inout(): so a call waits for the caller's earlier tasks that
//              use them, and for no others. What the elements hold in turn is not declared.
//   footprint  that of a task that calls has the elements, as for a wait.
//   functions  are called from several threads at once, as const; by reference to what is given, so
//              they need not be copied.
//   exceptions come out of the call: the one that the serial program throws first. All tasks of the
//              call have ended by then.
//   results    have the same bits on every machine: blocks follow from the length and the grain.
//   threads    any; in tasks, and in threads of the program's own, too. On a machine of several
//              processes the call stays in its own.
//   grain(n)   in front, where there is one: a task has at least n elements. Without it, as many as
//              suit a cheap function.
#pragma once

#include <myr/cxx20.hpp>

#include <myr/fold.hpp>
#include <myr/parallel.hpp>
#include <myr/search.hpp>
#include <myr/sort.hpp>

namespace myr::inline v0 {

// All other calls.
#define MYR_REFUSE_OTHERS(name, text)                                    \
  template <class... A>                                                  \
    requires(!requires(A&&... a) { myr::name(static_cast<A&&>(a)...); }) \
  MYR_REFUSED(text)                                                      \
  detail::Refused name(A&&...) {                                         \
    return {};                                                           \
  }
#define MYR_NEEDS_ELEMENTS                                                                         \
  "v must have its elements side by side, in a vector, an array or a span, where a part of it is " \
  "std::span(first, last)"
#define MYR_NEEDS_SUM                                                                      \
  "; op takes two values of init's type (without init, of the elements'), gives one, and " \
  "is called as const"
#define MYR_NEEDS_TEST "; the test takes an element, gives a bool, and is called as const"

MYR_REFUSE_OTHERS(
    parallel_for,
    "write parallel_for(v, body), or what for_each() takes, as parallel_for(range(n), "
    "in(a, part), body): " MYR_NEEDS_ELEMENTS
    "; the body takes an element, or a number, and is called as const")
MYR_REFUSE_OTHERS(parallel_invoke,
                  "parallel_invoke(f, g, ...) takes two functions or more, without arguments; for "
                  "others use a Scope: scope.spawn(f, in(x))")
MYR_REFUSE_OTHERS(transform_reduce, "write transform_reduce(v, init, op, f): " MYR_NEEDS_ELEMENTS
                                    "; f takes an element; op takes two values of init's type, "
                                    "which the results of f become, and gives one; both are called "
                                    "as const")
MYR_REFUSE_OTHERS(count_if, "write count_if(v, test): " MYR_NEEDS_ELEMENTS MYR_NEEDS_TEST)
MYR_REFUSE_OTHERS(inclusive_scan, "write inclusive_scan(v, to, op, init): " MYR_NEEDS_ELEMENTS
                                  "; and so must `to`" MYR_NEEDS_SUM)
MYR_REFUSE_OTHERS(exclusive_scan, "write exclusive_scan(v, to, init, op): " MYR_NEEDS_ELEMENTS
                                  "; and so must `to`" MYR_NEEDS_SUM)
MYR_REFUSE_OTHERS(
    find_if, "write find_if(v, test), v a variable or a span: " MYR_NEEDS_ELEMENTS MYR_NEEDS_TEST)
MYR_REFUSE_OTHERS(any_of, "write any_of(v, test): " MYR_NEEDS_ELEMENTS MYR_NEEDS_TEST)
MYR_REFUSE_OTHERS(all_of, "write all_of(v, test): " MYR_NEEDS_ELEMENTS MYR_NEEDS_TEST)
MYR_REFUSE_OTHERS(none_of, "write none_of(v, test): " MYR_NEEDS_ELEMENTS MYR_NEEDS_TEST)
MYR_REFUSE_OTHERS(sort, "write sort(v, less): " MYR_NEEDS_ELEMENTS
                        "; its elements are not const, and `less` compares two of them, as const")
MYR_REFUSE_OTHERS(stable_sort,
                  "write stable_sort(v, less): " MYR_NEEDS_ELEMENTS
                  "; its elements are not const, and `less` compares two of them, as const")

#undef MYR_REFUSE_OTHERS
#undef MYR_NEEDS_ELEMENTS
#undef MYR_NEEDS_SUM
#undef MYR_NEEDS_TEST

}  // namespace myr::inline v0
