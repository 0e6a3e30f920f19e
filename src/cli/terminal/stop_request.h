// SPDX-License-Identifier: Apache-2.0
//
// Treats SIGINT, SIGTERM and SIGHUP as a request to stop, for commands that save their data before
// they exit. SIGHUP stays ignored if it was, as under nohup. Only one instance may exist at a time.
#pragma once

#include <csignal>

namespace flarestack::cli {

class StopRequest {
 public:
  StopRequest();
  ~StopRequest();
  StopRequest(const StopRequest&) = delete;
  StopRequest& operator=(const StopRequest&) = delete;

  // The signal received, or 0.
  int signal() const;

 private:
  struct sigaction interrupt_before_ = {};
  struct sigaction terminate_before_ = {};
  struct sigaction hang_up_before_ = {};
};

}  // namespace flarestack::cli
