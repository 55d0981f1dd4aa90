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
  std::size_t before = 0;  // the begin of its declaration; C++: of the outermost one around it
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
  bool sized = true;   // of Object: sizeof(*base) means something
  bool array = false;  // `item.base` is an array, not a pointer
  Item item;
};

// A parameter of a task's function.
struct Parameter {
  enum class Passing {
    Copy,       // a value, kept in the task
    Move,       // C++: the same, which the function takes away
    Reference,  // C++: the caller's own variable
  };
  std::string name;
  std::vector<Span> uses;  // C++: in the clauses of an annotated function, under another name
  std::string type;        // C: as what a value is kept in the task; C++: as declared, or auto&&
  Passing passing = Passing::Copy;
};

// A call that is a task.
struct Call {
  enum class Through {
    Name,     // a function's name, or in C++ a member of *this
    Pointer,  // an expression that points to a function
    Object,   // C++: a member of another object
  };
  Through through = Through::Name;
  Span callee;     // all that stands before the parenthesis
  Span arguments;  // between the parentheses
  bool has_arguments = false;
  std::string pointer_type;  // of Pointer: the function's type
  Span object;               // of Object: the object, or a pointer to it
  bool arrow = false;        //            it is a pointer
  bool uses_this = false;    // C++
  std::vector<Parameter> parameters;
  std::string signature;  // C: the parameters of an annotated function as declared
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
  std::string type;            // as declared
  std::string stored;          // without qualifiers; of Decayed: of the last dimension's elements
  std::size_t dimensions = 0;  // of Decayed: of a row
  bool array = false;          // of Decayed: an array, not a pointer
  bool record = false;         // C: a structure or union
  bool pack = false;           // C++: a pack of parameters
  std::vector<Span> uses;      // within the block
};

// A statement that is a task.
struct Block {
  std::vector<Variable> variables;
  std::vector<Span> function_names;  // uses of __func__ and its kin
  bool uses_this = false;            // C++
};

struct Site {
  enum class Kind { Call, Block, Wait };
  Kind kind = Kind::Call;
  const Pragma* pragma = nullptr;
  bool annotated = false;  // the pragma stands before the function's declaration, not here
  Span statement;          // the call or the block
  const Enclosing* enclosing = nullptr;
  std::vector<Access> accesses;
  std::optional<Span> apart;  // of an if clause
  std::optional<Span> final;  // of a final clause
  Call call;                  // of Kind::Call
  Block block;                // of Kind::Block
};

// A declaration that must stand before a function of the file.
struct Prototype {
  std::size_t before = 0;
  std::string text;
};

// A function with integer parameters that is to be called as the program's main function.
struct MainFunction {
  std::string name;
  std::vector<std::string> parameters;
  bool returns_value = false;
};

}  // namespace myr::translate
