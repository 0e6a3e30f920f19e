// SPDX-License-Identifier: Apache-2.0
//
// Builds .eh_frame tables for tests.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace flarestack::elf::testing {

class EhFrameBuilder {
 public:
  // `address` is that of the first byte of the table.
  explicit EhFrameBuilder(uint64_t address) : address_(address) {}

  // Later FDEs belong to this CIE. Compilers use 0x1b: pcrel, four bytes.
  void AddCie(uint8_t pointer_encoding = 0x1b, std::string_view letters = "zR");
  void AddFde(uint64_t begin, uint64_t length, std::string_view instructions = "\x41");
  void AddZero();
  void AddRaw(std::string_view bytes) { bytes_ += bytes; }

  const std::string& bytes() const { return bytes_; }
  uint64_t last_fde_offset() const { return last_fde_offset_; }

 private:
  void AddEntry(std::string body, uint32_t id);
  void AppendPointer(uint64_t value, uint64_t place, std::string* out) const;

  uint64_t address_;
  std::string bytes_;
  uint64_t cie_offset_ = 0;
  uint64_t last_fde_offset_ = 0;
  uint8_t encoding_ = 0;
  bool has_data_ = false;
};

// .eh_frame_hdr at `address` for one function.
struct NewEhFrameHeader {
  uint64_t address = 0;
  uint64_t frames_address = 0;
  uint64_t function_address = 0;
  uint64_t fde_address = 0;
};
std::string EhFrameHeaderBytes(const NewEhFrameHeader& header);

}  // namespace flarestack::elf::testing
