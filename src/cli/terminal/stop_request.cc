// SPDX-License-Identifier: Apache-2.0
#include "cli/terminal/stop_request.h"

namespace flarestack::cli {
namespace {

volatile std::sig_atomic_t g_signal = 0;

void Note(int signal) { g_signal = signal; }

}  // namespace

StopRequest::StopRequest() {
  g_signal = 0;
  struct sigaction note = {};
  note.sa_handler = Note;
  sigemptyset(&note.sa_mask);
  sigaction(SIGINT, &note, &interrupt_before_);
  sigaction(SIGTERM, &note, &terminate_before_);
  sigaction(SIGHUP, nullptr, &hang_up_before_);
  if (hang_up_before_.sa_handler != SIG_IGN)
    sigaction(SIGHUP, &note, nullptr);
}

StopRequest::~StopRequest() {
  sigaction(SIGINT, &interrupt_before_, nullptr);
  sigaction(SIGTERM, &terminate_before_, nullptr);
  sigaction(SIGHUP, &hang_up_before_, nullptr);
}

int StopRequest::signal() const { return g_signal; }

}  // namespace flarestack::cli
