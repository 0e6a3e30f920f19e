// SPDX-License-Identifier: Apache-2.0
//
// A Node.js process for tests, and its threads, stopped one at a time to read their registers.
#pragma once

#include <sys/types.h>

#include <optional>
#include <string>
#include <vector>

#include "record/bpf/layout.h"

namespace flarestack::record::runtime::testing {

// The program named by FLARESTACK_TEST_NODE, or "node" on PATH. Empty if there is none.
std::string FindNode();

class NodeProcess {
 public:
  // Starts a script with arguments. Its output can be read line by line; its input stays open.
  NodeProcess(const std::string& node, const std::vector<std::string>& arguments);
  NodeProcess(const NodeProcess&) = delete;
  NodeProcess& operator=(const NodeProcess&) = delete;
  ~NodeProcess();  // kills it

  pid_t pid() const { return pid_; }
  // Waits for the next line of output. Returns nullopt at its end.
  std::optional<std::string> ReadLine();
  // Lines until one that equals `last`, which is not included.
  std::vector<std::string> ReadUntil(const std::string& last);
  std::vector<pid_t> Threads() const;

 private:
  pid_t pid_ = -1;
  int output_ = -1;
  int input_ = -1;
  std::string buffered_;
};

// Traces a thread of another process. It runs, except between Stop and Continue.
class TracedThread {
 public:
  explicit TracedThread(pid_t tid);
  TracedThread(const TracedThread&) = delete;
  TracedThread& operator=(const TracedThread&) = delete;
  ~TracedThread();

  bool is_traced() const { return is_traced_; }
  // Returns nullopt if the thread is gone.
  std::optional<bpf::unwind_registers> Stop();
  bool Continue();

 private:
  pid_t tid_;
  bool is_traced_ = false;
};

}  // namespace flarestack::record::runtime::testing
