// SPDX-License-Identifier: Apache-2.0
//
// Names the frames that v8_step found: JavaScript functions with file, line and column, also those
// that the compiler inlined, and builtins. Source maps are applied.
//
//   V8Names names(file, process);
//   FLARE_ASSIGN(const NamedFrame frame, names.Name(words, {.read = read, .address_in_file =
//   ...}));
//
// One object per process. Not thread-safe. Objects are read after the sample was taken: those that
// are not the same any more are detected by a cookie, and the frame is not named.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <utility>

#include "absl/container/flat_hash_map.h"
#include "absl/status/statusor.h"
#include "record/bpf/v8_process.h"
#include "record/process/proc/process_memory.h"
#include "record/runtime/named_frame.h"
#include "record/runtime/v8/v8_code.h"
#include "record/runtime/v8/v8_file.h"
#include "record/runtime/v8/v8_heap.h"
#include "record/runtime/v8/v8_script.h"
#include "record/runtime/v8/v8_walk.h"

namespace flarestack::record::runtime {

class V8Names {
 public:
  struct Limits {
    size_t functions_max = 16384;
    V8Scripts::Limits scripts;
  };

  struct Place {
    agent::MemoryReader read;
    // Of the frame's pc, if a mapping of V8's file contains it: builtins.
    std::optional<uint64_t> address_in_file;
  };

  // The file must outlive this object. Without `find_map`, source maps are not applied.
  V8Names(const V8File& file, const bpf::v8_process& process, MapFinder find_map = nullptr)
      : V8Names(file, process, std::move(find_map), Limits()) {}
  V8Names(const V8File& file, const bpf::v8_process& process, MapFinder find_map,
          const Limits& limits);

  // Returns kNotFound if the objects of the frame are gone, kInvalidArgument if they are not what
  // the words say.
  absl::StatusOr<NamedFrame> Name(const V8Words& words, const Place& place);

  // The pc of a frame that may be a builtin, to find Place::address_in_file. Returns nullopt for
  // interpreted frames.
  static std::optional<uint64_t> PcOf(const V8Words& words);

 private:
  struct Function {
    uint64_t shared = 0;
    uint32_t cookie = 0;
    std::string name;
    uint64_t script = 0;        // 0: none
    int32_t start_offset = -1;  // in the script
  };

  absl::StatusOr<NamedFrame> NameStub(const V8Words& words, const Place& place);
  absl::StatusOr<NamedFrame> NameBytecode(const V8Words& words, const V8Heap& heap);
  absl::StatusOr<NamedFrame> NameCode(const V8Words& words, const Place& place, const V8Heap& heap);
  absl::StatusOr<NamedFrame> NameOptimized(const V8Code& code, uint64_t offset, const V8Heap& heap,
                                           uint64_t expected_shared);
  // `cookie` has the bits of `mask`; no bits: not checked.
  absl::StatusOr<const Function*> FindFunction(const V8Heap& heap, uint64_t shared, uint32_t cookie,
                                               uint32_t mask);
  std::string FunctionName(const V8Heap& heap, uint64_t shared, int32_t* start_offset) const;
  NamedFunction Located(const V8Heap& heap, const Function& function,
                        std::optional<int32_t> script_offset);
  void ApplyMap(const V8Heap& heap, const Function& function, const V8Script& script,
                NamedFunction* named) const;

  const V8File& file_;
  const bpf::v8_process process_;
  const Limits limits_;
  V8Codes codes_;
  V8Scripts scripts_;
  absl::flat_hash_map<uint64_t, std::unique_ptr<Function>> functions_;  // by SharedFunctionInfo
};

}  // namespace flarestack::record::runtime
