// SPDX-License-Identifier: Apache-2.0
//
// The real debuginfod of elfutils over one folder, for the lifetime of the object.
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <string>

namespace flarestack::symbol::testing {

class DebuginfodProcess {
 public:
  DebuginfodProcess(std::string served_folder, const std::string& log_path);
  ~DebuginfodProcess() { Stop(); }
  DebuginfodProcess(const DebuginfodProcess&) = delete;
  DebuginfodProcess& operator=(const DebuginfodProcess&) = delete;

  void Stop();

  // Waits until its metrics report that the files are scanned. Returns false if it exits first, as
  // it does if another process took its port.
  bool AwaitScanned(int file_count);

  std::string url() const;

 private:
  uint16_t port_;
  pid_t pid_ = -1;
};

}  // namespace flarestack::symbol::testing
