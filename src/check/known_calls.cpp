// SPDX-License-Identifier: Apache-2.0
#include "check/known_calls.hpp"

#include <fnmatch.h>

#include <algorithm>
#include <initializer_list>

#include "check/names.hpp"

namespace myr::check {

namespace {

using Patterns = std::initializer_list<const char*>;

const Knowledge kPureFunction{.may_depend_on_others = false, .may_touch_others = false};

bool matches(const std::string& name, Patterns patterns) {
  return std::any_of(patterns.begin(), patterns.end(),
                     [&](const char* pattern) { return fnmatch(pattern, name.c_str(), 0) == 0; });
}

// They depend on their arguments only, and touch only memory of the program that they are given, or
// that their caller touches as well: the neighbours of a map's node.
constexpr Patterns kPure = {
    // the C library
    "_ITM_*", "__assert_fail", "__ctype_*_loc", "__cxa_*atexit", "__cxa_finalize", "__gmon_start__",
    "__libc_start_main", "__stack_chk_fail", "__tls_get_addr", "abort", "abs", "clock_nanosleep",
    "div", "imaxabs", "is*", "labs", "ldiv", "llabs", "lldiv", "malloc_usable_size", "nanosleep",
    "sched_yield", "sleep", "tolower", "toupper", "usleep",
    // exceptions and types
    "_Unwind_*", "__cxa_allocate_exception", "__cxa_bad_cast", "__cxa_bad_typeid",
    "__cxa_begin_catch", "__cxa_end_catch", "__cxa_free_exception", "__cxa_get_exception_ptr",
    "__cxa_init_primary_exception", "__cxa_pure_virtual", "__cxa_rethrow", "__cxa_throw*",
    "__dynamic_cast", "__gxx_personality_v0", "_ZNKSt15__exception_ptr*", "_ZNSt15__exception_ptr*",
    "_ZNSt9exceptionD*", "_ZSt17current_exceptionv", "_ZSt17rethrow_exception*", "_ZSt9terminatev",
    "_ZSt*__throw_*",
    // nodes of lists and maps
    "_ZSt*_Rb_tree_*", "_ZNSt8__detail15_List_node_base7_M_hookEPS0_",
    "_ZNSt8__detail15_List_node_base9_M_unhookEv",
    // the checker sees the call of the C library that is behind them
    "_ZNSt6chrono*3nowEv", "_ZNSt11this_thread11__sleep_for*"};

// They read the text, or the bytes, that their first argument points to, and no more.
constexpr Patterns kReadsFirst = {"ato[filq]", "atoll",   "strchr",    "strrchr",
                                  "memchr",    "memrchr", "rawmemchr", "_ZSt11_Hash_bytes*"};

// They touch no memory of the program, but their result is no function of their arguments.
constexpr Patterns kAsks = {"__errno_location", "clock",         "get*id",  "get_nprocs*",
                            "getenv",           "lrand48",       "mrand48", "pthread_self",
                            "sched_getcpu",     "secure_getenv", "srand*",  "sysconf"};

// The checker sees the accesses of these: they depend on what they read, or the code that
// intercepts the call says what they depend on.
constexpr Patterns kSeenAll = {
    "mem*", "wmem*", "b[czo]*", "str*", "stp*", "wcs*", "wcp*", "*alloc", "posix_memalign", "free",
    "aligned_alloc", "_Zn[aw]*", "_Zd[al]*", "qsort*", "*s*printf", "*sscanf", "mbs*", "mbr*",
    "wcr*", "frexp*", "lgamma*_r", "nanosleep", "timegm", "abort", "modf*", "sincos*", "remquo*",
    "*time_r", "mktime", "swab", "ato*", "explicit_bzero",
    // these say it
    "__tsan_*", "__sanitizer_*", "Annotate*", "myr_*", "pthread_*", "mtx_*", "sem_*",
    "__cxa_guard_*", "clock_gettime", "gettimeofday", "time", "rand", "random", "drand48",
    "getrandom", "GOMP_*", "omp_*", "__kmpc_*"};

// Functions of the C++ library that look at more than their arguments.
constexpr Patterns kImpure = {"_ZNSt6locale6global*",
                              "_ZNSt6localeC?Ev",
                              "_ZNSt6locale7classicEv",
                              "_ZNSt13random_device*",
                              "_ZNKSt13random_device*",
                              "_ZNSt6thread*",
                              "_ZNSt10filesystem*",
                              "_ZNKSt10filesystem*",
                              "_ZNSt13basic_filebuf*",
                              "_ZNSt14basic_ifstream*",
                              "_ZNSt14basic_ofstream*",
                              "_ZNSt13basic_fstream*",
                              "_ZNSt18condition_variable*",
                              "_ZNSt3_V218condition_variable*",
                              "_ZNSt12__basic_file*",
                              "_ZNSt13__future_base*",
                              "_ZNSt3pmr20set_default_resource*",
                              "_ZNSt8ios_base15sync_with_stdio*",
                              "_ZNSt8ios_base4Init*",
                              "_ZSt15set_new_handler*",
                              "_ZSt13set_terminate*"};

// They return an object at the place that their first argument points to.
constexpr Patterns kGivesObject = {"*3strEv", "*6substrEmm", "*6getlocEv", "*6locale4nameEv"};

// The types of the parameters of a function that is written like "f(int, g<a, b>*) const".
std::vector<std::string> parameters_of(const std::string& function) {
  std::vector<std::string> types(1);
  const std::size_t end = function.rfind(')');
  if (end == std::string::npos) return {};
  std::size_t begin = end;
  for (int depth = 1; depth != 0 && begin != 0;) {
    begin -= 1;
    depth += function[begin] == ')' ? 1 : function[begin] == '(' ? -1 : 0;
  }
  int depth = 0;
  for (std::size_t at = begin + 1; at < end; ++at) {
    const char letter = function[at];
    depth += letter == '<' || letter == '(' ? 1 : letter == '>' || letter == ')' ? -1 : 0;
    if (letter == ',' && depth == 0) {
      types.emplace_back();
    } else if (letter != ' ' || !types.back().empty()) {
      types.back() += letter;
    }
  }
  if (types.back().empty() || types.back() == "void") types.pop_back();
  return types;
}

// A function of the C++ library, which uses its object, and what it is given.
Knowledge of_parameters(const std::string& symbol) {
  const std::string function = demangled(symbol.c_str());
  Knowledge known = kPureFunction;
  std::uint8_t argument = matches(symbol, kGivesObject) ? 1 : 0;
  if (symbol.starts_with("_ZN")) {
    known.pointers.push_back({argument, !function.ends_with(" const")});
    argument += 1;
  }
  for (const std::string& type : parameters_of(function)) {
    if (type == "double" || type == "float" || type == "long double") continue;
    const bool is_pointer = type.ends_with("*") || type.ends_with("&");
    const bool is_constant =
        type.find("const*") != std::string::npos || type.find("const&") != std::string::npos;
    if (is_pointer) known.pointers.push_back({argument, !is_constant});
    argument += 1;
  }
  return known;
}

bool is_of_cpp_library(const std::string& symbol) {
  return matches(symbol, {"_ZNSt*", "_ZNKSt*", "_ZSt*", "_ZNS[soid]*", "_ZNKS[soid]*"});
}

}  // namespace

Knowledge knowledge_of_seen(const std::string& symbol) {
  if (matches(symbol, kPure)) return kPureFunction;
  if (is_of_cpp_library(symbol))
    return matches(symbol, kImpure) ? Knowledge() : of_parameters(symbol);
  Knowledge known = kPureFunction;
  known.may_depend_on_others = !matches(symbol, kSeenAll) || symbol == "strtok";
  return known;
}

Knowledge knowledge_of(const std::string& symbol, std::string_view library) {
  const auto is_in = [&](std::string_view name) {
    return library.find(name) != std::string_view::npos;
  };
  if (is_in("libgcc_s.so")) return kPureFunction;
  if (is_in("libmyrmidon")) {
    const bool asks = matches(symbol, {"myr_worker_*", "myr_cycles", "myr_cancelled"});
    return {.may_depend_on_others = asks, .asks_machine = asks, .may_touch_others = false};
  }
  if (is_in("libm.so") || is_in("libmvec.so")) {
    const bool is_of_thread = matches(symbol, {"fe*"});  // the rounding, and flags
    const bool has_state = matches(symbol, {"lgamma*", "gamma*", "__signgam"});
    return {.may_depend_on_others = has_state || is_of_thread,
            .is_of_thread = is_of_thread,
            .may_touch_others = false};
  }
  if (matches(symbol, kPure)) return kPureFunction;
  if (matches(symbol, kAsks)) return {.may_touch_others = false};
  if (matches(symbol, kReadsFirst)) {
    Knowledge known = kPureFunction;
    known.pointers.push_back({0, false});
    return known;
  }
  if (is_of_cpp_library(symbol) && !matches(symbol, kImpure)) return of_parameters(symbol);
  return {};
}

}  // namespace myr::check
