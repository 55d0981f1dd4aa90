// SPDX-License-Identifier: Apache-2.0
//
// A site as code. A block stays where it is, behind what hands its accesses over for the compiler's
// own task (include/myr/outlined.h):
//
//   { static const myr_site myrcc_site_1 = {...}; myr_access myrcc_accesses_1[1]; ...
//     myrcc_accesses_1[0] = ...; myr_hand_over(&myrcc_next_1);
//     #pragma omp task firstprivate(i) shared(a)
//     { the block } }
//
// Names have the site's index, so that none hides another. In C++ the accesses are in an object,
// exceptions are caught inside of the task, and what no clause can name is carried by another
// variable (include/myr/pragma.hpp).
#pragma once

#include <string>
#include <vector>

#include "translate/emit/page.hpp"

namespace myr::translate {

class TaskText {
 public:
  // `around`: the site in whose statement this one is, or nullptr.
  TaskText(const Page& page, std::size_t index, const Site* around)
      : page_(page), site_(page.reading().sites[index]), index_(index), around_(around) {}

  // The code of a block, a loop or a wait; an expression for a call with a pragma of its own.
  [[nodiscard]] std::string statement() const;
  // What stands around the statement of a construct.
  [[nodiscard]] Around construct() const;

  // What makes the task in the place of a function that is one.
  [[nodiscard]] std::string function() const;

 private:
  // What the compiler is told of the task's variables, and what stands around its statement.
  struct Data {
    std::vector<std::string> copied;
    std::vector<std::string> shared;
    std::vector<std::string> own;
    bool shares_packs = false;
    std::string before;  // declarations where the task is made
    std::string begin;   // of the task
    std::string end;
  };
  [[nodiscard]] bool is_c() const { return page_.language() == Language::C; }
  [[nodiscard]] Data data() const;
  void add(const Variable& variable, Data& data) const;
  void add_copied(const Variable& variable, Data& data) const;
  void add_shared(const Variable& variable, Data& data) const;
  void add_last(const Variable& variable, Data& data) const;
  void add_reduced(const Variable& variable, Data& data) const;
  [[nodiscard]] bool adds_to_outer(const Variable& variable) const;
  static void carry(const Variable& variable, const std::string& carrier, const char* object,
                    Data& data);
  [[nodiscard]] std::string hold(const std::string& kept, const std::string& object,
                                 const Lead& lead) const;

  [[nodiscard]] std::string first() const;
  [[nodiscard]] std::string block() const;
  [[nodiscard]] std::string loop() const;
  [[nodiscard]] std::string c_call() const;
  [[nodiscard]] std::string cxx_call() const;
  [[nodiscard]] std::string kept(std::size_t index) const;
  [[nodiscard]] std::string wait(bool waits_for_all) const;
  [[nodiscard]] std::string barrier() const;
  [[nodiscard]] std::string task(const Data& data, const std::string& body) const;

  [[nodiscard]] std::string name(const std::string& what) const;
  [[nodiscard]] std::string site() const;
  // Declarations, then statements, by which `name("accesses")` and so on hold the accesses.
  [[nodiscard]] Around accesses() const;
  [[nodiscard]] bool is_fixed() const;
  [[nodiscard]] std::string list() const;
  [[nodiscard]] std::string count() const;
  [[nodiscard]] std::string next() const;

  const Page& page_;
  const Site& site_;
  std::size_t index_;
  const Site* around_;
};

}  // namespace myr::translate
