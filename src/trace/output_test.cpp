// SPDX-License-Identifier: Apache-2.0
#include "trace/output.hpp"

#include <doctest/doctest.h>

#include <filesystem>
#include <fstream>
#include <iterator>
#include <nlohmann/json.hpp>

#include "trace/test_text.hpp"

using namespace myr::trace;
namespace fs = std::filesystem;

namespace {

// A folder that is gone after the test.
struct Folder {
  fs::path path;
  Folder() {
    std::string name = fs::temp_directory_path() / "myr-output-XXXXXX";
    REQUIRE(mkdtemp(name.data()) != nullptr);
    path = name;
  }
  Folder(const Folder&) = delete;
  Folder& operator=(const Folder&) = delete;
  ~Folder() { fs::remove_all(path); }
};

std::string text_of(const fs::path& path) {
  std::ifstream file(path);
  return {std::istreambuf_iterator<char>(file), {}};
}

}  // namespace

TEST_CASE("nothing is opened when nothing is asked for") {
  auto output = Output::open({}, worker_tracks(2));
  REQUIRE(output);
  CHECK(*output == nullptr);
}

TEST_CASE("the files asked for are written, each from its part of the recording") {
  const Folder folder;
  auto output = Output::open({folder.path / "t.json", folder.path / "g.dot"}, worker_tracks(2));
  REQUIRE(output);
  Recording& recording = (*output)->recording();
  REQUIRE(recording.timeline(1) != nullptr);
  recording.timeline(1)->add_span({1000, 1500, State::Task});
  recording.timeline(1)->begin_task(1000, TaskId(0, 0), nullptr);
  recording.timeline(1)->end_task(1500);
  recording.graph(0)->add_node({.spawn_ticks = 1,
                                .key = 4,
                                .task = TaskId(0, 0),
                                .parent = TaskId::main(),
                                .site = nullptr,
                                .is_wait = false});
  CHECK((*output)->write(kClock).empty());
  const auto events = nlohmann::json::parse(text_of(folder.path / "t.json"))["traceEvents"];
  CHECK(events.back()["name"] == "unknown place");
  CHECK(text_of(folder.path / "g.dot").find("\"0.0\" [") != std::string::npos);
}

TEST_CASE("a timeline for Paraver consists of three files, with all states") {
  const Folder folder;
  auto output = Output::open({folder.path / "t.prv", ""}, worker_tracks(1));
  REQUIRE(output);
  CHECK((*output)->recording().graph(0) == nullptr);
  (*output)->recording().timeline(0)->add_span({1000, 1500, State::Task});
  CHECK((*output)->write(kClock).empty());
  CHECK(text_of(folder.path / "t.prv").find("\n1:1:1:1:1:0:1000:1\n") != std::string::npos);
  CHECK(!text_of(folder.path / "t.pcf").empty());
  CHECK(!text_of(folder.path / "t.row").empty());
}

TEST_CASE("names that cannot be written are refused before the run") {
  const Folder folder;
  const auto error_of = [](const Names& names) {
    auto output = Output::open(names, worker_tracks(1));
    REQUIRE(!output);
    return output.error().text;
  };
  CHECK(error_of({"trace.txt", ""}) ==
        "MYR_TRACE: trace.txt ends neither in .json, for Perfetto, nor in .prv, for Paraver");
  CHECK(error_of({"/nowhere/t.json", ""}) ==
        "MYR_TRACE: cannot write /nowhere/t.json: No such file or directory");
  CHECK(error_of({"", folder.path}).find("MYR_GRAPH: cannot write ") == 0);
}

TEST_CASE("a full disk is reported at the end") {
  const Folder folder;
  const fs::path link = folder.path / "t.json";
  fs::create_symlink("/dev/full", link);
  for (const std::string& graph : {std::string(), std::string("/dev/full")}) {
    auto output = Output::open({link, graph}, worker_tracks(1));
    REQUIRE(output);
    const std::vector<std::string> remarks = (*output)->write(kClock);
    REQUIRE(remarks.size() == (graph.empty() ? 1 : 2));
    CHECK(remarks[0] == "cannot write " + link.string() + ": No space left on device");
  }
}
