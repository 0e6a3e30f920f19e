// SPDX-License-Identifier: Apache-2.0
//
// Where the fields of CPython's structs are. They are constant for all releases of a minor version:
// 3.8 to 3.12 have a table here. From 3.13 on the runtime describes itself, with offsets at the
// start of _PyRuntime.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "absl/status/statusor.h"
#include "record/bpf/python_process.h"

namespace flarestack::record::runtime {

inline constexpr int kPythonMinorFirst = 8;
inline constexpr int kPythonMinorLast = 15;
inline constexpr int kPythonMinorSelfDescribed = 13;  // the first that describes itself

// Offsets in bytes.
struct PythonLayout {
  // Everything but the place of the thread state, which differs per process.
  bpf::python_process frames = {};

  uint32_t runtime_interpreters = 0;  // in _PyRuntime: the list of interpreters
  uint32_t runtime_key = 0;  // in _PyRuntime: {is initialized, pthread key} of the thread state
  uint32_t interpreter_next = 0;
  uint32_t interpreter_threads = 0;  // the list of thread states
  uint32_t state_next = 0;
  uint32_t state_thread_id = 0;  // pthread_self()

  uint32_t object_type = 8;
  uint32_t code_file = 0;
  uint32_t code_name = 0;
  uint32_t code_qualified_name = 0;  // 0: none (before 3.11)
  uint32_t code_lines = 0;           // a bytes object
  uint32_t code_first_line = 0;
  uint32_t code_first_traceable = 0;  // 0: none (before 3.11)

  uint32_t bytes_count = 16;
  uint32_t bytes_data = 32;
  uint32_t text_length = 16;
  uint32_t text_state = 32;
  uint32_t text_ascii_data = 0;  // characters of a str that has only ASCII
  uint32_t text_data = 0;        // characters of any other compact str
};

// Bytes of _PyRuntime that describe it, from 3.13 on.
inline constexpr size_t kPythonDescriptionBytes = 93 * sizeof(uint64_t);

// For 3.8 to 3.12. Returns kUnimplemented for other versions.
absl::StatusOr<PythonLayout> KnownPythonLayout(int minor);

// For 3.13 to 3.15, from the first kPythonDescriptionBytes of _PyRuntime. Returns kUnavailable if
// they do not begin with the cookie of such a description, which is written at the start of the
// process, and kInvalidArgument if an offset cannot be right.
absl::StatusOr<PythonLayout> ReadPythonLayout(int minor, std::span<const char> description);

}  // namespace flarestack::record::runtime
