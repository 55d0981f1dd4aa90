// SPDX-License-Identifier: Apache-2.0
//
// Functions of the C++ library under `myr check` that a program calls without compiling them, as it
// does strings': what streams read into variables.
#include <istream>
#include <string>

#include "check/seen.hpp"

using std::istream;
using std::string;

#define SEEN_READ(symbol, T) \
  SEEN(istream*, symbol, (istream * in, T * variable), (in, variable), seen.writes(variable))
SEEN_READ(_ZNSirsERs, short)
SEEN_READ(_ZNSirsERi, int)
SEEN_READ(_ZNSi10_M_extractIbEERSiRT_, bool)
SEEN_READ(_ZNSi10_M_extractItEERSiRT_, unsigned short)
SEEN_READ(_ZNSi10_M_extractIjEERSiRT_, unsigned)
SEEN_READ(_ZNSi10_M_extractIlEERSiRT_, long)
SEEN_READ(_ZNSi10_M_extractImEERSiRT_, unsigned long)
SEEN_READ(_ZNSi10_M_extractIxEERSiRT_, long long)
SEEN_READ(_ZNSi10_M_extractIyEERSiRT_, unsigned long long)
SEEN_READ(_ZNSi10_M_extractIfEERSiRT_, float)
SEEN_READ(_ZNSi10_M_extractIdEERSiRT_, double)
SEEN_READ(_ZNSi10_M_extractIeEERSiRT_, long double)
SEEN_READ(_ZNSi10_M_extractIPvEERSiRT_, void*)
SEEN_READ(_ZNSi3getERc, char)
SEEN_READ(_ZStrsIcSt11char_traitsIcEERSt13basic_istreamIT_T0_ES6_RS3_, char)

// Of strings; the characters they are given are copied by the C library.
#define OF_STRING(name, rest) OF_STRING_AS(name, IcSt11char_traitsIcESaIcEERSt13basic_istream, rest)
#define OF_STRING_AS(name, stream, rest) \
  name##stream##IT_T0_ES7_RNSt7__cxx1112basic_stringIS4_S5_T1_EE##rest
#define SEEN_AS(...) SEEN(__VA_ARGS__)
SEEN_AS(istream*, OF_STRING(_ZStrs, ), (istream * in, string* word), (in, word), seen.writes(word))
SEEN_AS(istream*, OF_STRING(_ZSt7getline, ), (istream * in, string* line), (in, line),
        seen.writes(line))
SEEN_AS(istream*, OF_STRING(_ZSt7getline, S4_), (istream * in, string* line, char end),
        (in, line, end), seen.writes(line))
