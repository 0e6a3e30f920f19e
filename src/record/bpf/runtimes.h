// SPDX-License-Identifier: GPL-2.0 OR Apache-2.0
//
// The language runtimes of a process, as user space describes them. Not part of process_tables,
// because few processes have any. Compiled into both sides.
#pragma once

#include "record/bpf/java_process.h"
#include "record/bpf/layout.h"
#include "record/bpf/python_process.h"
#include "record/bpf/v8_process.h"

#ifdef __cplusplus
namespace flarestack::record::bpf {
#endif

enum runtime_kind { RUNTIME_PYTHON = 1, RUNTIME_JAVA = 2, RUNTIME_V8 = 4 };

struct runtime_process {
  u32 kinds;  // enum runtime_kind
  u32 reserved;
  struct python_process python;
  struct v8_process v8;
  struct java_process java;
};

#ifdef __cplusplus
}  // namespace flarestack::record::bpf
#endif
