// SPDX-License-Identifier: Apache-2.0
//
// Writes protobuf messages. Fields with default values are left to the caller.
#pragma once

#include <cstdint>
#include <cstring>
#include <string>
#include <string_view>

namespace flarestack::sdk {

class ProtoWriter {
 public:
  void Varint(int field, uint64_t value) {
    Tag(field, 0);
    AppendVarint(value);
  }
  void Fixed64(int field, uint64_t value) {
    Tag(field, 1);
    AppendFixed64(value);
  }
  void Bytes(int field, std::string_view bytes) {
    Tag(field, 2);
    AppendVarint(bytes.size());
    bytes_ += bytes;
  }
  void Message(int field, const ProtoWriter& message) { Bytes(field, message.bytes_); }

  template <typename Numbers>
  void PackedVarints(int field, const Numbers& numbers) {
    if (numbers.empty())
      return;
    ProtoWriter packed;
    for (const auto number : numbers)
      packed.AppendVarint(static_cast<uint64_t>(number));
    Message(field, packed);
  }
  template <typename Numbers>
  void PackedFixed64(int field, const Numbers& numbers) {
    if (numbers.empty())
      return;
    ProtoWriter packed;
    for (const auto number : numbers)
      packed.AppendFixed64(static_cast<uint64_t>(number));
    Message(field, packed);
  }

  const std::string& bytes() const { return bytes_; }
  std::string Take() && { return std::move(bytes_); }

 private:
  void Tag(int field, unsigned wire_type) {
    AppendVarint((static_cast<uint64_t>(field) << 3) | wire_type);
  }
  void AppendVarint(uint64_t value) {
    while (value >= 0x80) {
      bytes_ += static_cast<char>((value & 0x7f) | 0x80);
      value >>= 7;
    }
    bytes_ += static_cast<char>(value);
  }
  void AppendFixed64(uint64_t value) {
    for (int i = 0; i < 8; ++i)
      bytes_ += static_cast<char>((value >> (8 * i)) & 0xff);
  }

  std::string bytes_;
};

}  // namespace flarestack::sdk
