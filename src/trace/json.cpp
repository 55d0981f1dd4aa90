// SPDX-License-Identifier: Apache-2.0
#include "trace/json.hpp"

#include <string>

#include "base/format.hpp"
#include "base/json_text.hpp"
#include "trace/site_names.hpp"

namespace myr::trace {

namespace {

class JsonWriter {
 public:
  JsonWriter(std::FILE* out, const Clock& clock) : out_(out), clock_(clock) {}

  void write(std::span<const Timeline> timelines) {
    std::uint64_t dropped = 0;
    for (const Timeline& timeline : timelines) dropped += timeline.dropped();
    base::print(out_, R"({{"displayTimeUnit":"ns","otherData":{{"dropped_events":{}}},)", dropped);
    base::print(out_, "\"traceEvents\":[\n");
    base::print(out_, R"({{"ph":"M","pid":1,"name":"process_name","args":{{"name":"myrmidon"}}}})");
    for (unsigned number = 0; number < timelines.size(); ++number) {
      const Track& track = timelines[number].track();
      write_head(number, track);
      if (track.kind == Track::Kind::Main) {
        write_box(number, {clock_.start_ticks, clock_.end_ticks}, "main", "main");
      }
      write_track(number, timelines[number]);
    }
    base::print(out_, "\n]}}\n");
  }

 private:
  struct Interval {
    std::uint64_t begin_ticks;
    std::uint64_t end_ticks;
  };

  void write_head(unsigned number, const Track& track) {
    base::print(
        out_,
        ",\n"
        R"({{"ph":"M","pid":1,"tid":{0},"name":"thread_name","args":{{"name":"{1}"}}}},)"
        "\n"
        R"({{"ph":"M","pid":1,"tid":{0},"name":"thread_sort_index","args":{{"sort_index":{0}}}}})",
        number, track.name);
  }

  // What a state is called in the file; nullptr: it is the ground that the boxes of tasks stand on.
  static const char* name_of(State state, Track::Kind kind) {
    switch (state) {
      case State::Task:
        return nullptr;
      case State::Runtime:
        return kind == Track::Kind::Scheduler ? "scheduling" : nullptr;
      case State::Memory:
        return "memory";
      case State::Wait:
        return "wait";
      case State::Idle:
        return "idle";
      case State::Asleep:
        return "asleep";
    }
    return nullptr;
  }

  void write_track(unsigned worker, const Timeline& timeline) {
    for (const TaskRun& run : timeline.runs()) {
      const std::size_t name = sites_.index_of(run.site);
      if (name == quoted_names_.size())
        quoted_names_.push_back(base::json_string(sites_.names()[name]));
      write_box_begin(worker, {run.begin_ticks, run.end_ticks});
      base::print(out_, R"("cat":"task","name":{},"args":{{"task":"{}"}}}})", quoted_names_[name],
                  run.task.text());
    }
    for (const StateSpan& span : timeline.spans()) {
      const char* name = name_of(span.state, timeline.track().kind);
      if (name == nullptr) continue;
      const char* category = span.state < State::Wait ? "scheduler" : "idle";
      write_box(worker, {span.begin_ticks, span.end_ticks}, category, name);
    }
    for (const Steal& steal : timeline.steals()) {
      write_instant_begin(worker, steal.ticks);
      base::print(out_, R"("cat":"steal","name":"steal","args":{{"from":{},"tasks":{}}}}})",
                  steal.victim, steal.task_count);
    }
    if (timeline.dropped() != 0) {
      write_instant_begin(worker, timeline.full_ticks());
      base::print(out_, R"("cat":"limit","name":"{} later events dropped"}})", timeline.dropped());
    }
  }

  void write_box(unsigned worker, Interval interval, const char* category, const char* name) {
    write_box_begin(worker, interval);
    base::print(out_, R"("cat":"{}","name":"{}"}})", category, name);
  }
  void write_box_begin(unsigned worker, Interval interval) {
    // Both ends are rounded alike, so that boxes stay inside one another.
    const std::uint64_t begin = clock_.ns(interval.begin_ticks);
    const std::uint64_t length = clock_.ns(interval.end_ticks) - begin;
    base::print(out_,
                ",\n"
                R"({{"ph":"X","pid":1,"tid":{},"ts":{},"dur":{},)",
                worker, microseconds(begin), microseconds(length));
  }
  void write_instant_begin(unsigned worker, std::uint64_t ticks) {
    base::print(out_,
                ",\n"
                R"({{"ph":"i","s":"t","pid":1,"tid":{},"ts":{},)",
                worker, microseconds(clock_.ns(ticks)));
  }
  static std::string microseconds(std::uint64_t ns) {
    return base::format("{}.{:03}", ns / 1000, ns % 1000);
  }

  std::FILE* out_;
  const Clock& clock_;
  SiteNames sites_;
  std::vector<std::string> quoted_names_;  // as those of sites_
};

}  // namespace

void write_json(std::FILE* out, std::span<const Timeline> timelines, const Clock& clock) {
  JsonWriter(out, clock).write(timelines);
}

}  // namespace myr::trace
