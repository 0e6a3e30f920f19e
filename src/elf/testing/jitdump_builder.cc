// SPDX-License-Identifier: Apache-2.0
#include "elf/testing/jitdump_builder.h"

#include <elf.h>

#include "elf/testing/elf_builder.h"

namespace flarestack::elf::testing {

JitDumpBuilder::JitDumpBuilder(uint32_t process_id) {
  Append(uint32_t{0x4A695444}, &bytes_);
  Append(uint32_t{1}, &bytes_);
  Append(uint32_t{40}, &bytes_);
  Append(uint32_t{EM_X86_64}, &bytes_);
  Append(uint32_t{0}, &bytes_);
  Append(process_id, &bytes_);
  Append(uint64_t{1}, &bytes_);
  Append(uint64_t{0}, &bytes_);
}

void JitDumpBuilder::Record(uint32_t id, uint64_t time, std::string_view body) {
  Append(id, &bytes_);
  Append(static_cast<uint32_t>(16 + body.size()), &bytes_);
  Append(time, &bytes_);
  bytes_ += body;
}

void JitDumpBuilder::Load(uint64_t time, uint64_t address, uint64_t size, uint64_t index,
                          std::string_view name) {
  std::string body;
  Append(uint64_t{4242}, &body);  // process and thread
  Append(address, &body);
  Append(address, &body);
  Append(size, &body);
  Append(index, &body);
  body += name;
  body.push_back('\0');
  body += std::string(size, 'c');
  Record(0, time, body);
}

void JitDumpBuilder::Move(uint64_t time, uint64_t to, uint64_t size, uint64_t index) {
  std::string body;
  Append(uint64_t{4242}, &body);
  Append(to, &body);
  Append(uint64_t{0}, &body);
  Append(to, &body);
  Append(size, &body);
  Append(index, &body);
  Record(1, time, body);
}

void JitDumpBuilder::DebugInfo(uint64_t address, const std::vector<NewLine>& lines) {
  std::string body;
  Append(address, &body);
  Append(uint64_t{lines.size()}, &body);
  for (const NewLine& line : lines) {
    Append(line.address, &body);
    Append(line.line, &body);
    Append(int32_t{0}, &body);
    body += line.file;
    body.push_back('\0');
  }
  Record(2, 0, body);
}

}  // namespace flarestack::elf::testing
