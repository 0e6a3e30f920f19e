// SPDX-License-Identifier: Apache-2.0
//
// Java programs for tests, run by the JDKs of this machine.
#pragma once

#include <sys/types.h>

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/statusor.h"
#include "base/file/descriptor.h"
#include "record/runtime/java/java_process.h"

namespace flarestack::record::runtime::testing {

// The first folder of $JAVA_HOME and those in /usr/lib/jvm that contains bin/java, bin/javac and
// HotSpot. With FLARESTACK_ALL_JDKS in the environment, all of them.
std::vector<std::string> FindJdks();

// Compiles `source`, which has the public class `name`, into `folder`.
bool CompileJava(const std::string& jdk, const std::string& folder, const std::string& name,
                 std::string_view source);

class JavaProgram {
 public:
  // Runs bin/java of the JDK with the arguments, with pipes as its input and output.
  JavaProgram(const std::string& jdk, std::vector<std::string> arguments);
  JavaProgram(const JavaProgram&) = delete;
  JavaProgram& operator=(const JavaProgram&) = delete;
  ~JavaProgram();  // kills it

  pid_t pid() const { return pid_; }
  // Returns nullopt at the end of the output.
  std::optional<std::string> ReadLine();

  // The thread that runs main(): the launcher runs it on its second thread.
  pid_t MainThread() const;
  // Waits until that thread reads its input.
  bool WaitForRead() const;

  absl::StatusOr<JavaProcess> Attach() const;

 private:
  pid_t pid_ = -1;
  base::Descriptor input_;
  base::Descriptor output_;
  std::string unread_;
};

}  // namespace flarestack::record::runtime::testing
