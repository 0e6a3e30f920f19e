// SPDX-License-Identifier: Apache-2.0
//
// Where the fields of HotSpot's types are, in the terms of this folder. Names and places changed
// several times between JDK 8 and JDK 25; what a JDK does not have is kNone.
#pragma once

#include <cstdint>

#include "absl/status/statusor.h"
#include "record/bpf/java_process.h"
#include "record/runtime/java/vm_structs.h"

namespace flarestack::record::runtime {

inline constexpr int kJavaMajorFirst = 8;
inline constexpr int kJavaMajorLast = 25;  // tested; later ones are tried
// The first JDK whose compressed numbers never contain a zero byte.
inline constexpr int kJavaMajorWithoutZeroBytes = 20;

// Offsets in bytes.
struct JavaLayout {
  static constexpr uint32_t kNone = UINT32_MAX;

  // Without anything that differs per process.
  bpf::java_process frames = {};

  uint32_t heap_memory = 0;  // CodeHeap: VirtualSpace
  uint32_t heap_segment_map = 0;
  uint32_t heap_segment_shift = 0;
  uint32_t block_length = 0;  // in segments; HeapBlock
  uint32_t space_low = 0;
  uint32_t space_high_boundary = 0;
  uint32_t array_length = 0;  // GrowableArray
  uint32_t array_data = 0;
  uint32_t queue_buffer = 0;  // StubQueue
  uint32_t queue_limit = 0;
  uint32_t codelet_size = 0;  // InterpreterCodelet
  uint32_t codelet_description = 0;

  uint32_t const_method_constants = 0;
  uint32_t const_method_flags = 0;
  uint32_t const_method_name = 0;
  uint32_t const_method_words = 0;  // field with the size of all of it, in words
  uint32_t pool_holder = 0;
  uint32_t pool_length = 0;
  uint32_t pool_bytes = 0;        // size of the header; entries follow
  uint32_t pool_source = kNone;   // index of the source file's name, since JDK 12
  uint32_t class_source = kNone;  // the same in older ones
  uint32_t class_name = 0;
  uint32_t symbol_length = 0;
  uint32_t symbol_body = 0;

  uint32_t blob_name = 0;
  uint32_t blob_size = 0;
  uint32_t nmethod_method = 0;
  uint32_t nmethod_compile_id = 0;
  uint32_t nmethod_pcs = 0;               // offset of the PcDescs
  uint32_t nmethod_dependencies = kNone;  // offset of what follows the PcDescs, before JDK 23
  uint32_t nmethod_scopes = kNone;        // offset of the scopes
  uint32_t nmethod_scopes_begin = kNone;  // address of the scopes, JDK 9 to 22
  uint32_t nmethod_metadata = kNone;      // offset of the metadata, before JDK 24
  uint32_t nmethod_immutable = kNone;     // address that offsets refer to, since JDK 23
  uint32_t nmethod_immutable_size = kNone;
  uint32_t blob_mutable = kNone;  // address of relocations and metadata, since JDK 25
  uint32_t blob_mutable_size = kNone;
  uint32_t blob_relocation_size = kNone;
  uint32_t nmethod_deoptimize = kNone;        // offset of the code that replaces deoptimized frames
  uint32_t nmethod_deoptimize_begin = kNone;  // its address, JDK 9 to 22
};

// `major` is the JDK's version. Returns kUnimplemented, with the version and the missing fields, if
// the layout is unknown.
absl::StatusOr<JavaLayout> MakeJavaLayout(const VmStructs& structs, int major);

}  // namespace flarestack::record::runtime
