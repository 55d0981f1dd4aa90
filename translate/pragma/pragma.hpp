// SPDX-License-Identifier: Apache-2.0
//
// What the text of a pragma says, before anybody knows what its names mean: its clauses, and in
// them expressions as pieces of the source. docs/user/myrcc.md has the grammar.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "translate/lex/source.hpp"

namespace myr::translate {

enum class Form {
  Myrmics,  // #pragma myrmics ...
  Omp,      // #pragma omp ... with the clauses of OmpSs and OpenMP
};
enum class PragmaKind { Task, Wait };
enum class Mode { In, Out, InOut };

// One pair of brackets in or before an item.
struct Brackets {
  enum class Kind {
    Index,   // [i]
    Count,   // [first;count]
    Bounds,  // [first:last], both included
    Length,  // [first:count], in depend()
  };
  Kind kind = Kind::Index;
  Span span;                   // without the brackets
  std::optional<Span> first;   // left out: the array's first
  std::optional<Span> second;  // left out: up to the array's end
};

// An item of a list: [shape]...base[section]...
struct Item {
  Span span;
  std::vector<Span> shape;         // [n][m]a: a points to n rows of m elements
  Span base;                       // an expression; all of it if there are no sections
  std::vector<Brackets> sections;  // from the first pair of brackets that holds a section
  bool region = false;             // `region` before it
};

struct Clause {
  enum class Kind {
    Access,  // in, out, inout and their other spellings; on() of a wait
    Safe,
    NoTransfer,
    Priority,
    Final,
    If,
    FirstPrivate,
    Shared,
    Private,
    DefaultNone,
    DefaultShared,
    Ignored,  // untied, mergeable, label(), cost(): without effect on the outcome
  };
  Kind kind = Kind::Access;
  Span name;                // the word that names it
  Mode mode = Mode::InOut;  // of Access
  std::vector<Item> items;  // of those that take a list
  Span value;               // of those that take an expression
};

struct Pragma {
  PragmaKind kind = PragmaKind::Task;
  Form form = Form::Myrmics;
  Span span;  // from # to before the newline
  Span name;  // the words that name it: "omp task"
  std::vector<Clause> clauses;
};

}  // namespace myr::translate
