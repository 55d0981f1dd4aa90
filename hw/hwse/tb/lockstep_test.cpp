// SPDX-License-Identifier: Apache-2.0
//
// The scheduling engine in lockstep with its model: accesses at random, right and wrong, and each
// mistake by name.
#include "engine.hpp"

using namespace myr::hw;

namespace {

// Accesses without a plan. Contexts are those of open teams, or ones that were read before, so that
// threads also come to work-shares that are long over.
HwseModel::Request random_access(HwseCores& cores, std::vector<std::uint32_t>& contexts) {
  // The registers, those that lead on more often.
  static constexpr unsigned kOften[] = {HWSE_SHARE_INIT, HWSE_SHARE_FETCH, HWSE_SHARE_LEAVE,
                                        HWSE_SYNC,       HWSE_QUEUE_PUSH,  HWSE_QUEUE_POP};
  const unsigned reg =
      cores.chance(45) ? kOften[cores.number() % std::size(kOften)] : cores.number() % 27;
  static constexpr unsigned kWrites = 1U << HWSE_TEAM_CLOSE | 63U << HWSE_LOOP_START |
                                      1U << HWSE_SHARE_LEAVE | 1U << HWSE_QUEUE_PUSH |
                                      7U << HWSE_HEAP_START;
  static constexpr unsigned kBoth =
      1U << HWSE_CONTEXT | 1U << HWSE_CHUNK_END | 1U << HWSE_COUNT | 1U << HWSE_ERROR;
  bool write = (kWrites >> reg & 1) != 0 || ((kBoth >> reg & 1) != 0 && cores.chance(50));
  if (cores.chance(1)) write = !write;
  HwseModel::Request request{.write = write, .reg = reg, .argument = cores.number() % 9};
  if (reg >= HWSE_QUEUE_PUSH && reg <= HWSE_HEAP_STEP) request.argument = cores.number() % 5 / 2;
  request.data = cores.chance(90) ? cores.number() % 40 - 8 : cores.number();
  if (reg == HWSE_CONTEXT || reg == HWSE_TEAM_CLOSE) {
    const unsigned team = cores.number() % HwseCores::kSizes.teams;
    request.data = HWSE_CONTEXT_OF(team << 1 | 1, cores.number() % 4);
    if (!contexts.empty() && cores.chance(40)) {
      request.data = contexts[cores.number() % contexts.size()];
    }
    if (cores.chance(5)) request.data = cores.number() % 65536;
  }
  return request;
}

CoreProgram access_at_random(HwseCores& cores, unsigned core, unsigned count,
                             std::vector<std::uint32_t>& contexts) {
  for (unsigned i = 0; i < count; ++i) {
    const HwseModel::Request request = random_access(cores, contexts);
    const std::uint32_t answer = co_await cores.access(core, request);
    if (!request.write && request.reg == HWSE_CONTEXT) contexts.push_back(answer);
    if (contexts.size() > 6) contexts.erase(contexts.begin());
  }
}

struct Mistake {
  hwse_error error;
  std::vector<HwseModel::Request> accesses;
};

HwseModel::Request reads(unsigned reg, unsigned argument = 0) { return {false, reg, argument, 0}; }
HwseModel::Request writes(unsigned reg, std::uint32_t data, unsigned argument = 0) {
  return {true, reg, argument, data};
}

CoreProgram make_mistake(HwseCores& cores, const Mistake& mistake) {
  std::uint32_t context = 0;
  for (HwseModel::Request request : mistake.accesses) {
    CHECK(co_await cores.read(0, HWSE_ERROR) == 0);
    const std::uint32_t answer = co_await cores.access(0, request);
    if (request.reg == HWSE_TEAM_OPEN) context = answer;
  }
  CHECK(co_await cores.read(0, HWSE_ERROR) == static_cast<unsigned>(mistake.error));
  if (mistake.accesses.back().write) {
    const bool is_done = mistake.error == HWSE_ERR_STEP;
    CHECK(co_await cores.read(0, HWSE_TAKEN) == (is_done ? 1U : 0U));
  }
  co_await cores.write(0, HWSE_ERROR, 0);
  CHECK(co_await cores.read(0, HWSE_ERROR) == 0);
  CHECK(context <= 1);
}

}  // namespace

TEST_CASE("accesses at random: the engine answers what the model does, in three cycles") {
  for (unsigned seed = 1; seed <= 12; ++seed) {
    CAPTURE(seed);
    HwseCores cores(seed, seed % 3 == 0 ? 100 : 50);
    std::vector<std::uint32_t> contexts;
    for (unsigned core = 0; core < HwseCores::kCores; ++core) {
      cores.start(core, access_at_random(cores, core, 4000, contexts));
    }
    cores.run(200000);
    CHECK(cores.served == 16000);
  }
}

TEST_CASE("a mistake changes nothing and shows in the error register") {
  const auto join = writes(HWSE_CONTEXT, 1);
  const auto open = reads(HWSE_TEAM_OPEN, 1);
  const auto init = reads(HWSE_SHARE_INIT);
  const Mistake mistakes[] = {
      {HWSE_ERR_REGISTER, {reads(25)}},
      {HWSE_ERR_REGISTER, {reads(HWSE_LOOP_START)}},
      {HWSE_ERR_REGISTER, {writes(HWSE_SYNC, 1)}},
      {HWSE_ERR_ARGUMENT, {reads(HWSE_TEAM_OPEN, 5)}},
      {HWSE_ERR_ARGUMENT, {reads(HWSE_TEAM_OPEN, 0)}},
      {HWSE_ERR_ARGUMENT, {writes(HWSE_QUEUE_PUSH, 1, 2)}},
      {HWSE_ERR_ARGUMENT, {reads(HWSE_COUNT_UP, 8)}},
      {HWSE_ERR_CONTEXT, {join}},
      {HWSE_ERR_CONTEXT, {open, writes(HWSE_CONTEXT, HWSE_CONTEXT_OF(1, 1))}},
      {HWSE_ERR_TEAM, {writes(HWSE_TEAM_CLOSE, 1)}},
      {HWSE_ERR_TEAM, {open, join, init, writes(HWSE_TEAM_CLOSE, 1)}},
      {HWSE_ERR_TEAM,
       {reads(HWSE_TEAM_OPEN, 2), join, reads(HWSE_SYNC), writes(HWSE_TEAM_CLOSE, 1)}},
      {HWSE_ERR_NO_TEAM, {init}},
      {HWSE_ERR_NO_TEAM, {reads(HWSE_SYNC)}},
      {HWSE_ERR_NESTED, {open, join, init, init}},
      {HWSE_ERR_NOT_INSIDE, {reads(HWSE_SHARE_FETCH)}},
      {HWSE_ERR_NOT_INSIDE, {open, join, init, reads(HWSE_SHARE_FETCH)}},
      {HWSE_ERR_NOT_INSIDE, {writes(HWSE_SHARE_LEAVE, 1)}},
      {HWSE_ERR_NOT_FILLING, {writes(HWSE_LOOP_END, 1)}},
      {HWSE_ERR_NOT_FILLING,
       {open, join, init, writes(HWSE_SECTIONS, 1), writes(HWSE_LOOP_END, 1)}},
      {HWSE_ERR_STEP, {open, join, init, writes(HWSE_LOOP_END, 9), writes(HWSE_LOOP_DYNAMIC, 0)}},
      {HWSE_ERR_COUNT, {reads(HWSE_COUNT_DOWN)}},
      {HWSE_ERR_COUNT, {writes(HWSE_COUNT, 15), reads(HWSE_COUNT_UP)}},
      {HWSE_ERR_COUNT, {writes(HWSE_COUNT, 16)}},
  };
  for (const Mistake& mistake : mistakes) {
    CAPTURE(mistake.error);
    HwseCores cores(1);
    cores.start(0, make_mistake(cores, mistake));
    cores.run(1000);
  }
}
