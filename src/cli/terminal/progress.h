// SPDX-License-Identifier: Apache-2.0
//
// Reports progress on standard error for work that takes longer than a second. On a terminal it is
// one line that is redrawn and erased at the end; in plain mode it is a line per step.
#pragma once

#include <condition_variable>
#include <mutex>
#include <string>
#include <string_view>
#include <thread>

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
  std::mutex mutex_;
  std::condition_variable wake_;
  std::string step_;      // guarded by mutex_
  bool is_done_ = false;  // guarded by mutex_
  std::thread thread_;
};

}  // namespace flarestack::cli
