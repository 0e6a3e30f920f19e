// SPDX-License-Identifier: Apache-2.0
//
// Writes compact proto3 JSON in pieces of about 64 KiB. Omits singular fields with their default
// value; writes 64-bit integers as strings.
//
// Finish() returns the first error of the receiver; output after the error is discarded.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "absl/status/status.h"
#include "codec/format/format.h"
#include "model/index.h"

namespace flarestack::codec::otlp {

class JsonOutput {
 public:
  explicit JsonOutput(WriteBytes write) : write_(write) {}

  void BeginObject() { Begin('{'); }
  void EndObject() { End('}'); }
  void BeginArray() { Begin('['); }
  void EndArray() { End(']'); }
  void Name(std::string_view name);

  void Number(uint32_t number);  // uint32 and int32 fields
  void Integer(int64_t number);  // int64 fields
  void Integer(uint64_t number);
  void Double(double number);
  void Bool(bool flag);
  void String(std::string_view text);
  void Hex(std::string_view bytes);
  void Base64(std::string_view bytes);

  // Members that are omitted if they have their default value.
  void NumberField(std::string_view name, uint32_t number);
  void SignedNumberField(std::string_view name, int32_t number);
  void DoubleField(std::string_view name, double number);
  void IntegerField(std::string_view name, int64_t number);
  void IntegerField(std::string_view name, uint64_t number);
  void StringField(std::string_view name, std::string_view text);
  void HexField(std::string_view name, std::string_view bytes);
  void Base64Field(std::string_view name, std::string_view bytes);

  // An int32 on the wire. A negative index is written as negative again.
  template <typename Tag>
  void Index(model::Index<Tag> index) {
    SignedNumber(static_cast<int32_t>(index.value));
  }
  template <typename Tag>
  void IndexField(std::string_view name, model::Index<Tag> index) {
    if (index) {
      Name(name);
      Index(index);
    }
  }

  bool ok() const { return status_.ok(); }

  // Flushes the rest. Must be the last call.
  absl::Status Finish();

 private:
  void Begin(char bracket);
  void End(char bracket);
  void Separate();
  void SignedNumber(int32_t number);
  void EndValue();
  void Flush();

  WriteBytes write_;
  std::string buffer_;
  absl::Status status_;
  bool needs_comma_ = false;  // whether a value has just ended
};

}  // namespace flarestack::codec::otlp
