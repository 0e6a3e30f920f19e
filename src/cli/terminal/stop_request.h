// SPDX-License-Identifier: Apache-2.0
//
// SIGINT, SIGTERM and SIGHUP as a wish to stop, for commands that save what they have before they
// end. SIGHUP stays ignored where it was, as under nohup. Only one of these may live at a time.
#pragma once

#include <csignal>

namespace flarestack::cli {

class StopRequest {
 public:
  StopRequest();
  ~StopRequest();
  StopRequest(const StopRequest&) = delete;
  StopRequest& operator=(const StopRequest&) = delete;

  // The signal that came, or 0.
  int signal() const;

 private:
  struct sigaction interrupt_before_ = {};
  struct sigaction terminate_before_ = {};
  struct sigaction hang_up_before_ = {};
};

}  // namespace flarestack::cli
