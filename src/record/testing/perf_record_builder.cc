// SPDX-License-Identifier: Apache-2.0
#include "record/testing/perf_record_builder.h"

namespace flarestack::record::agent::testing {
namespace {

template <typename T>
void AppendLittleEndian(T value, std::string* out) {
  for (size_t i = 0; i < sizeof(T); ++i)
    out->push_back(static_cast<char>(value >> (8 * i)));
}

}  // namespace

PerfRecordBuilder& PerfRecordBuilder::U8(uint8_t value) {
  fields_.push_back(static_cast<char>(value));
  return *this;
}

PerfRecordBuilder& PerfRecordBuilder::U16(uint16_t value) {
  AppendLittleEndian(value, &fields_);
  return *this;
}

PerfRecordBuilder& PerfRecordBuilder::U32(uint32_t value) {
  AppendLittleEndian(value, &fields_);
  return *this;
}

PerfRecordBuilder& PerfRecordBuilder::U64(uint64_t value) {
  AppendLittleEndian(value, &fields_);
  return *this;
}

PerfRecordBuilder& PerfRecordBuilder::Bytes(std::string_view bytes) {
  fields_.append(bytes);
  return *this;
}

PerfRecordBuilder& PerfRecordBuilder::Text(std::string_view text) {
  fields_.append(text);
  fields_.append(8 - text.size() % 8, '\0');
  return *this;
}

std::string PerfRecordBuilder::Build(uint64_t time_ns, uint32_t cpu) const {
  constexpr size_t kAroundBytes = 8 + 24;
  std::string record;
  AppendLittleEndian(type_, &record);
  AppendLittleEndian(misc_, &record);
  AppendLittleEndian(static_cast<uint16_t>(fields_.size() + kAroundBytes), &record);
  record += fields_;
  AppendLittleEndian(uint32_t{77}, &record);  // pid and tid of the running thread
  AppendLittleEndian(uint32_t{78}, &record);
  AppendLittleEndian(time_ns, &record);
  AppendLittleEndian(cpu, &record);
  AppendLittleEndian(uint32_t{0}, &record);
  return record;
}

}  // namespace flarestack::record::agent::testing
