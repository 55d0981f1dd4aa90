// SPDX-License-Identifier: Apache-2.0
//
// What stands around the declaration of a function that is a task:
//
//   #pragma omp task inout(*p)       void f(int* p) __asm__("myrcc_f_...");
//   void f(int* p) { *p += 1; }      void myrcc_body_f(int* p) __asm__("f");
//                                    void myrcc_body_f(int* p) { *p += 1; }
//                                    void f(int* p) { ...task... myrcc_body_f(p); }
//
// So code that sees the pragma and uses f, in whatever way, makes a task; all other code calls the
// body.
#pragma once

#include <string>

#include "translate/lex/language.hpp"
#include "translate/parse/model.hpp"

namespace myr::translate {

class FunctionText {
 public:
  // `unit`: of Reading.
  FunctionText(const Site& site, const std::string& unit, Language language)
      : function_(*site.function), unit_(unit), language_(language) {}

  // Before the user's text, which may be empty.
  [[nodiscard]] std::string before() const;
  // Behind it; for a method that is only declared, in the place of all behind its parameters.
  // `task`: what makes the task.
  [[nodiscard]] std::string behind(const std::string& task) const;

 private:
  enum class Defaults { With, Without };
  // The parameters, as references to temporaries where `temporaries` has a bit for that.
  [[nodiscard]] std::string parameters(Defaults defaults, unsigned temporaries) const;
  // How many functions are needed: one for each mix of temporaries and other objects that the
  // accesses may refer to.
  [[nodiscard]] unsigned mixes() const;
  [[nodiscard]] std::string symbol(unsigned temporaries) const;
  [[nodiscard]] std::string declared(Defaults defaults, unsigned temporaries) const;
  [[nodiscard]] std::string body_declared() const;
  [[nodiscard]] std::string defined(const std::string& task, unsigned temporaries) const;

  const TaskFunction& function_;
  const std::string& unit_;
  Language language_;
};

}  // namespace myr::translate
