// SPDX-License-Identifier: Apache-2.0
//
// What the text of a pragma says, before anybody knows what its names mean: its clauses, and in
// them expressions as pieces of the source. docs/user/myrcc.md has the grammar.
#pragma once

#include <algorithm>
#include <optional>
#include <string>
#include <vector>

#include "translate/lex/source.hpp"

namespace myr::translate {

enum class Form {
  Myrmics,  // #pragma myrmics ...
  Omp,      // #pragma omp ... with the clauses of OmpSs and OpenMP
  OmpSs2,   // #pragma oss ...
};
enum class PragmaKind {
  Task,
  Wait,       // taskwait, barrier, taskyield, #pragma myrmics wait: stands alone
  Loop,       // taskloop, also combined with others
  Construct,  // OpenMP's around tasks: parallel, single, taskgroup, critical, ...
  Hint,       // says something that tasks need not know
  Foreign,    // one that tasks do not work with
  Unknown,    // of a name that no directive has
};
// What directives of OpenMP and OmpSs-2 consist of.
enum class Leaf {
  Task,
  TaskWait,
  TaskLoop,
  TaskGroup,
  TaskGraph,
  TaskIter,  // a loop of which each iteration is a graph
  Release,
  Lint,  // of other tools
  TaskYield,
  Barrier,
  Parallel,
  Single,
  Master,  // also masked
  For,
  Sections,
  Section,
  Ordered,
  Critical,
  Atomic,
  Simd,
};
enum class Mode {
  In,
  Out,
  InOut,
  Commutative,  // in any order, one task at a time
  Concurrent,   // in any order, and at the same time
};

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

// A variable that counts within a clause: depend(iterator(i = first : last), ...), {..., i =
// first;count}.
struct Iterator {
  Span type;  // empty: int
  Span name;
  Brackets::Kind kind = Brackets::Kind::Count;  // what `second` is; Length: the first that is not
  Span first;
  Span second;
  std::optional<Span> step;
};

// The variable that counts the iterations of the loop behind a taskloop, if an item names it: then
// the item stands for one item for each iteration of a task.
struct Counter {
  Span name;
  Span declaration;    // empty: it is declared before the loop
  bool joins = false;  // the items of iterations are parts of one object
};

// An item of a list: [shape]...base[section]...
struct Item {
  Span span;
  std::vector<Span> shape;          // [n][m]a: a points to n rows of m elements
  Span base;                        // an expression; all of it if there are no sections
  std::vector<Brackets> sections;   // from the first pair of brackets that holds a section
  bool region = false;              // `region` before it
  std::vector<Iterator> iterators;  // the item stands for as many as they count
  std::optional<Counter> counter;   // of a taskloop
};

struct Clause {
  enum class Kind {
    Access,  // in, out, inout and their other spellings; on() of a wait
    Safe,
    NoTransfer,
    Priority,
    Final,
    If,
    OnReady,  // what the task does first
    FirstPrivate,
    Shared,
    Private,
    DefaultNone,
    DefaultShared,
    DefaultFirstPrivate,
    LastPrivate,
    Reduction,    // of the construct itself
    InReduction,  // the task takes part in a reduction around it; of a taskloop also Reduction
    Around,       // task_reduction(): what tasks inside may take part in
    NoWait,
    NoGroup,
    GrainSize,
    NumTasks,
    Ignored,  // untied, mergeable, label(), cost(): without effect on the outcome
  };
  Kind kind = Kind::Access;
  Span name;                // the word that names it
  Mode mode = Mode::InOut;  // of Access
  bool depend = false;      // OpenMP's spelling of an access
  bool weak = false;        // of Access: only children of the task use it
  Span op;                  // of a reduction: + and so on
  std::vector<Item> items;  // of those that take a list
  Span value;               // of those that take an expression
};

struct Pragma {
  PragmaKind kind = PragmaKind::Task;
  Form form = Form::Myrmics;
  Span span;                 // from # to before the newline
  Span name;                 // the words that name it: "omp task"
  std::vector<Leaf> leaves;  // of OpenMP and OmpSs-2
  Span label;                // of critical(label)
  std::vector<Clause> clauses;
  bool left = false;  // to the compiler, as it is

  [[nodiscard]] bool has(Leaf leaf) const {
    return std::find(leaves.begin(), leaves.end(), leaf) != leaves.end();
  }
  [[nodiscard]] bool has(Clause::Kind clause) const {
    return std::any_of(clauses.begin(), clauses.end(),
                       [clause](const Clause& one) { return one.kind == clause; });
  }
};

}  // namespace myr::translate
