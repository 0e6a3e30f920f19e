// SPDX-License-Identifier: Apache-2.0
#include "elf/testing/eh_frame_builder.h"

#include "elf/testing/elf_builder.h"

namespace flarestack::elf::testing {

void EhFrameBuilder::AddEntry(std::string body, uint32_t id) {
  while ((body.size() + 8) % 8 != 0)
    body.push_back('\0');  // DW_CFA_nop
  Append(static_cast<uint32_t>(body.size() + 4), &bytes_);
  Append(id, &bytes_);
  bytes_ += body;
}

void EhFrameBuilder::AddCie(uint8_t pointer_encoding, std::string_view letters) {
  cie_offset_ = bytes_.size();
  encoding_ = pointer_encoding;
  has_data_ = letters.starts_with('z');
  std::string body("\x01", 1);
  body += letters;
  body.push_back('\0');
  body += "\x01\x78\x10";  // code 1, data -8, register 16
  std::string data;
  for (const char letter : letters) {
    if (letter == 'R')
      data.push_back(static_cast<char>(pointer_encoding));
    if (letter == 'L')
      data.push_back('\x1b');
    if (letter == 'P')
      data += std::string("\x03\0\0\0\0", 5);
  }
  if (has_data_) {
    body.push_back(static_cast<char>(data.size()));
    body += data;
  }
  body += "\x0c\x07\x08";  // DW_CFA_def_cfa: register 7, offset 8
  AddEntry(body, 0);
}

void EhFrameBuilder::AppendPointer(uint64_t value, uint64_t place, std::string* out) const {
  const uint64_t number = (encoding_ & 0x70) == 0x10 ? value - place : value;
  switch (encoding_ & 0x07) {
    case 1: {  // ULEB128 and SLEB128, in ten bytes
      for (int i = 0; i < 9; ++i)
        out->push_back(static_cast<char>((number >> (7 * i) & 0x7f) | 0x80));
      out->push_back(
          static_cast<char>((encoding_ & 0x08) != 0 && number >> 63 != 0 ? 0x7f : number >> 63));
      break;
    }
    case 2:
      Append(static_cast<uint16_t>(number), out);
      break;
    case 3:
      Append(static_cast<uint32_t>(number), out);
      break;
    default:
      Append(number, out);
  }
}

void EhFrameBuilder::AddFde(uint64_t begin, uint64_t length, std::string_view instructions) {
  last_fde_offset_ = bytes_.size();
  const uint64_t id_offset = bytes_.size() + 4;
  std::string body;
  AppendPointer(begin, address_ + id_offset + 4, &body);
  const uint8_t encoding = encoding_;
  encoding_ = encoding & 0x0f;
  AppendPointer(length, 0, &body);
  encoding_ = encoding;
  if (has_data_)
    body.push_back('\0');
  body += instructions;
  AddEntry(body, static_cast<uint32_t>(id_offset - cie_offset_));
}

void EhFrameBuilder::AddZero() { Append(uint32_t{0}, &bytes_); }

std::string EhFrameHeaderBytes(const NewEhFrameHeader& header) {
  std::string bytes("\x01\x1b\x03\x3b", 4);
  Append(static_cast<uint32_t>(header.frames_address - (header.address + 4)), &bytes);
  Append(uint32_t{1}, &bytes);
  Append(static_cast<uint32_t>(header.function_address - header.address), &bytes);
  Append(static_cast<uint32_t>(header.fde_address - header.address), &bytes);
  return bytes;
}

}  // namespace flarestack::elf::testing
