// SPDX-License-Identifier: Apache-2.0
#include "trace/output.hpp"

#include <cerrno>
#include <cstring>
#include <ctime>
#include <system_error>

#include "base/format.hpp"
#include "trace/dot.hpp"
#include "trace/json.hpp"
#include "trace/paraver.hpp"

namespace myr::trace {

namespace {

constexpr std::string_view kJson = ".json";
constexpr std::string_view kParaver = ".prv";

std::tm local_time() {
  const std::time_t now = std::time(nullptr);
  std::tm result;
  localtime_r(&now, &result);
  return result;
}

}  // namespace

base::Result<std::vector<std::string>> timeline_paths(const char* setting,
                                                      const std::string& name) {
  if (name.ends_with(kJson)) return std::vector<std::string>{name};
  if (name.ends_with(kParaver)) {
    const std::string stem = name.substr(0, name.size() - kParaver.size());
    return std::vector<std::string>{name, stem + ".pcf", stem + ".row"};
  }
  return base::Error{base::format(
      "{}: {} ends neither in .json, for Perfetto, nor in .prv, for Paraver", setting, name)};
}

base::Result<std::vector<Output::File>> Output::create(const char* setting,
                                                       const std::vector<std::string>& paths) {
  std::vector<File> files;
  for (const std::string& path : paths) {
    File file{path, {std::fopen(path.c_str(), "we"), {}}};
    if (file.stream == nullptr) {
      return base::Error{
          base::format("{}: cannot write {}: {}", setting, path, std::strerror(errno))};
    }
    files.push_back(std::move(file));
  }
  return files;
}

base::Result<std::unique_ptr<Output>> Output::open(const Names& names,
                                                   const std::vector<Track>& tracks) {
  if (names.timeline.empty() && names.graph.empty()) return std::unique_ptr<Output>();
  Wishes wishes{.timeline = {}, .graph = !names.graph.empty()};
  std::vector<std::string> timeline;
  if (!names.timeline.empty()) {
    auto paths = timeline_paths("MYR_TRACE", names.timeline);
    if (!paths) return paths.error();
    timeline = std::move(*paths);
    wishes.timeline = timeline.size() == 1 ? Detail::Waits : Detail::AllStates;
  }
  std::vector<std::string> graph;
  if (wishes.graph) graph.push_back(names.graph);
  auto timeline_files = create("MYR_TRACE", timeline);
  if (!timeline_files) return timeline_files.error();
  auto graph_files = create("MYR_GRAPH", graph);
  if (!graph_files) return graph_files.error();
  std::unique_ptr<Output> output(new Output(tracks, wishes));
  output->timeline_files_ = std::move(*timeline_files);
  output->graph_files_ = std::move(*graph_files);
  return output;
}

std::vector<std::string> Output::write(const Clock& clock) {
  std::vector<std::string> remarks;
  if (!timeline_files_.empty()) {
    fill(timeline_files_, remarks, [&] { write_timelines(clock, remarks); });
  }
  if (!graph_files_.empty()) fill(graph_files_, remarks, [&] { write_graph(remarks); });
  return remarks;
}

// Lets `write` fill the files and closes them. A full disk shows at any print, or only at the last
// flush.
void Output::fill(std::vector<File>& files, std::vector<std::string>& remarks,
                  const std::function<void()>& write) {
  try {
    write();
    for (const File& file : files) {
      if (std::fflush(file.stream.get()) != 0) base::throw_errno("flush");
    }
  } catch (const std::system_error& error) {
    remarks.push_back(base::format("cannot write {}: {}", files[0].path, error.code().message()));
  }
  files.clear();
}

void Output::write_timelines(const Clock& clock, std::vector<std::string>& remarks) const {
  const auto stream = [&](std::size_t i) { return timeline_files_[i].stream.get(); };
  if (timeline_files_.size() == 1) {
    write_json(stream(0), recording_.timelines, clock);
  } else {
    write_paraver({stream(0), stream(1), stream(2)}, recording_.timelines, clock, local_time());
  }
  std::uint64_t dropped = 0;
  for (const Timeline& timeline : recording_.timelines) dropped += timeline.dropped();
  if (dropped == 0) return;
  remarks.push_back(base::format("{}: {} events dropped, as a track records at most {}",
                                 timeline_files_[0].path, dropped, Timeline::kEventsMax));
}

void Output::write_graph(std::vector<std::string>& remarks) const {
  write_dot(graph_files_[0].stream.get(), recording_.graphs);
  std::uint64_t count = 0;
  for (const GraphRecord& graph : recording_.graphs) {
    count += graph.nodes().size() + graph.dropped_nodes();
  }
  if (count <= GraphRecord::kNodesMax) return;
  remarks.push_back(base::format("{}: only the first {} of {} tasks and waits",
                                 graph_files_[0].path, GraphRecord::kNodesMax, count));
}

}  // namespace myr::trace
