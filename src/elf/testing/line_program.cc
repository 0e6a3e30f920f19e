// SPDX-License-Identifier: Apache-2.0
#include "elf/testing/line_program.h"

#include "base/byte_reader.h"
#include "elf/testing/elf_builder.h"

namespace flarestack::elf::testing {
namespace {

void AppendSleb(int64_t value, std::string* out) {
  for (;;) {
    const auto byte = static_cast<uint8_t>(value & 0x7f);
    value >>= 7;
    if ((value == 0 && (byte & 0x40) == 0) || (value == -1 && (byte & 0x40) != 0)) {
      out->push_back(static_cast<char>(byte));
      return;
    }
    out->push_back(static_cast<char>(byte | 0x80));
  }
}

}  // namespace

LineProgram& LineProgram::Directory(std::string_view name) {
  directories_.append(name).push_back('\0');
  return *this;
}

LineProgram& LineProgram::File(std::string_view name, uint64_t directory) {
  files_.append(name).push_back('\0');
  base::AppendVarint(directory, &files_);
  files_.append(2, '\0');
  return *this;
}

LineProgram& LineProgram::Address(uint64_t address) {
  program_ += std::string_view("\x00\x09\x02", 3);
  Append<uint64_t>(address, &program_);
  return *this;
}

LineProgram& LineProgram::Advance(uint64_t bytes) {
  program_ += '\x02';
  base::AppendVarint(bytes, &program_);
  return *this;
}

LineProgram& LineProgram::Line(uint32_t line) {
  program_ += '\x03';
  AppendSleb(int64_t{line} - int64_t{line_}, &program_);
  line_ = line;
  return *this;
}

LineProgram& LineProgram::Column(uint64_t column) {
  program_ += '\x05';
  base::AppendVarint(column, &program_);
  return *this;
}

LineProgram& LineProgram::Row() {
  program_ += '\x01';
  return *this;
}

LineProgram& LineProgram::Special(uint8_t opcode) {
  program_ += static_cast<char>(opcode);
  return *this;
}

LineProgram& LineProgram::End() {
  program_ += std::string_view("\x00\x01\x01", 3);
  line_ = 1;
  return *this;
}

std::string LineProgram::Build() const {
  std::string header;
  header += std::string_view("\x01\x01\x01\xfb\x0e\x0d", 6);
  header += std::string_view("\x00\x01\x01\x01\x01\x00\x00\x00\x01\x00\x00\x01", 12);
  header.append(directories_).push_back('\0');
  header.append(files_).push_back('\0');
  std::string unit;
  Append<uint16_t>(4, &unit);
  Append<uint32_t>(static_cast<uint32_t>(header.size()), &unit);
  unit += header;
  unit += program_;
  std::string section;
  Append<uint32_t>(static_cast<uint32_t>(unit.size()), &section);
  return section + unit;
}

}  // namespace flarestack::elf::testing
