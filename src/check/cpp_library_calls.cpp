// SPDX-License-Identifier: Apache-2.0
//
// Functions of the C++ library under `myr check` that a program calls without compiling them, as it
// does strings': streams, nodes of containers, numbers as texts.
#include <charconv>
#include <iostream>
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

// Calls for strings; the characters they are given are copied by the C library.
#define OF_STRING(name, rest) OF_STRING_AS(name, IcSt11char_traitsIcESaIcEERSt13basic_istream, rest)
#define OF_STRING_AS(name, stream, rest) \
  name##stream##IT_T0_ES7_RNSt7__cxx1112basic_stringIS4_S5_T1_EE##rest
#define SEEN_AS(...) SEEN(__VA_ARGS__)
SEEN_AS(istream*, OF_STRING(_ZStrs, ), (istream * in, string* word), (in, word), seen.writes(word))
SEEN_AS(istream*, OF_STRING(_ZSt7getline, ), (istream * in, string* line), (in, line),
        seen.writes(line))
SEEN_AS(istream*, OF_STRING(_ZSt7getline, S4_), (istream * in, string* line, char end),
        (in, line, end), seen.writes(line))

// ---- what streams write

// A stream is what it consists of; the standard ones keep themselves in order.
static bool is_shared(const std::ios_base* stream) {
  return stream == &std::cout || stream == &std::cerr || stream == &std::clog;
}
#define SEEN_WRITE(symbol, parameters, arguments) \
  SEEN(ostream*, symbol, parameters, arguments,   \
       if (!is_shared(out)) seen.writes(out, sizeof(void*)))
#define SEEN_WRITE_OF(symbol, T) SEEN_WRITE(symbol, (ostream * out, T value), (out, value))
using std::ostream;
SEEN_WRITE_OF(_ZNSolsEi, int)
SEEN_WRITE_OF(_ZNSolsEs, short)
SEEN_WRITE_OF(_ZNSo9_M_insertIbEERSoT_, bool)
SEEN_WRITE_OF(_ZNSo9_M_insertIlEERSoT_, long)
SEEN_WRITE_OF(_ZNSo9_M_insertImEERSoT_, unsigned long)
SEEN_WRITE_OF(_ZNSo9_M_insertIxEERSoT_, long long)
SEEN_WRITE_OF(_ZNSo9_M_insertIyEERSoT_, unsigned long long)
SEEN_WRITE_OF(_ZNSo9_M_insertIdEERSoT_, double)
SEEN_WRITE_OF(_ZNSo9_M_insertIeEERSoT_, long double)
SEEN_WRITE_OF(_ZNSo9_M_insertIPKvEERSoT_, const void*)
SEEN_WRITE_OF(_ZNSo3putEc, char)
SEEN_WRITE(_ZNSo5writeEPKcl, (ostream * out, const char* text, long n), (out, text, n))
SEEN_WRITE_OF(_ZStlsISt11char_traitsIcEERSt13basic_ostreamIcT_ES5_PKc, const char*)
SEEN_WRITE_OF(_ZStlsISt11char_traitsIcEERSt13basic_ostreamIcT_ES5_c, char)
SEEN_WRITE(_ZSt16__ostream_insertIcSt11char_traitsIcEERSt13basic_ostreamIT_T0_ES6_PKS3_l,
           (ostream * out, const char* text, long n), (out, text, n))

// ---- nodes of maps, sets and lists, which the library links

struct TreeNode {
  int colour;
  TreeNode* parent;
  TreeNode* left;
  TreeNode* right;
};
struct ListNode {
  ListNode* next;
  ListNode* before;
};
SEEN_VOID(_ZSt29_Rb_tree_insert_and_rebalancebPSt18_Rb_tree_node_baseS0_RS_,
          (bool is_left, TreeNode* node, TreeNode* parent, TreeNode* head),
          (is_left, node, parent, head), seen.writes(node);
          seen.writes(parent); seen.writes(head))
SEEN(TreeNode*, _ZSt28_Rb_tree_rebalance_for_erasePSt18_Rb_tree_node_baseRS_,
     (TreeNode * node, TreeNode* head), (node, head), seen.writes(head))
#define SEEN_STEP(symbol) SEEN(TreeNode*, symbol, (TreeNode * node), (node), seen.reads(node))
SEEN_STEP(_ZSt18_Rb_tree_incrementPSt18_Rb_tree_node_base)
SEEN_STEP(_ZSt18_Rb_tree_incrementPKSt18_Rb_tree_node_base)
SEEN_STEP(_ZSt18_Rb_tree_decrementPSt18_Rb_tree_node_base)
SEEN_STEP(_ZSt18_Rb_tree_decrementPKSt18_Rb_tree_node_base)
SEEN_VOID(_ZNSt8__detail15_List_node_base7_M_hookEPS0_, (ListNode * node, ListNode* behind),
          (node, behind), seen.writes(node);
          seen.writes(behind); seen.writes(node->before))
SEEN_VOID(_ZNSt8__detail15_List_node_base9_M_unhookEv, (ListNode * node), (node),
          seen.writes(node->before);
          seen.writes(node->next))

// ---- numbers as texts

struct Written {
  char* end;
  std::errc failure;
};
#define SEEN_NUMBER(symbol, T)                                                    \
  SEEN(Written, symbol, (char* first, char* last, T value), (first, last, value), \
       seen.writes(first, static_cast<std::size_t>(result.end - first)))
#define SEEN_NUMBER_AS(symbol, T)                                       \
  SEEN(Written, symbol, (char* first, char* last, T value, int format), \
       (first, last, value, format),                                    \
       seen.writes(first, static_cast<std::size_t>(result.end - first)))
#define SEEN_NUMBER_TO(symbol, T)                                                   \
  SEEN(Written, symbol, (char* first, char* last, T value, int format, int digits), \
       (first, last, value, format, digits),                                        \
       seen.writes(first, static_cast<std::size_t>(result.end - first)))
SEEN_NUMBER(_ZSt8to_charsPcS_f, float)
SEEN_NUMBER(_ZSt8to_charsPcS_d, double)
SEEN_NUMBER(_ZSt8to_charsPcS_e, long double)
SEEN_NUMBER_AS(_ZSt8to_charsPcS_fSt12chars_format, float)
SEEN_NUMBER_AS(_ZSt8to_charsPcS_dSt12chars_format, double)
SEEN_NUMBER_AS(_ZSt8to_charsPcS_eSt12chars_format, long double)
SEEN_NUMBER_TO(_ZSt8to_charsPcS_fSt12chars_formati, float)
SEEN_NUMBER_TO(_ZSt8to_charsPcS_dSt12chars_formati, double)
SEEN_NUMBER_TO(_ZSt8to_charsPcS_eSt12chars_formati, long double)
