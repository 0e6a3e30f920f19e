// SPDX-License-Identifier: Apache-2.0
//
// Works in two steps: numbers all strings in the order a reader encounters them, then writes each
// piece from its end (see wire/reverse_writer.h).
#include "codec/pprof/message/writer.h"

#include <algorithm>
#include <limits>

#include "absl/container/flat_hash_map.h"

namespace flarestack::codec::pprof {

using model::In;
using wire::ReverseWriter;

namespace {

// A cache of string numbers, keyed by the text's address: most labels repeat the same few texts.
class RecentNumbers {
 public:
  // Calls `find(text)` on a cache miss.
  template <typename Find>
  uint64_t Get(std::string_view text, Find find) {
    if (text.empty())
      return 0;
    Entry& entry = entries_[(reinterpret_cast<uintptr_t>(text.data()) >> 3) % kEntries];
    if (entry.data != text.data() || entry.size != text.size())
      entry = {.data = text.data(), .size = text.size(), .number = find(text)};
    return entry.number;
  }

 private:
  static constexpr size_t kEntries = 256;
  struct Entry {
    const char* data = nullptr;
    size_t size = 0;
    uint64_t number = 0;
  };
  std::array<Entry, kEntries> entries_ = {};
};

}  // namespace

class ProfilePieces::StringNumbers {
 public:
  StringNumbers() { table_.emplace_back(); }
  void Add(std::string_view text) {
    recent_.Get(text, [&](std::string_view missing) {
      const auto [it, added] = numbers_.try_emplace(missing, table_.size());
      if (added) {
        table_.push_back(missing);
        size_bytes_ += missing.size();
      }
      return it->second;
    });
  }
  // The text must not be empty; the empty text is 0.
  uint64_t Of(std::string_view text) const { return numbers_.at(text); }
  const std::vector<std::string_view>& table() const { return table_; }
  uint64_t size_bytes() const { return size_bytes_; }

 private:
  absl::flat_hash_map<std::string_view, uint64_t> numbers_;
  std::vector<std::string_view> table_;
  uint64_t size_bytes_ = 0;
  RecentNumbers recent_;
};

void ProfilePieces::NumberStrings() {
  StringNumbers& strings = *strings_;
  for (const ValueType& type : tables_.sample_types) {
    strings.Add(type.type);
    strings.Add(type.unit);
  }
  SampleRoom room;
  for (size_t i = 0; i < samples_.size(); ++i) {
    for (const Label& label : samples_.LabelsOf(i, &room)) {
      strings.Add(label.key);
      strings.Add(label.text);
      strings.Add(label.unit);
    }
  }
  for (const Mapping& mapping : tables_.mappings) {
    strings.Add(mapping.filename);
    strings.Add(mapping.build_id);
  }
  for (const Function& function : tables_.functions) {
    strings.Add(function.name);
    strings.Add(function.system_name);
    strings.Add(function.filename);
  }
  strings.Add(tables_.drop_frames);
  strings.Add(tables_.keep_frames);
  strings.Add(tables_.period_type.type);
  strings.Add(tables_.period_type.unit);
  for (const std::string_view comment : tables_.comments)
    strings.Add(comment);
  strings.Add(tables_.default_sample_type);
  strings.Add(tables_.doc_url);
}

// Writes the entries of one piece, from last to first.
class ProfilePieces::Encoder {
 public:
  Encoder(const ProfilePieces& pieces, ReverseWriter* out)
      : profile_(pieces.tables_),
        samples_(pieces.samples_),
        strings_(*pieces.strings_),
        out_(*out) {}

  void Write(Section section, uint64_t entry) {
    switch (section) {
      case kTypes:
        Type(1, profile_.sample_types[entry]);
        break;
      case kSamples:
        WriteSample(samples_.At(entry, &room_));
        break;
      case kMappings:
        WriteMapping(profile_.mappings[entry]);
        break;
      case kLocations:
        WriteLocation(profile_.locations[entry]);
        break;
      case kFunctions:
        WriteFunction(profile_.functions[entry]);
        break;
      case kStrings:
        out_.Bytes(6, strings_.table()[entry]);
        break;
      default:
        WriteNumbers();
    }
  }

 private:
  uint64_t NumberOf(std::string_view text) {
    return recent_.Get(text, [&](std::string_view missing) { return strings_.Of(missing); });
  }
  void Text(uint32_t field, std::string_view text) { out_.VarintUnlessZero(field, NumberOf(text)); }

  void Type(uint32_t field, const ValueType& type) {
    const size_t end = out_.size();
    Text(2, type.unit);
    Text(1, type.type);
    out_.CloseMessage(field, end);
  }

  void WriteNumbers() {
    Text(15, profile_.doc_url);
    Text(14, profile_.default_sample_type);
    out_.Packed(13, std::span<const std::string_view>(profile_.comments),
                [&](std::string_view comment) { return NumberOf(comment); });
    out_.VarintUnlessZero(12, static_cast<uint64_t>(profile_.period));
    if (profile_.period_type != ValueType{})
      Type(11, profile_.period_type);
    out_.VarintUnlessZero(10, static_cast<uint64_t>(profile_.duration_nanos));
    out_.VarintUnlessZero(9, static_cast<uint64_t>(profile_.time_nanos));
    Text(8, profile_.keep_frames);
    Text(7, profile_.drop_frames);
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

  void WriteSample(const SampleView& sample) {
    const size_t sample_end = out_.size();
    for (size_t i = sample.labels.size(); i-- > 0;)
      WriteLabel(sample.labels[i]);
    out_.Packed(2, sample.values, [](int64_t value) { return static_cast<uint64_t>(value); });
    const Location* const locations = profile_.locations.data();
    out_.Packed(1, sample.locations,
                [locations](uint32_t location) { return locations[location].id; });
    out_.CloseMessage(2, sample_end);
  }

  void WriteLabel(const Label& label) {
    const size_t end = out_.size();
    if (label.is_number) {
      Text(4, label.unit);
      // Write 0 too: it distinguishes a number from a text.
      out_.Varint(3, static_cast<uint64_t>(label.number));
    } else {
      out_.Varint(2, NumberOf(label.text));
    }
    Text(1, label.key);
    out_.CloseMessage(3, end);
  }

  const Profile& profile_;
  const SampleSource& samples_;
  const StringNumbers& strings_;
  ReverseWriter& out_;
  RecentNumbers recent_;
  SampleRoom room_;
};

ProfilePieces::ProfilePieces(const Profile& tables, const SampleSource& samples, size_t piece_bytes)
    : tables_(tables), samples_(samples), strings_(std::make_unique<StringNumbers>()) {
  NumberStrings();
  const size_t string_count = strings_->table().size();
  entry_counts_ = {tables.sample_types.size(),
                   samples.size(),
                   tables.mappings.size(),
                   tables.locations.size(),
                   tables.functions.size(),
                   string_count,
                   1};
  constexpr uint64_t kLocationBytes = 3;
  constexpr uint64_t kSampleBytes = 20;
  constexpr uint64_t kTableBytes = 24;
  const uint64_t sample_bytes = kSampleBytes + samples.location_count() * kLocationBytes /
                                                   std::max<size_t>(1, samples.size());
  const uint64_t string_bytes = 2 + strings_->size_bytes() / string_count;
  entry_bytes_ = {kTableBytes, sample_bytes, kTableBytes, kTableBytes,
                  kTableBytes, string_bytes, kTableBytes};
  Cut(piece_bytes);
}

ProfilePieces::~ProfilePieces() = default;

void ProfilePieces::Cut(size_t piece_bytes) {
  uint64_t entries = 0;
  uint64_t bytes = 0;  // of the piece so far
  for (size_t section = 0; section < kSectionCount; ++section) {
    for (uint64_t left = entry_counts_[section]; left > 0;) {
      const uint64_t room = piece_bytes > bytes ? piece_bytes - bytes : 0;
      const uint64_t taken = std::clamp<uint64_t>(room / entry_bytes_[section], 1, left);
      entries += taken;
      bytes += taken * entry_bytes_[section];
      left -= taken;
      if (left > 0) {
        ends_.push_back(entries);
        bytes = 0;
      }
    }
  }
  ends_.push_back(entries);
}

ReverseWriter ProfilePieces::Encode(size_t piece) const {
  const uint64_t begin = piece == 0 ? 0 : ends_[piece - 1];
  uint64_t estimate = 0;
  const auto for_each_section = [&](auto visit) {
    uint64_t section_end = ends_.back();
    for (size_t section = kSectionCount; section-- > 0;) {
      const uint64_t section_begin = section_end - entry_counts_[section];
      const uint64_t from = std::max(begin, section_begin);
      const uint64_t to = std::min(ends_[piece], section_end);
      if (from < to)
        visit(static_cast<Section>(section), from - section_begin, to - section_begin);
      section_end = section_begin;
    }
  };
  for_each_section([&](Section section, uint64_t from, uint64_t to) {
    estimate += (to - from) * entry_bytes_[section];
  });
  ReverseWriter out(estimate + estimate / 4 + 1024);
  Encoder encoder(*this, &out);
  for_each_section([&](Section section, uint64_t from, uint64_t to) {
    for (uint64_t entry = to; entry-- > from;)
      encoder.Write(section, entry);
  });
  return out;
}

ReverseWriter EncodeProfile(const Profile& profile) {
  const HeldSamples samples(profile);
  return ProfilePieces(profile, samples, std::numeric_limits<size_t>::max()).Encode(0);
}

}  // namespace flarestack::codec::pprof
