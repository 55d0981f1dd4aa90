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

// A function of the file around sites, as a place for what must stand before it.
struct Enclosing {
  std::string name;
  std::size_t before = 0;  // the begin of its declaration; C++: of the outermost one around it
};

// One declared access of a site.
struct Access {
  enum class Kind {
    Object,    // what the pointer `item.base` points to
    Place,     // the lvalue `item.base` itself
    Section,   // item.shape and item.sections of `item.base`
    Elements,  // `elements` of them, from where the pointer `item.base` points to
    Region,
  };
  Kind kind = Kind::Place;
  Mode mode = Mode::InOut;
  bool notransfer = false;
  bool weak = false;         // notransfer, and only what the task spawns waits for earlier tasks
  bool depend = false;       // OpenMP's spelling, which says nothing about the variable's sharing
  bool sized = true;         // of Object: sizeof(*base) means something
  bool array = false;        // `item.base` is an array, not a pointer
  bool container = false;    // `item.base` is an object whose data() are elements
  std::size_t elements = 0;  // of Elements; of Object: how many it was declared with, if known
  Item item;
};

// C++: an object through which an access leads, such as the v of v[0], under the name that the
// access has for it.
struct Lead {
  std::size_t access = 0;  // index
  std::string name;
};

// A parameter of a task's function.
struct Parameter {
  enum class Passing {
    Copy,       // a value, kept in the task
    Move,       // C++: the same, which the function takes away
    Reference,  // C++: the caller's own variable
    Held,       // C++: of `lead`, a copy or the caller's own, as its class makes it right
    Unknown,    // C++: of a function that the use of a template decides: as that takes it
  };
  std::string name;
  std::string type;  // C: as what a value is kept in the task; C++: as declared, or auto&&
  Passing passing = Passing::Copy;
  Lead lead;
};

// A call that is a task.
struct Call {
  enum class Through {
    Name,     // a function's name, or in C++ a member of *this
    Pointer,  // an expression that points to a function
    Object,   // C++: a member of another object
  };
  Through through = Through::Name;
  Span callee;               // all that stands before the parenthesis
  Span arguments;            // between the parentheses
  std::vector<Span> given;   // each of them, as written
  std::string pointer_type;  // of Pointer: the function's type
  Span object;               // of Object: the object, or a pointer to it
  bool arrow = false;        //            it is a pointer, or has an operator->
  std::vector<Parameter> parameters;
};

// A function that is a task wherever it is called: a function under its name makes the task, and
// the user's own code, the body, gets another name. The body keeps the symbol for other files,
// which know nothing of tasks.
struct TaskFunction {
  struct Parameter {
    std::string name;
    std::string declared;   // without its default
    std::string otherwise;  // its default, from the = on
    std::string temporary;  // C++: as a reference to a temporary, which the task keeps; or empty
    bool in_place = false;  // C++: the accesses name what it refers to
  };
  std::string name;
  std::string head;  // all that stands before the name
  std::string tail;  // C++: what belongs to the type behind the parameters
  std::string attributes;
  std::vector<Parameter> parameters;
  std::string template_arguments;  // with < and >
  std::string symbol;              // empty: no other file sees it
  bool is_method = false;
  bool is_definition = false;
  std::size_t before = 0;  // the begin of the declaration
  Span behind;             // from the parameters to its end
};

// How values become one: reduction(OP : x).
struct Reduction {
  std::string op;
  std::string identity;  // C: what it starts with
};

// A variable of the function around a block that the block uses.
struct Variable {
  enum class Sharing {
    Copy,     // a value, copied when the task is spawned
    Shared,   // the variable itself, by its address
    Private,  // the block's own, without a value
    Held,     // C++: of `lead`, a copy or the variable itself, as its class makes it right
    Last,     // the same; the last iteration of a loop writes it back
    Reduced,  // the block's own, from the identity of `reduction` on; added at the end
  };
  std::string name;
  std::size_t declared = 0;  // an offset: tells it from others of the same name
  Reduction reduction;       // of Reduced
  Sharing sharing = Sharing::Copy;
  bool array = false;
  bool pack = false;        // C++: a pack of parameters
  bool binding = false;     // C++: a structured binding
  bool by_pointer = false;  // C++: no clause can share it: the compilers share the variable that
                            // holds a reference, and a lambda's captures by the closure
  Lead lead;
};

// A statement that is a task.
struct Block {
  std::vector<Variable> variables;
};

// A loop whose iterations become tasks; what stands in its head is computed once.
struct Loop {
  std::string type;    // of its variable, as declared
  std::string stored;  // C: the same, without qualifiers
  std::string name;
  Span first;
  Span end;
  std::string compare;          // < <= > >= !=, with the variable on the left
  std::optional<Span> step;     // nothing: 1
  bool down = false;            // the step is taken off
  bool by_subtraction = false;  // distances are computed in the variable's own type: pointers
  Span body;
  std::optional<Span> grain_size;
  std::optional<Span> task_count;
  bool waits = true;  // for its tasks
};

// A construct of OpenMP's around a statement.
struct Construct {
  bool waits = false;         // at its end, for all tasks
  bool records = false;       // what it spawns, to replay it the next time
  bool in_loop = false;       // its statement is the body of a loop that stands behind the pragma
  bool one_thread = false;    // would do wrong in the team of a compiler's parallel region
  std::vector<Variable> own;  // variables that it has copies of: Private, Copy, Reduced
  std::optional<std::string> critical;  // the name of its lock
  std::optional<Span> atomic;           // the variable, in an update that is to be atomic
  std::vector<Span> atomic_uses;        // where the statement names it
  std::optional<Span> atomic_value;     // what is added, say: to be computed once
};

struct Site {
  enum class Kind { Call, Block, Wait, Construct, Function };
  Kind kind = Kind::Call;
  const Pragma* pragma = nullptr;
  Span statement;  // the call or the block; the name of the function
  const Enclosing* enclosing = nullptr;
  std::vector<Access> accesses;
  std::optional<Span> on_ready;  // what the task does first
  std::optional<Span> apart;     // of an if clause
  std::optional<Span> final;     // of a final clause
  std::optional<Span> priority;
  bool waits = false;        // of Kind::Call: for its accesses, to compute its arguments
  Call call;                 // of Kind::Call
  Block block;               // of Kind::Block
  std::optional<Loop> loop;  // of Kind::Block: many tasks
  Construct construct;       // of Kind::Construct
  std::optional<TaskFunction> function;
};

// The name of what the user wrote for a function that is a task.
[[nodiscard]] inline std::string body_name(const std::string& name) { return "myrcc_body_" + name; }

// A name in the source that is replaced by another one.
struct Renamed {
  Span span;
  std::string name;
};

// Code whose function has got another name, but whose __func__ must be the user's.
struct Disguised {
  Span span;
  std::string name;
  std::string pretty;  // of __PRETTY_FUNCTION__
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
