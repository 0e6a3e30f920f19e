// SPDX-License-Identifier: Apache-2.0
#include "codec/pprof/message/reader.h"

#include <algorithm>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "base/status.h"
#include "base/text/text.h"
#include "codec/wire/packed.h"
#include "codec/wire/reader.h"

namespace flarestack::codec::pprof {
namespace {

using base::StrCat;
using wire::kBytes;
using wire::kVarint;
using wire::Reader;
using wire::Tag;

constexpr uint64_t kEntriesMax = 1 << 24;  // per table
constexpr uint64_t kSamplesMax = 1 << 28;

// Maps ids to positions. Nearly every writer numbers from 1 upwards, so a vector suffices, and a
// hash map covers the rest.
class IdMap {
 public:
  // Returns false if the id already exists.
  bool Add(uint64_t id, uint32_t position) {
    if (id == dense_.size() + 1) {
      dense_.push_back(position);
      return true;
    }
    return !Find(id).has_value() && sparse_.emplace(id, position).second;
  }
  std::optional<uint32_t> Find(uint64_t id) const {
    if (id - 1 < dense_.size())
      return dense_[id - 1];
    const auto it = sparse_.find(id);
    if (it == sparse_.end())
      return std::nullopt;
    return it->second;
  }

 private:
  std::vector<uint32_t> dense_;
  absl::flat_hash_map<uint64_t, uint32_t> sparse_;
};

// Text by index. A bad index is recorded here instead of being returned at each of its many uses.
class Strings {
 public:
  void Add(std::string_view text) { table_.push_back(text); }
  size_t size() const { return table_.size(); }
  std::string_view operator[](size_t i) const { return table_[i]; }

  std::string_view Get(uint64_t index) {
    if (index < table_.size())
      return table_[index];
    if (index != 0 && !bad_index_.has_value())
      bad_index_ = static_cast<int64_t>(index);
    return {};
  }

  absl::Status status() const {
    if (!bad_index_.has_value())
      return absl::OkStatus();
    return absl::InvalidArgumentError(StrCat(
        "string index ", *bad_index_, ", but the string_table has ", table_.size(), " entries"));
  }

 private:
  std::vector<std::string_view> table_;
  std::optional<int64_t> bad_index_;
};

ValueType DecodeValueType(Reader in, Strings* strings) {
  ValueType type;
  while (in.Next()) {
    switch (in.tag()) {
      case Tag(1, kVarint):
        type.type = strings->Get(in.Varint());
        break;
      case Tag(2, kVarint):
        type.unit = strings->Get(in.Varint());
        break;
      default:
        in.Skip();
    }
  }
  return type;
}

Mapping DecodeMapping(Reader in, Strings* strings) {
  Mapping mapping;
  while (in.Next()) {
    switch (in.tag()) {
      case Tag(1, kVarint):
        mapping.id = in.Varint();
        break;
      case Tag(2, kVarint):
        mapping.memory_start = in.Varint();
        break;
      case Tag(3, kVarint):
        mapping.memory_limit = in.Varint();
        break;
      case Tag(4, kVarint):
        mapping.file_offset = in.Varint();
        break;
      case Tag(5, kVarint):
        mapping.filename = strings->Get(in.Varint());
        break;
      case Tag(6, kVarint):
        mapping.build_id = strings->Get(in.Varint());
        break;
      case Tag(7, kVarint):
        mapping.has_functions = in.Bool();
        break;
      case Tag(8, kVarint):
        mapping.has_filenames = in.Bool();
        break;
      case Tag(9, kVarint):
        mapping.has_line_numbers = in.Bool();
        break;
      case Tag(10, kVarint):
        mapping.has_inline_frames = in.Bool();
        break;
      default:
        in.Skip();
    }
  }
  return mapping;
}

Function DecodeFunction(Reader in, Strings* strings) {
  Function function;
  while (in.Next()) {
    switch (in.tag()) {
      case Tag(1, kVarint):
        function.id = in.Varint();
        break;
      case Tag(2, kVarint):
        function.name = strings->Get(in.Varint());
        break;
      case Tag(3, kVarint):
        function.system_name = strings->Get(in.Varint());
        break;
      case Tag(4, kVarint):
        function.filename = strings->Get(in.Varint());
        break;
      case Tag(5, kVarint):
        function.start_line = in.Int64();
        break;
      default:
        in.Skip();
    }
  }
  return function;
}

// str and num are distinguished by the wire data: a number wins over a string index of 0, and a
// label with neither is the number 0. pprof's library loses such labels.
Label DecodeLabel(Reader in, Strings* strings) {
  Label label;
  uint64_t text = 0;
  bool has_text = false;
  bool has_number = false;
  while (in.Next()) {
    switch (in.tag()) {
      case Tag(1, kVarint):
        label.key = strings->Get(in.Varint());
        break;
      case Tag(2, kVarint):
        text = in.Varint();
        has_text = true;
        break;
      case Tag(3, kVarint):
        label.number = in.Int64();
        has_number = true;
        break;
      case Tag(4, kVarint):
        label.unit = strings->Get(in.Varint());
        break;
      default:
        in.Skip();
    }
  }
  const bool means_number =
      text == 0 && (label.number != 0 || !label.unit.empty() || has_number || !has_text);
  label.is_number = means_number;
  if (!means_number) {
    label.text = strings->Get(text);
    label.number = 0;
    label.unit = {};
  }
  return label;
}

absl::Status Malformed(const wire::Fault& fault, std::string_view bytes) {
  return absl::InvalidArgumentError(
      StrCat("not a pprof profile: ", fault.what, " at byte ", fault.at - bytes.data()));
}

class TableDecoder {
 public:
  TableDecoder(std::string_view bytes, base::Warnings* warnings)
      : bytes_(bytes), warnings_(*warnings) {}

  absl::StatusOr<Profile> Decode(SampleTotals* totals) {
    FLARE_RETURN_IF_ERROR(ReadStrings(totals));
    ReadTables();
    if (fault_.is_set())
      return Malformed(fault_, bytes_);
    FLARE_RETURN_IF_ERROR(status_);
    FLARE_RETURN_IF_ERROR(strings_.status());
    FLARE_RETURN_IF_ERROR(ReadLocations());
    if (totals->samples > 0 && profile_.sample_types.empty()) {
      return absl::InvalidArgumentError("the profile has samples but no sample_type");
    }
    return std::move(profile_);
  }

 private:
  // Reads strings first, because everything refers to them. Two concatenated profiles parse as one
  // message whose second half refers to other strings: a sample_type between two empty strings
  // reveals this.
  absl::Status ReadStrings(SampleTotals* totals) {
    bool has_type_after_strings = false;
    int times = 0;
    for (Reader in(bytes_, &fault_); in.Next();) {
      switch (in.tag()) {
        case Tag(1, kBytes):
          has_type_after_strings = strings_.size() > 0;
          in.Skip();
          break;
        case Tag(2, kBytes):
          ++totals->samples;
          totals->bytes += in.Bytes().size();
          break;
        case Tag(6, kBytes): {
          const std::string_view text = in.Bytes();
          if (text.empty() && has_type_after_strings)
            return Concatenated();
          strings_.Add(text);
          break;
        }
        case Tag(9, kVarint):
          times += in.Varint() != 0 ? 1 : 0;
          break;
        default:
          in.Skip();
      }
    }
    if (fault_.is_set())
      return Malformed(fault_, bytes_);
    if (times > 1)
      return Concatenated();
    if (strings_.size() > 0 && !strings_[0].empty()) {
      return absl::InvalidArgumentError("string_table[0] is not the empty string");
    }
    if (strings_.size() > kEntriesMax || totals->samples > kSamplesMax) {
      return absl::ResourceExhaustedError(
          StrCat("more than ", kEntriesMax, " strings or ", kSamplesMax, " samples"));
    }
    return absl::OkStatus();
  }

  static absl::Status Concatenated() {
    return absl::InvalidArgumentError(
        "two or more concatenated profiles; pass them as separate files to merge them");
  }

  void ReadTables() {
    for (Reader in(bytes_, &fault_); in.Next();) {
      switch (in.tag()) {
        case Tag(1, kBytes):
          profile_.sample_types.push_back(DecodeValueType(in.Message(), &strings_));
          break;
        case Tag(3, kBytes):
          profile_.mappings.push_back(DecodeMapping(in.Message(), &strings_));
          AddId("mapping", profile_.mappings.back().id, profile_.mappings.size(), &mapping_ids_);
          break;
        case Tag(5, kBytes):
          profile_.functions.push_back(DecodeFunction(in.Message(), &strings_));
          AddId("function", profile_.functions.back().id, profile_.functions.size(),
                &function_ids_);
          break;
        case Tag(11, kBytes):
          profile_.period_type = DecodeValueType(in.Message(), &strings_);
          break;
        case Tag(13, kBytes):
          for (Reader packed = in.Message(); !packed.rest().empty();) {
            profile_.comments.push_back(strings_.Get(packed.Varint()));
          }
          break;
        default:
          in.type() == kVarint ? ReadNumber(in) : in.Skip();
      }
    }
  }

  void ReadNumber(Reader& in) {
    const uint32_t field = in.field();
    const uint64_t number = in.Varint();
    switch (field) {
      case 7:
        profile_.drop_frames = strings_.Get(number);
        break;
      case 8:
        profile_.keep_frames = strings_.Get(number);
        break;
      case 9:
        profile_.time_nanos = static_cast<int64_t>(number);
        break;
      case 10:
        profile_.duration_nanos = static_cast<int64_t>(number);
        break;
      case 12:
        profile_.period = static_cast<int64_t>(number);
        break;
      case 13:
        profile_.comments.push_back(strings_.Get(number));
        break;
      case 14:
        profile_.default_sample_type = strings_.Get(number);
        break;
      case 15:
        profile_.doc_url = strings_.Get(number);
        break;
      default:
        break;
    }
  }

  void AddId(std::string_view table, uint64_t id, size_t size, IdMap* ids) {
    if (!status_.ok())
      return;
    if (id == 0) {
      status_ = absl::InvalidArgumentError(StrCat(table, "[", size - 1, "]: its id is 0"));
    } else if (size > kEntriesMax) {
      status_ = absl::ResourceExhaustedError(StrCat("more than ", kEntriesMax, " ", table, "s"));
    } else if (!ids->Add(id, static_cast<uint32_t>(size - 1))) {
      status_ = absl::InvalidArgumentError(
          StrCat(table, "[", size - 1, "]: the id ", id,
                 " is not unique; these may be two concatenated profiles"));
    }
  }

  absl::Status ReadLocations() {
    IdMap ids;
    for (Reader in(bytes_, &fault_); in.Next();) {
      if (in.tag() != Tag(4, kBytes)) {
        in.Skip();
        continue;
      }
      DecodeLocation(in.Message());
      AddId("location", profile_.locations.back().id, profile_.locations.size(), &ids);
      if (!status_.ok())
        return status_;
    }
    return fault_.is_set() ? Malformed(fault_, bytes_) : absl::OkStatus();
  }

  void DecodeLocation(Reader in) {
    Location& location = profile_.locations.emplace_back();
    location.lines.begin = static_cast<uint32_t>(profile_.lines.size());
    uint64_t mapping_id = 0;
    while (in.Next()) {
      switch (in.tag()) {
        case Tag(1, kVarint):
          location.id = in.Varint();
          break;
        case Tag(2, kVarint):
          mapping_id = in.Varint();
          break;
        case Tag(3, kVarint):
          location.address = in.Varint();
          break;
        case Tag(4, kBytes):
          DecodeLine(in.Message());
          break;
        case Tag(5, kVarint):
          location.is_folded = in.Bool();
          break;
        default:
          in.Skip();
      }
    }
    location.lines.count = static_cast<uint32_t>(profile_.lines.size()) - location.lines.begin;
    if (mapping_id == 0)
      return;
    if (const auto mapping = mapping_ids_.Find(mapping_id); mapping.has_value()) {
      location.mapping = *mapping;
    } else {
      warnings_.Add(
          "mapping id without a mapping; read as no mapping",
          StrCat("location[", profile_.locations.size() - 1, "].mapping_id: ", mapping_id));
    }
  }

  void DecodeLine(Reader in) {
    Line& line = profile_.lines.emplace_back();
    uint64_t function_id = 0;
    while (in.Next()) {
      switch (in.tag()) {
        case Tag(1, kVarint):
          function_id = in.Varint();
          break;
        case Tag(2, kVarint):
          line.line = in.Int64();
          break;
        case Tag(3, kVarint):
          line.column = in.Int64();
          break;
        default:
          in.Skip();
      }
    }
    const auto function = function_ids_.Find(function_id);
    if (function.has_value()) {
      line.function = *function;
    } else if (status_.ok()) {
      status_ = absl::InvalidArgumentError(StrCat("location[", profile_.locations.size() - 1,
                                                  "].line: function_id ", function_id,
                                                  " has no function"));
    }
  }

  std::string_view bytes_;
  base::Warnings& warnings_;
  wire::Fault fault_;
  absl::Status status_;
  Strings strings_;
  IdMap mapping_ids_;
  IdMap function_ids_;
  Profile profile_;
};

}  // namespace

absl::StatusOr<Profile> DecodeTables(std::string_view bytes, base::Warnings* warnings,
                                     SampleTotals* totals) {
  return TableDecoder(bytes, warnings).Decode(totals);
}

absl::Status DecodeSamples(std::string_view bytes, const Profile& tables, VisitSample visit) {
  wire::Fault fault;
  Strings strings;
  for (Reader in(bytes, &fault); in.Next();) {
    in.tag() == Tag(6, kBytes) ? strings.Add(in.Bytes()) : in.Skip();
  }
  IdMap ids;
  for (size_t i = 0; i < tables.locations.size(); ++i)
    ids.Add(tables.locations[i].id, static_cast<uint32_t>(i));

  constexpr uint32_t kMissing = 0xffffffff;
  std::vector<uint64_t> location_ids;
  std::vector<uint32_t> locations;
  std::vector<int64_t> values;
  std::vector<Label> labels;
  uint64_t missing_id = 0;
  uint64_t position = 0;
  const auto to_location = [&](uint64_t id) {
    const auto found = ids.Find(id);
    if (!found.has_value())
      missing_id = id;
    return found.value_or(kMissing);
  };
  for (Reader in(bytes, &fault); in.Next();) {
    if (in.tag() != Tag(2, kBytes)) {
      in.Skip();
      continue;
    }
    locations.clear();
    values.clear();
    labels.clear();
    for (Reader sample = in.Message(); sample.Next();) {
      switch (sample.tag()) {
        case Tag(1, kBytes):
          location_ids.clear();
          wire::AppendPacked(sample.Bytes(), &location_ids, &fault);
          for (const uint64_t id : location_ids)
            locations.push_back(to_location(id));
          break;
        case Tag(1, kVarint):
          locations.push_back(to_location(sample.Varint()));
          break;
        case Tag(2, kBytes):
          wire::AppendPacked(sample.Bytes(), &values, &fault);
          break;
        case Tag(2, kVarint):
          values.push_back(sample.Int64());
          break;
        case Tag(3, kBytes):
          labels.push_back(DecodeLabel(sample.Message(), &strings));
          break;
        default:
          sample.Skip();
      }
    }
    if (fault.is_set())
      return Malformed(fault, bytes);
    const std::string at = missing_id != 0 || values.size() != tables.sample_types.size()
                               ? StrCat("sample[", position, "]")
                               : std::string();
    if (std::ranges::find(locations, kMissing) != locations.end()) {
      return absl::InvalidArgumentError(
          StrCat(at, ".location_id: ", missing_id, " has no location"));
    }
    if (values.size() != tables.sample_types.size()) {
      return absl::InvalidArgumentError(StrCat(at, ": ", values.size(), " values for ",
                                               tables.sample_types.size(), " sample types"));
    }
    FLARE_RETURN_IF_ERROR(strings.status());
    FLARE_RETURN_IF_ERROR(visit({.locations = locations, .values = values, .labels = labels}));
    ++position;
  }
  return fault.is_set() ? Malformed(fault, bytes) : absl::OkStatus();
}

absl::StatusOr<Profile> DecodeProfile(std::string_view bytes, base::Warnings* warnings) {
  SampleTotals totals;
  FLARE_ASSIGN(Profile profile, DecodeTables(bytes, warnings, &totals));
  const auto append = [](const auto& items, auto* pool) {
    const Slice slice = {.begin = static_cast<uint32_t>(pool->size()),
                         .count = static_cast<uint32_t>(items.size())};
    pool->insert(pool->end(), items.begin(), items.end());
    return slice;
  };
  FLARE_RETURN_IF_ERROR(DecodeSamples(bytes, profile, [&](const SampleView& sample) {
    profile.samples.push_back({.locations = append(sample.locations, &profile.sample_locations),
                               .values = append(sample.values, &profile.sample_values),
                               .labels = append(sample.labels, &profile.sample_labels)});
    return absl::OkStatus();
  }));
  return profile;
}

absl::Status VisitSamples(const Profile& profile, VisitSample visit) {
  for (const Sample& sample : profile.samples) {
    FLARE_RETURN_IF_ERROR(visit({.locations = model::In(profile.sample_locations, sample.locations),
                                 .values = model::In(profile.sample_values, sample.values),
                                 .labels = model::In(profile.sample_labels, sample.labels)}));
  }
  return absl::OkStatus();
}

bool LooksLikePprof(std::string_view bytes) {
  constexpr int kFieldsLookedAt = 64;
  wire::Fault fault;
  int fields = 0;
  for (Reader in(bytes, &fault); fields < kFieldsLookedAt && in.Next(); ++fields) {
    const bool is_message =
        in.type() == kBytes && (in.field() <= 6 || in.field() == 11 || in.field() == 13);
    const bool is_number =
        in.type() == kVarint && in.field() >= 7 && in.field() <= 15 && in.field() != 11;
    if (!is_message && !is_number)
      return false;
    in.Skip();
  }
  return fields > 0 && !fault.is_set();
}

}  // namespace flarestack::codec::pprof
