// SPDX-License-Identifier: Apache-2.0
//
// The functions and the structure that a site of a C source needs, as text. All names in it that a
// program could collide with begin with myrcc_.
#pragma once

#include <string>

#include "translate/emit/page.hpp"

namespace myr::translate {

class CTask {
 public:
  CTask(const Page& page, std::size_t index)
      : page_(page), site_(page.reading().sites[index]), index_(index) {}

  // The function's name and what the site hands to it, besides the arguments of a call.
  [[nodiscard]] std::string function() const;
  [[nodiscard]] std::vector<std::string> handed(const Site* block) const;

  // The wait, with a comma, for a call that must wait to compute its arguments.
  [[nodiscard]] std::string wait_before(const Site* block) const;
  // Of a site that waits at its end: the statement that does.
  [[nodiscard]] std::string wait_call() const;
  // An expression for where the site is.
  [[nodiscard]] std::string place() const;

  // What must stand before the function around the site, and behind it.
  [[nodiscard]] std::string before() const;
  [[nodiscard]] std::string behind() const;

 private:
  [[nodiscard]] std::string site_text() const;
  [[nodiscard]] std::vector<std::string> access_parameters(bool conditions) const;
  [[nodiscard]] std::string access_locals() const;
  [[nodiscard]] std::string access_list() const;
  [[nodiscard]] std::string wait_function() const;
  [[nodiscard]] std::string construct_functions() const;
  [[nodiscard]] std::string fields() const;
  [[nodiscard]] std::string spawn_function() const;
  [[nodiscard]] std::string spawn_apart() const;
  [[nodiscard]] std::string spawn_at_once(const std::string& copies) const;
  void call_parameters(std::vector<std::string>& parameters, std::string& copies) const;
  void block_parameters(std::vector<std::string>& parameters, std::string& copies) const;
  [[nodiscard]] std::string run_function(bool used, const std::string& locals,
                                         const std::string& body) const;
  [[nodiscard]] std::string run_call() const;
  [[nodiscard]] std::string run_block() const;

  const Page& page_;
  const Site& site_;
  std::size_t index_;
};

}  // namespace myr::translate
