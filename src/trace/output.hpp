// SPDX-License-Identifier: Apache-2.0
//
// Output: the files that --trace and --graph ask for, from the start of the program to its end.
// They are opened at the start, so that a bad name is refused before the program has run for an
// hour, and a relative one means the folder in which the program was started.
//
// Threads: the main thread; the workers write their places of recording().
#pragma once

#include <cstdio>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "base/result.hpp"
#include "trace/clock.hpp"
#include "trace/recording.hpp"

namespace myr::trace {

// The files that a user named; empty: none.
struct Names {
  std::string timeline;  // ends in .json or .prv
  std::string graph;
};

// The files of a timeline, by the ending of its name; or an error that begins with `setting`.
[[nodiscard]] base::Result<std::vector<std::string>> timeline_paths(const char* setting,
                                                                    const std::string& name);

class Output {
 public:
  // Creates the files. nullptr if there are none to create.
  [[nodiscard]] static base::Result<std::unique_ptr<Output>> open(const Names& names,
                                                                  const std::vector<Track>& tracks);

  [[nodiscard]] Recording& recording() noexcept { return recording_; }

  // Fills the files. Returns what the user should know: what went wrong, or was left out; a line
  // each.
  // REQUIRES: no worker writes any more. To be called once.
  [[nodiscard]] std::vector<std::string> write(const Clock& clock);

 private:
  struct Close {
    void operator()(std::FILE* file) const noexcept { std::fclose(file); }
  };
  struct File {
    std::string path;
    std::unique_ptr<std::FILE, Close> stream;
  };

  Output(const std::vector<Track>& tracks, Wishes wishes) : recording_(tracks, wishes) {}
  [[nodiscard]] static base::Result<std::vector<File>> create(
      const char* setting, const std::vector<std::string>& paths);
  static void fill(std::vector<File>& files, std::vector<std::string>& remarks,
                   const std::function<void()>& write);
  void write_timelines(const Clock& clock, std::vector<std::string>& remarks) const;
  void write_graph(std::vector<std::string>& remarks) const;

  Recording recording_;
  std::vector<File> timeline_files_;  // .json, or .prv, .pcf, .row; empty: none wanted
  std::vector<File> graph_files_;     // one, or none
};

}  // namespace myr::trace
