// SPDX-License-Identifier: Apache-2.0
//
// What myrcc knows about a source once Clang has read it: the places where tasks are spawned and
// waited for, with all that is needed to write the translation. Free of Clang: types are text.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "translate/lex/source.hpp"
#include "translate/pragma/pragma.hpp"

namespace myr::translate {

// A function of the file around sites, as a place for what must stand before and after it.
struct Enclosing {
  std::string name;
  std::size_t before = 0;  // the begin of its declaration
  std::size_t after = 0;   // right behind its closing brace
};

// One declared access of a site.
struct Access {
  enum class Kind {
    Object,   // what the pointer `item.base` points to
    Place,    // the lvalue `item.base` itself
    Section,  // item.shape and item.sections of `item.base`
    Region,
  };
  Kind kind = Kind::Place;
  Mode mode = Mode::InOut;
  bool notransfer = false;
  bool sized = true;  // of Object: sizeof(*base) means something
  bool array = false;  // `item.base` is an array, not a pointer
  Item item;
};

// A parameter of a task's function.
struct Parameter {
  std::string name;  // in the clauses of an annotated function, else of no meaning
  std::string type;  // as which a value is kept in the task
};

// A variable of the function around a block that the block uses.
struct Variable {
  enum class Sharing {
    Copy,       // a value, copied when the task is spawned
    CopyArray,  // the same for an array
    Shared,     // the variable itself, by its address
    Decayed,    // an array of variable length, or a pointer to one: as a pointer to its rows
    Private,    // the block's own, without a value
  };
  std::string name;
  Sharing sharing = Sharing::Copy;
  std::string type;                // as declared
  std::string stored;              // without qualifiers; of Decayed: of the last dimension's elements
  std::size_t dimensions = 0;      // of Decayed: of a row
  bool array = false;              // of Decayed: an array, not a pointer
  std::vector<Span> uses;          // within the block
};

struct Site {
  enum class Kind { Call, Block, Wait };
  Kind kind = Kind::Call;
  const Pragma* pragma = nullptr;
  bool annotated = false;  // the pragma stands before the function's declaration, not here
  Span statement;          // the call or the block
  const Enclosing* enclosing = nullptr;
  std::vector<Access> accesses;
  // Of a call.
  Span callee;
  std::size_t arguments = 0;        // right behind the opening parenthesis
  bool has_arguments = false;
  bool through_pointer = false;     // the callee is no function's name
  std::string callee_type;          // then: its type
  std::vector<Parameter> parameters;
  std::string signature;            // of an annotated function: its parameters as declared
  // Of a block.
  std::vector<Variable> variables;
};

// A declaration that must stand before a function of the file.
struct Prototype {
  std::size_t before = 0;
  std::string text;
};

}  // namespace myr::translate
