// SPDX-License-Identifier: Apache-2.0
//
// Builds jitdump files for tests.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace flarestack::elf::testing {

class JitDumpBuilder {
 public:
  explicit JitDumpBuilder(uint32_t process_id = 4242);

  struct NewLine {
    uint64_t address = 0;
    int32_t line = 0;
    std::string_view file;
  };

  void Load(uint64_t time, uint64_t address, uint64_t size, uint64_t index, std::string_view name);
  void Move(uint64_t time, uint64_t to, uint64_t size, uint64_t index);
  void DebugInfo(uint64_t address, const std::vector<NewLine>& lines);
  void Record(uint32_t id, uint64_t time, std::string_view body);

  const std::string& bytes() const { return bytes_; }

 private:
  std::string bytes_;
};

}  // namespace flarestack::elf::testing
