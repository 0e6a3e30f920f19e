// SPDX-License-Identifier: Apache-2.0
//
// Reports progress on standard error for work that takes longer than a second. On a terminal it is
// one line that is redrawn and erased at the end; in plain mode it is a line per step.
#pragma once

#include <string>
#include <string_view>
#include <thread>

#include "base/mutex.h"

namespace flarestack::cli {

enum class ProgressMode { kNone, kTerminal, kPlain };

// "auto" is kTerminal when standard error is a terminal, else kNone.
ProgressMode ProgressModeFrom(std::string_view flag);

class Progress {
 public:
  explicit Progress(ProgressMode mode);
  ~Progress();
  Progress(const Progress&) = delete;
  Progress& operator=(const Progress&) = delete;

  void Step(std::string text);

 private:
  void Loop();

  ProgressMode mode_;
  base::Mutex mutex_;
  base::CondVar wake_;
  std::string step_ FLARE_GUARDED_BY(mutex_);
  bool is_done_ FLARE_GUARDED_BY(mutex_) = false;
  std::thread thread_;
};

}  // namespace flarestack::cli
