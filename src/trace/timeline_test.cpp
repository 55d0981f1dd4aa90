// SPDX-License-Identifier: Apache-2.0
#include "trace/timeline.hpp"

#include <doctest/doctest.h>

#include <nlohmann/json.hpp>

#include "trace/json.hpp"
#include "trace/paraver.hpp"
#include "trace/test_text.hpp"

using namespace myr::trace;

namespace {

const myr_site kOuter{"src/a.cpp", "int main()", 10, 0};
const myr_site kInner{"src/\"b\"", "void f(int)", 20, 0};

// Worker 0 spawns a task that waits for another, which it runs meanwhile; worker 1 steals one.
std::vector<Timeline> small_recording(Detail detail) {
  std::vector<Timeline> timelines;
  for (const Track& track : worker_tracks(2)) timelines.emplace_back(track, detail);
  Timeline& first = timelines[0];
  first.add_span({1000, 1100, State::Task});
  first.add_span({1100, 1150, State::Runtime});
  first.begin_task(1150, TaskId(0, 0), &kOuter);
  first.add_span({1150, 1200, State::Task});
  first.add_span({1200, 1250, State::Idle});
  first.add_span({1250, 1300, State::Idle});
  first.begin_task(1300, TaskId(0, 1), &kInner);
  first.add_span({1300, 1500, State::Task});
  first.end_task(1500);
  first.add_span({1500, 1510, State::Runtime});
  first.add_span({1510, 1600, State::Task});
  first.end_task(1600);
  Timeline& second = timelines[1];
  second.add_span({1000, 1400, State::Asleep});
  second.add_steal({.ticks = 1410, .victim = 0, .task_count = 3});
  second.begin_task(1420, TaskId(0, 2), &kInner);
  second.add_span({1420, 1999, State::Task});
  second.end_task(1999);
  return timelines;
}

}  // namespace

TEST_CASE("a clock turns ticks into nanoseconds, and cuts off what is outside the run") {
  CHECK(kClock.ns(1000) == 0);
  CHECK(kClock.ns(1500) == 1000);
  CHECK(kClock.ns(2000) == 2000);
  CHECK(kClock.ns(900) == 0);
  CHECK(kClock.ns(2001) == 2000);
}

TEST_CASE("a timeline joins spans, and leaves busy states out unless asked for") {
  const std::vector<Timeline> waits = small_recording(Detail::Waits);
  REQUIRE(waits[0].spans().size() == 1);
  CHECK(waits[0].spans()[0].begin_ticks == 1200);
  CHECK(waits[0].spans()[0].end_ticks == 1300);
  CHECK(small_recording(Detail::AllStates)[0].spans().size() == 7);
}

TEST_CASE("the JSON of a small recording") {
  TestFile out;
  write_json(out.file(), small_recording(Detail::Waits), kClock);
  CHECK(out.text() ==
        R"json({"displayTimeUnit":"ns","otherData":{"dropped_events":0},"traceEvents":[
{"ph":"M","pid":1,"name":"process_name","args":{"name":"myrmidon"}},
{"ph":"M","pid":1,"tid":0,"name":"thread_name","args":{"name":"worker 0"}},
{"ph":"M","pid":1,"tid":0,"name":"thread_sort_index","args":{"sort_index":0}},
{"ph":"X","pid":1,"tid":0,"ts":0.000,"dur":2.000,"cat":"main","name":"main"},
{"ph":"X","pid":1,"tid":0,"ts":0.300,"dur":0.900,"cat":"task",)json"
        R"json("name":"main (a.cpp:10)","args":{"task":"0.0"}},
{"ph":"X","pid":1,"tid":0,"ts":0.600,"dur":0.400,"cat":"task",)json"
        R"json("name":"f (\"b\":20)","args":{"task":"0.1"}},
{"ph":"X","pid":1,"tid":0,"ts":0.400,"dur":0.200,"cat":"idle","name":"idle"},
{"ph":"M","pid":1,"tid":1,"name":"thread_name","args":{"name":"worker 1"}},
{"ph":"M","pid":1,"tid":1,"name":"thread_sort_index","args":{"sort_index":1}},
{"ph":"X","pid":1,"tid":1,"ts":0.840,"dur":1.158,"cat":"task",)json"
        R"json("name":"f (\"b\":20)","args":{"task":"0.2"}},
{"ph":"X","pid":1,"tid":1,"ts":0.000,"dur":0.800,"cat":"idle","name":"asleep"},
{"ph":"i","s":"t","pid":1,"tid":1,"ts":0.820,"cat":"steal","name":"steal",)json"
        R"json("args":{"from":0,"tasks":3}}
]}
)json");
  const auto parsed = nlohmann::json::parse(out.text());
  CHECK(parsed["traceEvents"].size() == 12);
  CHECK(parsed["traceEvents"][5]["name"] == "f (\"b\":20)");
}

TEST_CASE("the Paraver files of a small recording") {
  TestFile prv;
  TestFile pcf;
  TestFile row;
  const std::tm date{.tm_min = 5, .tm_hour = 10, .tm_mday = 21, .tm_mon = 10, .tm_year = 125};
  write_paraver({prv.file(), pcf.file(), row.file()}, small_recording(Detail::AllStates), kClock,
                date);
  CHECK(prv.text() == R"(#Paraver (21/11/2025 at 10:05):2000_ns:1(2):1:1(2:1)
1:1:1:1:1:0:200:1
1:2:1:1:2:0:800:3
1:1:1:1:1:200:300:2
1:1:1:1:1:300:400:1
2:1:1:1:1:300:9000001:1
1:1:1:1:1:400:600:0
1:1:1:1:1:600:1000:1
2:1:1:1:1:600:9000001:2
2:2:1:1:2:820:9000002:3
1:2:1:1:2:840:1998:1
2:2:1:1:2:840:9000001:2
1:1:1:1:1:1000:1020:2
2:1:1:1:1:1000:9000001:1
1:1:1:1:1:1020:1200:1
2:1:1:1:1:1200:9000001:0
2:2:1:1:2:1998:9000001:0
)");
  CHECK(pcf.text().find("VALUES\n0 None\n1 main (a.cpp:10)\n2 f (\"b\":20)\n") !=
        std::string::npos);
  CHECK(row.text().find("LEVEL THREAD SIZE 2\nworker 0\nworker 1\n") != std::string::npos);
}

TEST_CASE("a full timeline keeps what came first, counts the rest, and says so in the files") {
  std::vector<Timeline> timelines(
      1, Timeline(worker_tracks(1).front(), Detail::AllStates, /*events_max=*/3));
  Timeline& timeline = timelines[0];
  timeline.begin_task(1100, TaskId(0, 0), &kOuter);
  timeline.begin_task(1200, TaskId(0, 1), &kOuter);
  timeline.add_span({1200, 1300, State::Task});
  timeline.begin_task(1300, TaskId(0, 2), &kOuter);  // the first that has no room
  timeline.end_task(1400);
  timeline.end_task(1500);
  timeline.add_steal({.ticks = 1550, .victim = 1, .task_count = 1});
  timeline.end_task(1600);
  REQUIRE(timeline.runs().size() == 2);
  CHECK(timeline.runs()[0].end_ticks == 1600);
  CHECK(timeline.runs()[1].end_ticks == 1500);
  CHECK(timeline.steals().empty());
  CHECK(timeline.dropped() == 2);

  TestFile json;
  write_json(json.file(), timelines, kClock);
  const auto parsed = nlohmann::json::parse(json.text());
  CHECK(parsed["otherData"]["dropped_events"] == 2);
  CHECK(parsed["traceEvents"].back()["name"] == "2 later events dropped");
  CHECK(parsed["traceEvents"].back()["ts"] == 0.6);
  TestFile prv;
  TestFile rest;
  write_paraver({prv.file(), rest.file(), rest.file()}, timelines, kClock, {});
  CHECK(prv.text().find("\n# worker 0: 2 events dropped from 600 ns on\n") != std::string::npos);
}
