// SPDX-License-Identifier: Apache-2.0
//
// Two steps: number all strings in the order a reader meets them, then write from the end (see
// wire/reverse_writer.h).
#include "codec/pprof/writer.h"

#include <vector>

#include "absl/container/flat_hash_map.h"
#include "codec/wire/reverse_writer.h"

namespace flarestack::codec::pprof {
namespace {

using model::In;
using wire::ReverseWriter;

class StringNumbers {
 public:
  StringNumbers() { Add({}); }
  uint64_t Add(std::string_view text) {
    const auto [it, added] = numbers_.try_emplace(text, table_.size());
    if (added)
      table_.push_back(text);
    return it->second;
  }
  uint64_t Of(std::string_view text) const { return numbers_.at(text); }
  const std::vector<std::string_view>& table() const { return table_; }

 private:
  absl::flat_hash_map<std::string_view, uint64_t> numbers_;
  std::vector<std::string_view> table_;
};

StringNumbers NumberStrings(const Profile& profile) {
  StringNumbers strings;
  for (const ValueType& type : profile.sample_types) {
    strings.Add(type.type);
    strings.Add(type.unit);
  }
  for (const Label& label : profile.sample_labels) {
    strings.Add(label.key);
    strings.Add(label.text);
    strings.Add(label.unit);
  }
  for (const Mapping& mapping : profile.mappings) {
    strings.Add(mapping.filename);
    strings.Add(mapping.build_id);
  }
  for (const Function& function : profile.functions) {
    strings.Add(function.name);
    strings.Add(function.system_name);
    strings.Add(function.filename);
  }
  strings.Add(profile.drop_frames);
  strings.Add(profile.keep_frames);
  strings.Add(profile.period_type.type);
  strings.Add(profile.period_type.unit);
  for (const std::string_view comment : profile.comments)
    strings.Add(comment);
  strings.Add(profile.default_sample_type);
  strings.Add(profile.doc_url);
  return strings;
}

class Encoder {
 public:
  Encoder(const Profile& profile, const StringNumbers& strings, ReverseWriter* out)
      : profile_(profile), strings_(strings), out_(*out) {}

  void Message() {
    Text(15, profile_.doc_url);
    Text(14, profile_.default_sample_type);
    out_.Packed(13, std::span<const std::string_view>(profile_.comments),
                [&](std::string_view comment) { return strings_.Of(comment); });
    out_.VarintUnlessZero(12, static_cast<uint64_t>(profile_.period));
    if (profile_.period_type != ValueType{})
      Type(11, profile_.period_type);
    out_.VarintUnlessZero(10, static_cast<uint64_t>(profile_.duration_nanos));
    out_.VarintUnlessZero(9, static_cast<uint64_t>(profile_.time_nanos));
    Text(8, profile_.keep_frames);
    Text(7, profile_.drop_frames);
    const auto& table = strings_.table();
    for (size_t i = table.size(); i-- > 0;)
      out_.Bytes(6, table[i]);
    for (size_t i = profile_.functions.size(); i-- > 0;)
      WriteFunction(profile_.functions[i]);
    for (size_t i = profile_.locations.size(); i-- > 0;)
      WriteLocation(profile_.locations[i]);
    for (size_t i = profile_.mappings.size(); i-- > 0;)
      WriteMapping(profile_.mappings[i]);
    for (size_t i = profile_.samples.size(); i-- > 0;)
      WriteSample(profile_.samples[i]);
    for (size_t i = profile_.sample_types.size(); i-- > 0;)
      Type(1, profile_.sample_types[i]);
  }

 private:
  void Text(uint32_t field, std::string_view text) {
    out_.VarintUnlessZero(field, strings_.Of(text));
  }

  void Type(uint32_t field, const ValueType& type) {
    const size_t end = out_.size();
    Text(2, type.unit);
    Text(1, type.type);
    out_.CloseMessage(field, end);
  }

  void WriteFunction(const Function& function) {
    const size_t end = out_.size();
    out_.VarintUnlessZero(5, static_cast<uint64_t>(function.start_line));
    Text(4, function.filename);
    Text(3, function.system_name);
    Text(2, function.name);
    out_.Varint(1, function.id);
    out_.CloseMessage(5, end);
  }

  void WriteLocation(const Location& location) {
    const size_t location_end = out_.size();
    out_.VarintUnlessZero(5, location.is_folded ? 1 : 0);
    const auto lines = In(profile_.lines, location.lines);
    for (size_t i = lines.size(); i-- > 0;) {
      const size_t end = out_.size();
      out_.VarintUnlessZero(3, static_cast<uint64_t>(lines[i].column));
      out_.VarintUnlessZero(2, static_cast<uint64_t>(lines[i].line));
      out_.Varint(1, profile_.functions[lines[i].function].id);
      out_.CloseMessage(4, end);
    }
    out_.VarintUnlessZero(3, location.address);
    if (location.mapping != kNoMapping)
      out_.Varint(2, profile_.mappings[location.mapping].id);
    out_.Varint(1, location.id);
    out_.CloseMessage(4, location_end);
  }

  void WriteMapping(const Mapping& mapping) {
    const size_t end = out_.size();
    out_.VarintUnlessZero(10, mapping.has_inline_frames ? 1 : 0);
    out_.VarintUnlessZero(9, mapping.has_line_numbers ? 1 : 0);
    out_.VarintUnlessZero(8, mapping.has_filenames ? 1 : 0);
    out_.VarintUnlessZero(7, mapping.has_functions ? 1 : 0);
    Text(6, mapping.build_id);
    Text(5, mapping.filename);
    out_.VarintUnlessZero(4, mapping.file_offset);
    out_.VarintUnlessZero(3, mapping.memory_limit);
    out_.VarintUnlessZero(2, mapping.memory_start);
    out_.Varint(1, mapping.id);
    out_.CloseMessage(3, end);
  }

  void WriteSample(const Sample& sample) {
    const size_t sample_end = out_.size();
    const auto labels = In(profile_.sample_labels, sample.labels);
    for (size_t i = labels.size(); i-- > 0;) {
      const size_t end = out_.size();
      if (labels[i].is_number) {
        Text(4, labels[i].unit);
        out_.Varint(
            3, static_cast<uint64_t>(labels[i].number));  // 0 too: it tells a number from a text
      } else {
        out_.Varint(2, strings_.Of(labels[i].text));
      }
      Text(1, labels[i].key);
      out_.CloseMessage(3, end);
    }
    out_.Packed(2, In(profile_.sample_values, sample.values),
                [](int64_t value) { return static_cast<uint64_t>(value); });
    out_.Packed(1, In(profile_.sample_locations, sample.locations),
                [&](uint32_t location) { return profile_.locations[location].id; });
    out_.CloseMessage(2, sample_end);
  }

  const Profile& profile_;
  const StringNumbers& strings_;
  ReverseWriter& out_;
};

}  // namespace

ReverseWriter EncodeProfile(const Profile& profile) {
  const StringNumbers strings = NumberStrings(profile);
  size_t estimate =
      1024 + profile.samples.size() * 8 + profile.sample_locations.size() * 3 +
      profile.sample_values.size() * 5 + profile.sample_labels.size() * 10 +
      (profile.locations.size() + profile.functions.size() + profile.mappings.size()) * 32;
  for (const std::string_view text : strings.table())
    estimate += text.size() + 4;
  ReverseWriter out(estimate);
  Encoder(profile, strings, &out).Message();
  return out;
}

}  // namespace flarestack::codec::pprof
