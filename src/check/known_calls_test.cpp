// SPDX-License-Identifier: Apache-2.0
#include "check/known_calls.hpp"

#include <doctest/doctest.h>

#include <string>

using myr::check::knowledge_of;
using myr::check::Pointer;

namespace {
constexpr const char* kCpp = "/usr/lib/libstdc++.so.6";
constexpr const char* kC = "/lib/libc.so.6";

// "r": reads what an argument points to, "w": may write it, "?": depends on others, "m": on the
// machine, "*": may touch anything.
std::string known(const std::string& symbol, const char* library) {
  const auto knowledge = knowledge_of(symbol, library);
  std::string text = knowledge.asks_machine ? "m" : knowledge.may_depend_on_others ? "?" : "";
  if (knowledge.may_touch_others) text += "*";
  for (const Pointer& pointer : knowledge.pointers) {
    text += (pointer.is_written ? "w" : "r") + std::to_string(pointer.argument);
  }
  return text;
}
}  // namespace

TEST_CASE("functions of libraries depend on their arguments, or on others") {
  CHECK(known("sin", "/lib/libm.so.6").empty());
  CHECK(known("fesetround", "/lib/libm.so.6") == "?");
  CHECK(known("getenv", kC) == "?");
  CHECK(known("strtok", kC) == "?*");
  CHECK(known("puts", kC) == "?*");
  CHECK(known("isalpha", kC).empty());
  CHECK(known("atoi", kC) == "r0");
  CHECK(known("myr_worker_index", "libmyrmidon.so.0") == "m");
  CHECK(known("myr_wait_all_at", "libmyrmidon.so.0").empty());
  CHECK(known("anything", "/opt/libother.so") == "?*");
}

TEST_CASE("functions whose accesses are seen may depend on others nevertheless") {
  const auto depends = [](const char* symbol) {
    const auto knowledge = myr::check::knowledge_of_seen(symbol);
    CHECK(!knowledge.may_touch_others);
    return knowledge.may_depend_on_others;
  };
  for (const char* const symbol : {"memcpy", "strlen", "snprintf", "__isoc99_sscanf", "malloc",
                                   "_Znwm", "time", "pthread_mutex_lock", "qsort", "frexp"}) {
    CHECK_MESSAGE(!depends(symbol), symbol);
  }
  for (const char* const symbol :
       {"strtok", "printf", "fprintf", "read", "fgets", "scanf", "getline", "recv"}) {
    CHECK_MESSAGE(depends(symbol), symbol);
  }
}

TEST_CASE("functions of the C++ library use their objects and what they are given") {
  CHECK(known("_ZNSt7__cxx1112basic_stringIcSt11char_traitsIcESaIcEE9_M_appendEPKcm", kCpp) ==
        "w0r1");
  CHECK(known("_ZNKSt7__cxx1112basic_stringIcSt11char_traitsIcESaIcEE4findEPKcmm", kCpp) == "r0r1");
  CHECK(known("_ZNKSt7__cxx1112basic_stringIcSt11char_traitsIcESaIcEE6substrEmm", kCpp) == "r1");
  CHECK(known("_ZNSt7__cxx1112basic_stringIcSt11char_traitsIcESaIcEE4swapERS4_", kCpp) == "w0w1");
  CHECK(known("_ZNSolsEi", kCpp) == "w0");
  CHECK(known("_ZNSirsERi", kCpp) == "w0w1");
  CHECK(known("_ZStlsISt11char_traitsIcEERSt13basic_ostreamIcT_ES5_PKc", kCpp) == "w0r1");
  CHECK(known("_ZSt20__throw_length_errorPKc", kCpp).empty());
  CHECK(known("_ZSt18_Rb_tree_incrementPSt18_Rb_tree_node_base", kCpp).empty());
  CHECK(known("_ZNSt6locale6globalERKS_", kCpp) == "?*");
  CHECK(known("_ZNSt13random_device9_M_getvalEv", kCpp) == "?*");
}
