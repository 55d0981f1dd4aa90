// SPDX-License-Identifier: Apache-2.0
//
// Functions that are tasks wherever they are called, by a pragma before their declaration.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "translate/parse/task_function.hpp"
#include "translate/parse/tree.hpp"

namespace myr::translate {

class Functions {
 public:
  // Reads their accesses from their probes.
  explicit Functions(const Tree& tree) : tree_(tree) { find(); }

  // Whether it is what was put behind an annotated function; passes it.
  bool is_probe(CXCursor function);
  // Notes that the user's code of an annotated function must get another name.
  void note_definition(CXCursor function);
  // Checks a call of a function that is a task: its arguments are evaluated at the call.
  void check_call(CXCursor call);
  // Reads a declaration of a header without pragmas, which may use functions that are tasks.
  void read_header(CXCursor top);
  // Notes a use of a function: before its pragma it is not a task.
  void note_use(CXCursor cursor);
  // What the clauses of an annotated function say is computed behind its declaration.
  void check_macros_on_the_way();

  // The sites of all those that are used.
  void add_sites();

 private:
  // Where a function that is a task is defined.
  struct Definition {
    Span name;
    std::optional<Disguised> disguised;
  };

  // A pragma before a function's declaration.
  struct Annotation {
    const Pragma* pragma = nullptr;
    const Function* function = nullptr;
    std::vector<BoundAccess> accesses;
    std::vector<CXCursor> parameters;  // of the probe
    std::optional<TaskFunction> bound;
    std::vector<Definition> definitions;
    std::optional<std::size_t> used_before;  // the pragma, in C: by the body
    bool passed = false;                     // what is in headers now stands behind it
    bool used = false;
  };

  void find();
  void annotate(const Pragma& pragma, CXCursor probe,
                const std::map<std::size_t, CXCursor>& declared);
  // Another function under the name of the annotated one.
  void add_function(const Annotation& annotation);
  // Declares the function at a definition before the pragma, which no longer does so once it has
  // another name.
  void declare_before(const TaskFunction& function, Span name);
  // In C, for what stands before the pragma.
  void declare_body(const TaskFunction& function, std::size_t before, const std::string& first);
  std::optional<Disguised> disguise(CXCursor tree, const std::string& name);
  // The annotation of a function, or of the template that it is made from.
  [[nodiscard]] Annotation* annotation(CXCursor function);
  // Whether the cursor stands behind the pragma of the function.
  [[nodiscard]] bool is_behind(CXCursor cursor, const Annotation& annotation) const;
  // The task's copy of what a constant reference is bound to is an object of the reference's class.
  void forbid_slice(CXCursor call, CXCursor function, unsigned index);
  // An error about something in the main file, or in a header.
  void report(CXCursor cursor, const std::string& text);
  void report_early(CXCursor cursor, const Annotation& annotation);
  // The accesses of an annotated function, as far as arguments of a call lead to them.
  static std::vector<BoundAccess> of_arguments(const Annotation& annotation, CXCursor call);
  [[nodiscard]] static CXCursor addressed(CXCursor expression);
  [[nodiscard]] static bool reads_members(const Annotation& annotation, CXCursor call);
  static bool leads_from(CXCursor base, CXCursor parameter);
  static bool is_accessed_reference(const Annotation& annotation, CXCursor parameter);

  const Tree& tree_;
  std::map<std::string, Annotation> annotations_;  // by the function's id
};

}  // namespace myr::translate
