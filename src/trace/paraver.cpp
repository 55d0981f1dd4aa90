// SPDX-License-Identifier: Apache-2.0
#include "trace/paraver.hpp"

#include <algorithm>
#include <string>
#include <vector>

#include "base/format.hpp"
#include "trace/site_names.hpp"

namespace myr::trace {

namespace {

// The number that stands for a state in the file. 0 is what Paraver takes for idle.
unsigned number_of(State state) {
  switch (state) {
    case State::Idle:
      return 0;
    case State::Task:
      return 1;
    case State::Runtime:
      return 2;
    case State::Asleep:
      return 3;
    case State::Wait:
      return 4;
    case State::Memory:
      return 5;
  }
  return 0;
}

struct Record {
  std::uint64_t ns;
  std::uint64_t end_ns;  // of a state
  unsigned worker;
  unsigned type;  // of an event; 0: a state
  std::uint64_t value;
};

// All records, in the order of time as Paraver wants them.
class Records {
 public:
  explicit Records(const Clock& clock) : clock_(clock) {}

  void add_worker(unsigned worker, const Timeline& timeline) {
    for (const StateSpan& span : timeline.spans()) {
      const std::uint64_t begin = clock_.ns(span.begin_ticks);
      const std::uint64_t end = clock_.ns(span.end_ticks);
      if (begin != end) records_.push_back({begin, end, worker, 0, number_of(span.state)});
    }
    add_tasks(worker, timeline);
    for (const Steal& steal : timeline.steals()) {
      add_event(worker, steal.ticks, kStealEventType, steal.task_count);
    }
  }

  const std::vector<Record>& sorted() {
    std::stable_sort(records_.begin(), records_.end(),
                     [](const Record& a, const Record& b) { return a.ns < b.ns; });
    return records_;
  }
  [[nodiscard]] const SiteNames& sites() const noexcept { return sites_; }

 private:
  void add_event(unsigned worker, std::uint64_t ticks, unsigned type, std::uint64_t value) {
    records_.push_back({clock_.ns(ticks), 0, worker, type, value});
  }

  void add_tasks(unsigned worker, const Timeline& timeline) {
    std::vector<const TaskRun*> open;  // outermost first
    const auto end_until = [&](std::uint64_t ticks) {
      while (!open.empty() && open.back()->end_ticks <= ticks) {
        const std::uint64_t end = open.back()->end_ticks;
        open.pop_back();
        add_event(worker, end, kTaskEventType, open.empty() ? 0 : value_of(*open.back()));
      }
    };
    for (const TaskRun& run : timeline.runs()) {
      end_until(run.begin_ticks);
      open.push_back(&run);
      add_event(worker, run.begin_ticks, kTaskEventType, value_of(run));
    }
    end_until(~std::uint64_t{0});
  }
  std::uint64_t value_of(const TaskRun& run) { return sites_.index_of(run.site) + 1; }

  const Clock& clock_;
  SiteNames sites_;
  std::vector<Record> records_;
};

void write_prv(std::FILE* out, std::span<const Timeline> timelines,
               const std::vector<Record>& records, const Clock& clock, const std::tm& date) {
  char day[64];
  std::strftime(day, sizeof day, "%d/%m/%Y at %H:%M", &date);
  // One node with a processor a worker; one application of one process with a thread a worker.
  base::print(out, "#Paraver ({}):{}_ns:1({}):1:1({}:1)\n", day, clock.elapsed_ns, timelines.size(),
              timelines.size());
  for (unsigned worker = 0; worker < timelines.size(); ++worker) {
    const std::uint64_t dropped = timelines[worker].dropped();
    if (dropped == 0) continue;
    base::print(out, "# {}: {} events dropped from {} ns on\n", timelines[worker].track().name,
                dropped, clock.ns(timelines[worker].full_ticks()));
  }
  for (const Record& record : records) {
    const unsigned thread = record.worker + 1;
    if (record.type == 0) {
      base::print(out, "1:{0}:1:1:{0}:{1}:{2}:{3}\n", thread, record.ns, record.end_ns,
                  record.value);
    } else {
      base::print(out, "2:{0}:1:1:{0}:{1}:{2}:{3}\n", thread, record.ns, record.type, record.value);
    }
  }
}

void write_pcf(std::FILE* out, const std::vector<std::string>& sites) {
  base::print(
      out,
      "DEFAULT_OPTIONS\n\nLEVEL THREAD\nUNITS NANOSEC\n\n"
      "DEFAULT_SEMANTIC\n\nTHREAD_FUNC State As Is\n\n"
      "STATES\n0 Idle\n1 Task\n2 Runtime\n3 Asleep\n4 Wait\n5 Memory\n\n"
      "STATES_COLOR\n0 {{117,195,255}}\n1 {{0,0,255}}\n2 {{255,146,24}}\n3 {{224,224,224}}\n"
      "4 {{178,223,138}}\n5 {{227,26,28}}\n\n"
      "EVENT_TYPE\n0 {} Task, by the place where it was spawned\nVALUES\n0 None\n",
      kTaskEventType);
  for (std::size_t i = 0; i < sites.size(); ++i) base::print(out, "{} {}\n", i + 1, sites[i]);
  base::print(out, "\nEVENT_TYPE\n0 {} Tasks stolen\n", kStealEventType);
}

void write_row(std::FILE* out, std::span<const Timeline> timelines) {
  const std::size_t worker_count = timelines.size();
  base::print(out, "LEVEL CPU SIZE {}\n", worker_count);
  for (std::size_t i = 0; i < worker_count; ++i) base::print(out, "{}.1\n", i + 1);
  base::print(out, "\nLEVEL NODE SIZE 1\n1\n\nLEVEL THREAD SIZE {}\n", worker_count);
  for (const Timeline& timeline : timelines) base::print(out, "{}\n", timeline.track().name);
}

}  // namespace

void write_paraver(const ParaverFiles& out, std::span<const Timeline> timelines, const Clock& clock,
                   const std::tm& date) {
  Records records(clock);
  for (unsigned worker = 0; worker < timelines.size(); ++worker) {
    records.add_worker(worker, timelines[worker]);
  }
  write_prv(out.prv, timelines, records.sorted(), clock, date);
  write_pcf(out.pcf, records.sites().names());
  write_row(out.row, timelines);
}

}  // namespace myr::trace
