// SPDX-License-Identifier: Apache-2.0
//
// What has to be known of a process that runs HotSpot to walk and name its frames. Nothing is
// loaded into the process, and nothing in it changes.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "record/bpf/java_process.h"
#include "record/process/proc/process_memory.h"
#include "record/runtime/java/java_layout.h"
#include "record/runtime/java/vm_structs.h"

namespace flarestack::record::runtime {

// A routine of HotSpot's in generated code, such as a copy loop.
struct JavaStub {
  uint64_t begin = 0;
  std::string name;  // "jbyte_disjoint_arraycopy"

  friend bool operator==(const JavaStub&, const JavaStub&) = default;
};

struct JavaProcess {
  int major = 0;        // of the JDK: 8, 11, 17, ...
  std::string release;  // as HotSpot writes it: "17.0.15+6-Debian-1deb12u1"
  // "OpenJDK 64-Bit Server VM (25.402-b06) for linux-amd64 JRE (1.8.0_402-b06), built on ..."
  std::string description;
  bpf::java_process frames = {};
  JavaLayout layout;
  std::vector<JavaStub> stubs;  // sorted by address
};

// `tables` come from ReadJavaFile; `bias` is the address in the process minus that in the file.
// Returns kUnavailable while HotSpot starts, kUnimplemented, with the version, if it is one whose
// layout is unknown, or the error of `read`.
absl::StatusOr<JavaProcess> AttachJava(agent::MemoryReader read, const VmTables& tables,
                                       uint64_t bias);

// The same for a process whose tables were read.
absl::StatusOr<JavaProcess> AttachJava(agent::MemoryReader read, const VmStructs& structs);

}  // namespace flarestack::record::runtime
