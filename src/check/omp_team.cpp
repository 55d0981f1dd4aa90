// SPDX-License-Identifier: Apache-2.0
#include "check/omp_team.hpp"

#include <algorithm>
#include <cstdlib>

#include "check/omp_watch.hpp"

namespace myr::check::omp {

namespace {

constexpr unsigned kThreadsUsual = 256;  // so that most threads get one iteration of short loops
constexpr unsigned kLevels = 255;

unsigned read_number(const char* variable, unsigned usual) {
  const char* const text = std::getenv(variable);
  const long value = text == nullptr ? 0 : std::strtol(text, nullptr, 10);
  return value > 0 ? static_cast<unsigned>(value) : usual;
}

// Main's, outside of all regions.
struct Outermost {
  Team team{.is_alone = true};
  Task task;
  Outermost() {
    task.team = &team;
    task.settings.thread_count = read_number("OMP_NUM_THREADS", kThreadsUsual);
    const char* const nested = std::getenv("OMP_NESTED");
    const bool is_nested = nested != nullptr && (*nested == 't' || *nested == 'T');
    task.settings.levels_max = read_number("OMP_MAX_ACTIVE_LEVELS", is_nested ? kLevels : 1);
  }
};

Outermost& outermost() {
  static Outermost& outermost = *new Outermost;
  return outermost;
}

thread_local Task* running __attribute__((tls_model("initial-exec"))) = nullptr;

struct League {
  int size = 1;
  int index = 0;
  std::vector<Strand> ended = {};  // its members
  Strand base = 0;
};
League league;
std::uint32_t thread_count = 1;  // of all teams so far

}  // namespace

Task& task() noexcept {
  if (running == nullptr) run_as(outermost().task);
  return *running;
}
Races& races() noexcept {
  static Races& races = *new Races;
  return races;
}
Baton& baton() noexcept {
  static Baton& baton = *new Baton;
  return baton;
}

void run_as(Task& task) {
  running = &task;
  forget_lines();
}

void go_on(Task& task, const std::vector<Strand>& before) {
  task.runner.strand = races().strands().go_on(task.runner.strand, before);
  forget_lines();
}

unsigned team_size_for(const Task& task, unsigned wanted) {
  if (task.team->active_level >= task.settings.levels_max) return 1;
  return wanted != 0 ? wanted : task.settings.thread_count;
}

namespace {

// Everything that the team has done so far is over.
Strand join(Team& team) {
  std::vector<Strand> before = team.is_alone ? std::vector<Strand>() : std::move(team.ended);
  for (const Task& each : team.tasks) before.push_back(each.runner.strand);
  team.ended.clear();
  const Strand strand = races().strands().begin(before);
  if (team.is_alone) races().strands().forget_before(strand);
  for (Task& each : team.tasks) each.children->ended.clear();
  return strand;
}

void start_thread(const Region& region, Task& task) {
  if (task.index != 0) forget_own_stack();
  run_as(task);
  if (region.loop != nullptr) enter_work(*region.loop);
  const Outside outside;
  region.body(region.data);
}

void run_worker(const Region& region, Task& task) {
  adopt_thread();
  const Inside inside;
  task.frame = address_of(__builtin_frame_address(0));
  start_thread(region, task);
  if (task.is_in_chunk) end_chunk();
  task.is_at_barrier = true;
  task.team->done_count += 1;
}

void make_tasks(Team& team, Task& master, const Region& region) {
  const std::uint32_t construct = races().add_construct(region.construct);
  team.tasks.resize(team.size);
  for (unsigned i = 0; i < team.size; ++i) {
    Task& each = team.tasks[i];
    each.team = &team;
    each.index = i;
    each.frame = region.frame;
    each.settings = master.settings;
    each.group = region.group;
    const std::uint32_t thread = i == 0 ? races().part(master.runner.part).thread : thread_count++;
    each.runner = {.strand = races().strands().begin({team.base}),
                   .part = races().add_part({.thread = thread, .number = thread}),
                   .construct = construct};
  }
}

}  // namespace

void run_region(const Region& region) {
  Task& master = task();
  Team team{.size = region.size,
            .level = master.team->level + 1,
            .active_level = master.team->active_level + (region.size > 1 ? 1U : 0U),
            .outer = master.team,
            .outer_index = master.index};
  team.is_alone = master.team == &outermost().team && master.children->ended.empty() &&
                  league.size == 1 && !master.is_explicit;
  team.base = races().strands().begin({master.runner.strand});
  if (team.is_alone) races().strands().forget_before(team.base);
  forget_frames(region.frame);
  make_tasks(team, master, region);
  for (unsigned i = 1; i < team.size; ++i) {
    baton().start([&region, &team, i] { run_worker(region, team.tasks[i]); });
  }
  start_thread(region, team.tasks[0]);
  if (team.tasks[0].is_in_chunk) end_chunk();
  team.tasks[0].is_at_barrier = true;
  wait_until([&] { return team.done_count + 1 == team.size && team.pending_count == 0; });
  const Strand end = join(team);
  run_as(master);
  go_on(master, {end});
}

// No thread gets past a barrier of a region that one of them has cancelled: that one does not come
// there.
bool barrier() {
  Task& task = omp::task();
  Team& team = *task.team;
  if (task.is_explicit) return false;
  if (team.tasks.empty()) {  // outside of regions only target regions are put off
    wait_until([&] { return team.pending_count == 0; });
    go_on(task, team.ended);
    team.ended.clear();
    return false;
  }
  if (!team.region_cancels.empty()) return true;
  task.is_at_barrier = true;
  if (++team.arrived == team.size) {
    wait_until([&] { return team.pending_count == 0; });
    team.arrived = 0;
    team.generation += 1;
    team.base = join(team);
    team.work_cancels.clear();
    for (Task& each : team.tasks) {
      each.is_at_barrier = false;
      go_on(each, {team.base});
    }
  } else {
    const unsigned generation = team.generation;
    wait_until([&] { return team.generation != generation || !team.region_cancels.empty(); });
    if (team.generation == generation) return true;
  }
  forget_lines();
  return false;
}

// ---- target regions and teams ------------------------------------------------------------------

void run_target(Body body, void* data, std::uint64_t frame, Construct construct) {
  Task& outer = task();
  const League outer_league = std::move(league);
  league = {};
  Team team{.is_alone = outer.team->is_alone && outer.team == &outermost().team};
  Task task{
      .team = &team, .runner = outer.runner, .frame = frame, .settings = outermost().task.settings};
  task.runner.construct = races().add_construct(construct);
  forget_frames(frame);
  run_as(task);
  {
    const Outside outside;
    body(data);
  }
  league = outer_league;
  run_as(outer);
  outer.runner.strand = task.runner.strand;
  outer.children->ended.insert(outer.children->ended.end(), task.children->ended.begin(),
                               task.children->ended.end());
  outer.team->ended.insert(outer.team->ended.end(), team.ended.begin(), team.ended.end());
  go_on(outer);
}

int league_size() { return league.size; }
int league_index() { return league.index; }

namespace {
void begin_member() {
  Task& task = omp::task();
  forget_frames(task.frame);
  task.runner.strand = races().strands().begin({league.base});
  const Part part = races().part(task.runner.part);
  task.runner.part = races().add_part({.thread = part.thread, .number = part.number});
  forget_lines();
}
}  // namespace

void run_league(const Region& region) {
  struct Call {
    const Region& region;
  } call{region};
  const auto run = [](void* data) {
    const Region& each = static_cast<Call*>(data)->region;
    {
      const Inside inside;
      start_league(each.size);
    }
    for (bool goes_on = true; goes_on;) {
      each.body(each.data);
      const Inside inside;
      goes_on = next_in_league();
    }
  };
  run_target(run, &call, region.frame, region.construct);
}

void begin_alone(std::uint64_t frame) {
  Task& outer = task();
  auto* const team = new Team{.level = outer.team->level + 1,
                              .active_level = outer.team->active_level,
                              .outer = outer.team,
                              .outer_index = outer.index,
                              .alone = &outer};
  team->tasks.resize(1);
  Task& task = team->tasks.front();
  task.team = team;
  task.runner = outer.runner;
  task.frame = frame;
  task.settings = outer.settings;
  task.group = outer.group;
  run_as(task);
}

void end_alone() {
  const std::unique_ptr<Team> team(task().team);
  Task& outer = *team->alone;
  run_as(outer);
  outer.runner.strand = team->tasks.front().runner.strand;
  outer.team->ended.insert(outer.team->ended.end(), team->ended.begin(), team->ended.end());
  go_on(outer);
}

void start_league(unsigned count) {
  constexpr unsigned kTeamsUsual = 4;
  if (count == 0) count = kTeamsUsual;
  league = {.size = static_cast<int>(count)};
  league.base = task().runner.strand;
  begin_member();
}

bool next_in_league() {
  Task& task = omp::task();
  league.ended.push_back(task.runner.strand);
  league.index += 1;
  if (league.index < league.size) {
    begin_member();
    return true;
  }
  std::vector<Strand> before = std::move(league.ended);
  before.insert(before.end(), task.team->ended.begin(), task.team->ended.end());
  task.runner.strand = races().strands().begin(before);
  task.team->ended.clear();
  task.children->ended.clear();
  league = {};
  forget_lines();
  return false;
}

}  // namespace myr::check::omp
