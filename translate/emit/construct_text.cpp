// SPDX-License-Identifier: Apache-2.0
//
// Constructs as code: see construct_text.hpp.

#include "translate/emit/construct_text.hpp"

#include <fmt/format.h>

namespace myr::translate {

std::string type_of(const std::string& name, Language language) {
  return language == Language::C
             ? fmt::format("__typeof__(*myrcc_p_{})", name)
             : fmt::format("::std::remove_cv_t<::std::remove_reference_t<decltype(*myrcc_p_{})>>",
                           name);
}

std::string pointer_to(const std::string& name, Language language) {
  return language == Language::C
             ? fmt::format("__typeof__({0})* const myrcc_p_{0} = &{0}; ", name)
             : fmt::format("auto* const myrcc_p_{0} = ::std::addressof({0}); ", name);
}

namespace {

using Sharing = Variable::Sharing;

// A declaration of the construct's own variable.
std::string own_copy(const Variable& own, Language language) {
  const std::string& name = own.name;
  const std::string type = type_of(name, language);
  switch (own.sharing) {
    case Sharing::Copy:
      if (language == Language::Cxx && !own.array) {
        return fmt::format("{0} {1}(*myrcc_p_{1}); ", type, name);
      }
      return fmt::format("{0} {1}; __builtin_memcpy((void*)&{1}, myrcc_p_{1}, sizeof {1}); ", type,
                         name);
    case Sharing::Reduced:
      return fmt::format("{} {} = {}; ", type, name, identity(own.reduction, name, language));
    default:
      return fmt::format("{} {}; ", type, name);
  }
}

}  // namespace

std::string combined(const Reduction& reduction, const std::string& target,
                     const std::string& value) {
  if (reduction.op == "min") return fmt::format("if ({1} < {0}) {0} = {1};", target, value);
  if (reduction.op == "max") return fmt::format("if ({0} < {1}) {0} = {1};", target, value);
  return fmt::format("{0} = {0} {2} {1};", target, value, reduction.op == "-" ? "+" : reduction.op);
}

std::string identity(const Reduction& reduction, const std::string& name, Language language) {
  const std::string type = fmt::format("::std::decay_t<decltype({})>", name);
  if (language == Language::Cxx && reduction.op == "min") {
    return fmt::format("::myr::pragma::highest<{}>()", type);
  }
  if (language == Language::Cxx && reduction.op == "max") {
    return fmt::format("::myr::pragma::lowest<{}>()", type);
  }
  return language == Language::Cxx ? fmt::format("static_cast<{}>({})", type, reduction.identity)
                                   : reduction.identity;
}

Around around(const Construct& construct, const ConstructCalls& calls, const Renderer& renderer,
              Language language) {
  Around text{"{ ", " }"};
  if (construct.one_thread) text.head += calls.check;
  if (construct.critical) {
    text.head += calls.enter;
    text.tail = calls.leave + text.tail;
  }
  std::string combine;
  for (const Variable& own : construct.own) {
    text.head += pointer_to(own.name, language);
    if (own.sharing != Sharing::Reduced) continue;
    combine += " " + combined(own.reduction, "*myrcc_p_" + own.name, own.name);
  }
  if (!construct.own.empty()) {
    text.head += "{ ";
    for (const Variable& own : construct.own) text.head += own_copy(own, language);
  }
  if (construct.atomic) {
    const std::string variable = renderer.expression(*construct.atomic);
    text.head += language == Language::C
                     ? fmt::format("__typeof__({0})* const myrcc_p = &({0}); ", variable)
                     : fmt::format("auto* const myrcc_p = ::std::addressof({}); ", variable);
    const std::string type =
        language == Language::C
            ? "__typeof__(*myrcc_p)"
            : "::std::remove_cv_t<::std::remove_reference_t<decltype(*myrcc_p)>>";
    if (construct.atomic_value) {
      text.head += fmt::format(
          "const {} myrcc_value = {}; ",
          language == Language::C
              ? fmt::format("__typeof__(({}) + 0)", renderer.expression(*construct.atomic_value))
              : "auto",
          renderer.expression(*construct.atomic_value));
    }
    text.head += fmt::format(
        "{} myrcc_old, myrcc_new; MYR_ATOMIC_LOAD(myrcc_p, myrcc_old); "
        "do {{ myrcc_new = myrcc_old; ",
        type);
    text.tail = " } while (!MYR_ATOMIC_STORE(myrcc_p, myrcc_old, myrcc_new));" + text.tail;
  }
  if (construct.waits) text.tail = " " + calls.wait + combine + text.tail;
  if (construct.records) {
    text.head += calls.step;
    text.tail = calls.step_end + text.tail;
  }
  if (!construct.own.empty()) text.tail += " }";
  return text;
}

std::string loop_head(const Loop& loop, const Renderer& renderer, Language language) {
  const auto value = [&](Span span) { return "(" + renderer.expression(span) + ")"; };
  const std::string first = value(loop.first);
  const std::string end = value(loop.end);
  const bool c = language == Language::C;
  const std::string type = c ? fmt::format("__typeof__({})", loop.stored) : loop.type;
  std::string text = fmt::format("const {} myrcc_first = {}; ", type, first);
  text += c ? fmt::format("const __typeof__({0} + 0) myrcc_end = {0}; ", end)
            : fmt::format("const auto myrcc_end = {}; ", end);
  if (loop.by_subtraction && !c) {
    text +=
        "static_assert(::myr::pragma::IsCountable<decltype(myrcc_first)>::value, \"the iterations "
        "of this loop cannot be counted: its variable has no difference to another\"); ";
  }
  text += fmt::format("const long long myrcc_step = {}{}; ", loop.down ? "-" : "",
                      loop.step ? value(*loop.step) : "1");
  const auto distance = [&](const char* from, const char* to) {
    return loop.by_subtraction
               ? fmt::format("(unsigned long long)({} - {})", to, from)
               : fmt::format("((unsigned long long){} - (unsigned long long){})", to, from);
  };
  const std::string up = distance("myrcc_first", "myrcc_end");
  const std::string down = distance("myrcc_end", "myrcc_first");
  std::string count;
  if (loop.compare == "!=") {
    count = fmt::format(
        "myrcc_step > 0 ? {} / (unsigned long long)myrcc_step : {} / (unsigned long "
        "long)-myrcc_step",
        up, down);
  } else {
    const bool rises = loop.compare[0] == '<';
    const bool inclusive = loop.compare.size() == 2;
    count = fmt::format(
        "myrcc_first {} myrcc_end ? ({} - {}) / (unsigned long long){}myrcc_step + 1 "
        ": 0",
        loop.compare, rises ? up : down, inclusive ? "0" : "1", rises ? "" : "-");
  }
  text += fmt::format("const myr_chunks myrcc_chunks = myr_make_chunks({}, {}, {}); ", count,
                      loop.grain_size ? value(*loop.grain_size) : "0",
                      loop.task_count ? value(*loop.task_count) : "0");
  return text;
}

std::string iterations(const Loop& loop, const std::string& first, const std::string& step,
                       const std::string& chunk) {
  const std::string counted =
      loop.by_subtraction
          ? fmt::format("{} + (long long)myrcc_k * {}", first, step)
          : fmt::format("(unsigned long long){} + myrcc_k * (unsigned long long){}", first, step);
  const std::string type =
      loop.stored.empty() ? loop.type : fmt::format("__typeof__({})", loop.stored);
  const bool cast = !loop.by_subtraction && !loop.stored.empty();
  const std::string value =
      loop.by_subtraction ? counted
      : cast              ? fmt::format("({})({})", type, counted)
             : fmt::format("static_cast<::std::decay_t<decltype({})>>({})", first, counted);
  return fmt::format(
      "{{ unsigned long long myrcc_k; for (myrcc_k = {0}.begin; myrcc_k < {0}.end; ++myrcc_k) {{ "
      "{1} {2} = {3}; (void){2}; ",
      chunk, type, loop.name, value);
}

}  // namespace myr::translate
