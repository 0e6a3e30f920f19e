// SPDX-License-Identifier: Apache-2.0
//
// The line tables of CPython's code objects, one format each for 3.8 and 3.9 (co_lnotab), 3.10
// (co_linetable) and 3.11 and later (co_linetable, with columns).
#pragma once

#include <cstdint>
#include <string_view>

namespace flarestack::record::runtime {

struct PythonPosition {
  int64_t line = 0;    // 0 if unknown
  int64_t column = 0;  // from 1, in bytes of UTF-8; 0 if unknown

  friend bool operator==(const PythonPosition&, const PythonPosition&) = default;
};

// `table` may be any bytes, `first_line` is that of the function, `instruction` the offset in
// bytes.
PythonPosition FindPythonPosition(int minor, std::string_view table, int64_t first_line,
                                  uint32_t instruction);

}  // namespace flarestack::record::runtime
