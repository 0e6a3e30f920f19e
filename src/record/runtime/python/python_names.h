// SPDX-License-Identifier: Apache-2.0
//
// Names the Python frames of one process. Reads the code object of each function once.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>

#include "absl/container/flat_hash_map.h"
#include "absl/status/statusor.h"
#include "record/process/proc/process_memory.h"
#include "record/runtime/named_frame.h"
#include "record/runtime/python/python_process.h"

namespace flarestack::record::runtime {

// The module of a source file, as far as its path shows it: dotted below a folder that Python
// searches ("site-packages/django/db/models/base.py" is django.db.models.base), otherwise the name
// of the file. Empty for code without a file, such as "<string>".
std::string PythonModuleOf(std::string_view file);

// Not thread-safe.
class PythonNames {
 public:
  static constexpr size_t kBytesMaxDefault = size_t{4} << 20;
  static constexpr size_t kNameBytesMax = 1024;
  static constexpr size_t kLineTableBytesMax = size_t{256} << 10;

  // Forgets all functions when they exceed `bytes_max`.
  explicit PythonNames(size_t bytes_max = kBytesMaxDefault) : bytes_max_(bytes_max) {}

  // A frame as found by python_next, or of a message with the same fields.
  struct RawFrame {
    uint64_t code = 0;
    uint32_t instruction = 0;
    uint32_t cookie = 0;
  };

  // Returns a frame without functions if Python itself hides the frame: one of the interpreter's
  // own helpers, or one that has not been set up yet. Returns kNotFound if there is no code object
  // at the address any more, and kDataLoss if there is another one. A cookie of 0 accepts any.
  absl::StatusOr<NamedFrame> Name(const PythonProcess& process, const RawFrame& frame,
                                  agent::MemoryReader read);

  size_t bytes() const { return bytes_; }

 private:
  struct Function {
    std::string name;
    std::string file;
    std::string lines;
    int64_t start_line = 0;
    uint32_t first_traceable = 0;  // offset of the first instruction that is executed for the user
  };
  using Key = std::pair<uint64_t, uint32_t>;  // address and cookie of the code object

  absl::StatusOr<const Function*> Find(const PythonProcess& process, const RawFrame& frame,
                                       agent::MemoryReader read);
  static absl::StatusOr<Function> Read(const PythonProcess& process, uint64_t code,
                                       agent::MemoryReader read);

  size_t bytes_max_;
  size_t bytes_ = 0;
  absl::flat_hash_map<Key, Function> functions_;
};

}  // namespace flarestack::record::runtime
