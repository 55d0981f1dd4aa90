// SPDX-License-Identifier: Apache-2.0
//
// StepRecord: what a machine keeps of a repeated step of the program (myr_recording), if it keeps
// anything. Made and looked into by the machine's contexts alone.
#pragma once

namespace myr::base {

class StepRecord {
 public:
  StepRecord() noexcept = default;
  StepRecord(const StepRecord&) = delete;
  StepRecord& operator=(const StepRecord&) = delete;
  virtual ~StepRecord() = default;
};

}  // namespace myr::base
