// SPDX-License-Identifier: Apache-2.0
#include "cluster/mpi/greeting.hpp"

#include <doctest/doctest.h>

namespace myr::cluster::mpi {

namespace {

Greeting usual() {
  return {.program = "program 1\nlibrary 2\n",
          .environment = "MYR_ON=mpi:1+2\nno MYR_SPIN\n",
          .is_of_job = true};
}

bool says(const std::optional<std::string>& text, std::string_view part) {
  return text.has_value() && text->find(part) != std::string::npos;
}

}  // namespace

TEST_CASE("what is wrong with the ranks of a job is one message") {
  std::vector<Greeting> ranks(3, usual());
  CHECK_FALSE(mistake_in(ranks));
  ranks[2].environment = "no MYR_ON\nno MYR_SPIN\n";
  CHECK(says(mistake_in(ranks), "rank 2 "));
  CHECK(says(mistake_in(ranks), "no MYR_ON there, MYR_ON=mpi:1+2 here"));
  ranks[2] = usual();
  ranks[1].program = "program 1\nlibrary 3\n";
  CHECK(says(mistake_in(ranks), "another build"));
  CHECK(says(mistake_in(ranks), "library 3 there, library 2 here"));
  ranks[1] = usual();
  ranks[1].error = "MYR_STATS: no";
  CHECK(mistake_in(ranks) == "rank 1: MYR_STATS: no");
  ranks[0].error = "MYR_ON: no";
  CHECK(mistake_in(ranks) == "MYR_ON: no");
}

TEST_CASE("programs of which none is one of a job may differ") {
  std::vector<Greeting> ranks(2, usual());
  ranks[0].is_of_job = ranks[1].is_of_job = false;
  ranks[0].environment = "MYR_ON=smp:1\nno MYR_SPIN\n";
  ranks[0].program = "program 2\nlibrary 2\n";
  CHECK_FALSE(mistake_in(ranks));
  ranks[1].is_of_job = true;
  CHECK(says(mistake_in(ranks), "MYR_ON=mpi:1+2 there, MYR_ON=smp:1 here"));
}

TEST_CASE("threads that are bound to fewer processors are remarked on") {
  std::vector<Greeting> ranks(3, usual());
  for (Greeting& one : ranks) one.threads = 2;
  CHECK_FALSE(remark_on(ranks));
  for (Greeting& one : ranks) {
    one.processors = "here 0 1";
    one.processor_count = 2;
  }
  CHECK(says(remark_on(ranks), "4 threads for tasks to 2 processors"));
  ranks[1].processors = "here 2 3";
  ranks[2].processors = "there 0 1";
  CHECK_FALSE(remark_on(ranks));
  ranks[2].processors = "there 1";
  ranks[2].processor_count = 1;
  CHECK(says(remark_on(ranks), "2 threads for tasks to 1 processor,"));
}

}  // namespace myr::cluster::mpi
