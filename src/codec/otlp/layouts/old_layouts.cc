// SPDX-License-Identifier: Apache-2.0
#include "codec/otlp/layouts/old_layouts.h"

#include <algorithm>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/status.h"
#include "base/text/text.h"
#include "codec/otlp/layouts/old_tables.h"
#include "codec/otlp/profiles/protobuf_decoder.h"
#include "codec/wire/reader.h"
#include "model/builder/batch_builder.h"

namespace flarestack::codec::otlp {
namespace {

using base::StrCat;
using wire::kBytes;
using wire::kVarint;
using wire::Reader;
using wire::Tag;

// The profile field numbers of 1.6 and 1.7 are those of 1.5 without the tables.
struct ProfileFields {
  uint32_t location_indices, time, duration, period_type, period, comments, default_type, id,
      dropped, format, payload, attributes;
};
constexpr ProfileFields kFields15 = {5, 11, 12, 13, 14, 15, 16, 17, 19, 20, 21, 22};
constexpr ProfileFields kFields17 = {3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14};

struct OldSample {
  uint64_t locations_start = 0;
  uint64_t locations_length = 0;
  std::vector<int64_t> values;
  std::vector<uint32_t> attributes;
  std::optional<uint32_t> link;
  std::vector<uint64_t> timestamps;
};

struct OldProfile {
  std::vector<model::ValueType> sample_types;  // old string indices
  std::vector<std::string_view> samples;       // encoded
  std::vector<uint32_t> location_indices;
  model::Profile fields;
  std::vector<uint32_t> comments;
  uint32_t default_type = 0;
  std::vector<uint32_t> attributes;
  OldTables tables;  // only in 1.5
};

template <typename T>
void AppendNumbers(Reader& in, std::vector<T>* out) {
  if (in.type() == kVarint) {
    out->push_back(static_cast<T>(in.Varint()));
    return;
  }
  for (Reader packed = in.Message(); !packed.rest().empty();) {
    out->push_back(static_cast<T>(packed.Varint()));
  }
}

model::ValueType DecodeType(Reader in) {
  model::ValueType type;
  while (in.Next()) {
    switch (in.tag()) {
      case Tag(1, kVarint):
        type.type = {static_cast<uint32_t>(in.Varint())};
        break;
      case Tag(2, kVarint):
        type.unit = {static_cast<uint32_t>(in.Varint())};
        break;
      default:
        in.Skip();
    }
  }
  return type;
}

OldSample DecodeSample(Reader in) {
  OldSample sample;
  while (in.Next()) {
    switch (in.tag()) {
      case Tag(1, kVarint):
        sample.locations_start = in.Varint();
        break;
      case Tag(2, kVarint):
        sample.locations_length = in.Varint();
        break;
      case Tag(3, kBytes):
      case Tag(3, kVarint):
        AppendNumbers(in, &sample.values);
        break;
      case Tag(4, kBytes):
      case Tag(4, kVarint):
        AppendNumbers(in, &sample.attributes);
        break;
      case Tag(5, kVarint):
        sample.link = static_cast<uint32_t>(in.Varint());
        break;
      case Tag(6, kBytes):
      case Tag(6, kVarint):
        AppendNumbers(in, &sample.timestamps);
        break;
      default:
        in.Skip();
    }
  }
  return sample;
}

// The table inside the profile that a field of 1.5 belongs to.
std::optional<OldTable> TableOf15(uint32_t field) {
  switch (field) {
    case 3:
      return OldTable::kMapping;
    case 4:
      return OldTable::kLocation;
    case 6:
      return OldTable::kFunction;
    case 7:
      return OldTable::kAttribute;
    case 8:
      return OldTable::kAttributeUnit;
    case 9:
      return OldTable::kLink;
    case 10:
      return OldTable::kString;
    default:
      return std::nullopt;
  }
}

class OldLayoutDecoder {
 public:
  OldLayoutDecoder(Layout layout, const Limits& limits)
      : layout_(layout),
        limits_(limits),
        fields_(layout == Layout::kUpTo15 ? kFields15 : kFields17) {}

  absl::StatusOr<model::Batch> Decode(std::string_view bytes) {
    // The tables may come after the fields that refer to them, so read them first.
    for (Reader in(bytes, &fault_); in.Next();) {
      DecodeTopLevelTable(in);
    }
    OldTableMapper shared(tables_, &builder_);
    size_t position = 0;
    for (Reader in(bytes, &fault_); in.Next();) {
      if (in.tag() != Tag(1, kBytes)) {
        in.Skip();
        continue;
      }
      FLARE_RETURN_IF_ERROR(
          AddResource(in.Message(), StrCat("resource_profiles[", position++, "]"), &shared));
    }
    if (fault_.is_set()) {
      return absl::InvalidArgumentError(StrCat("not an OTLP profiles message of version ",
                                               LayoutName(layout_), ": ", fault_.what, " at byte ",
                                               fault_.at - bytes.data()));
    }
    return std::move(builder_).Finish();
  }

 private:
  void DecodeTopLevelTable(Reader& in) {
    static constexpr OldTable kOrder[] = {
        OldTable::kMapping, OldTable::kLocation,  OldTable::kFunction,     OldTable::kLink,
        OldTable::kString,  OldTable::kAttribute, OldTable::kAttributeUnit};
    if (layout_ == Layout::k16 && in.field() >= 2 && in.field() <= 8 && in.type() == kBytes) {
      DecodeOldEntry(kOrder[in.field() - 2], limits_.table_entries_max, in, &tables_);
    } else if (layout_ == Layout::k17 && in.tag() == Tag(2, kBytes)) {
      for (Reader dictionary = in.Message(); dictionary.Next();) {
        if (dictionary.field() >= 1 && dictionary.field() <= 7 && dictionary.type() == kBytes) {
          DecodeOldEntry(kOrder[dictionary.field() - 1], limits_.table_entries_max, dictionary,
                         &tables_);
        } else {
          dictionary.Skip();
        }
      }
    } else {
      in.Skip();
    }
  }

  absl::Status AddResource(Reader in, const std::string& path, OldTableMapper* shared) {
    model::Batch scratch;
    ProtobufDecoder decoder(Layout::k110, limits_, &scratch);
    model::Resource resource;
    std::vector<std::string_view> scopes;
    while (in.Next()) {
      switch (in.tag()) {
        case Tag(1, kBytes):
          decoder.DecodeResource(in.Bytes(), &resource);
          break;
        case Tag(2, kBytes):
          scopes.push_back(in.Bytes());
          break;
        case Tag(3, kBytes):
          resource.schema_url = in.Bytes();
          break;
        default:
          in.Skip();
      }
    }
    FLARE_RETURN_IF_ERROR(CheckDecoded(decoder, path));
    resource.attributes = CopyNodes(scratch, resource.attributes);
    const model::ResourceId id = builder_.AddResource(
        resource, model::In(scratch.entity_refs, resource.entity_refs), scratch.entity_keys);
    for (size_t i = 0; i < scopes.size(); ++i) {
      FLARE_RETURN_IF_ERROR(
          AddScope(id, scopes[i], StrCat(path, ".scope_profiles[", i, "]"), shared));
    }
    return absl::OkStatus();
  }

  absl::Status CheckDecoded(const ProtobufDecoder& decoder, const std::string& path) {
    if (decoder.limit_reached() != nullptr) {
      return absl::ResourceExhaustedError(StrCat(path, ": too many ", decoder.limit_reached()));
    }
    if (decoder.fault().is_set())
      fault_.Set(decoder.fault().what, decoder.fault().at);
    return absl::OkStatus();
  }

  // References into a string table were added in 1.10; here they can only be noise and are dropped.
  model::Slice CopyNodes(model::Batch& scratch, model::Slice nodes) {
    for (model::KeyValue& node : scratch.dictionary.nodes) {
      node.key_index = {};
      if (node.value.kind == model::AnyValue::Kind::kStringIndex)
        node.value = {};
    }
    return builder_.dictionary().CopyNodes(scratch.dictionary,
                                           model::In(scratch.dictionary.nodes, nodes),
                                           /*as_references=*/true);
  }

  absl::Status AddScope(model::ResourceId resource, std::string_view bytes, const std::string& path,
                        OldTableMapper* shared) {
    model::Batch scratch;
    ProtobufDecoder decoder(Layout::k110, limits_, &scratch);
    model::Scope scope;
    std::vector<std::string_view> profiles;
    for (Reader in(bytes, &fault_); in.Next();) {
      switch (in.tag()) {
        case Tag(1, kBytes):
          decoder.DecodeScope(in.Bytes(), &scope);
          break;
        case Tag(2, kBytes):
          profiles.push_back(in.Bytes());
          break;
        case Tag(3, kBytes):
          scope.schema_url = in.Bytes();
          break;
        default:
          in.Skip();
      }
    }
    FLARE_RETURN_IF_ERROR(CheckDecoded(decoder, path));
    scope.attributes = CopyNodes(scratch, scope.attributes);
    const model::ScopeId id = builder_.AddScope(resource, scope);
    for (size_t i = 0; i < profiles.size(); ++i) {
      const OldProfile profile = DecodeProfile(Reader(profiles[i], &fault_));
      const std::string at = StrCat(path, ".profiles[", i, "]");
      if (layout_ == Layout::kUpTo15) {
        OldTableMapper own(profile.tables, &builder_);
        FLARE_RETURN_IF_ERROR(AddProfile(id, profile, at, &own));
      } else {
        FLARE_RETURN_IF_ERROR(AddProfile(id, profile, at, shared));
      }
    }
    return absl::OkStatus();
  }

  OldProfile DecodeProfile(Reader in) {
    OldProfile profile;
    while (in.Next()) {
      if (in.tag() == Tag(1, kBytes)) {
        profile.sample_types.push_back(DecodeType(in.Message()));
      } else if (in.tag() == Tag(2, kBytes)) {
        profile.samples.push_back(in.Bytes());
      } else if (in.type() == kVarint) {
        DecodeNumber(in, &profile);
      } else if (in.type() == kBytes) {
        DecodeBytes(in, &profile);
      } else {
        in.Skip();
      }
    }
    return profile;
  }

  void DecodeNumber(Reader& in, OldProfile* profile) {
    const uint32_t field = in.field();
    const uint64_t number = in.Varint();
    if (field == fields_.time)
      profile->fields.time_unix_nano = number;
    if (field == fields_.duration)
      profile->fields.duration_nano = number;
    if (field == fields_.period)
      profile->fields.period = static_cast<int64_t>(number);
    if (field == fields_.dropped)
      profile->fields.dropped_attributes_count = static_cast<uint32_t>(number);
    if (field == fields_.default_type)
      profile->default_type = static_cast<uint32_t>(number);
    if (field == fields_.location_indices)
      profile->location_indices.push_back(static_cast<uint32_t>(number));
    if (field == fields_.comments)
      profile->comments.push_back(static_cast<uint32_t>(number));
    if (field == fields_.attributes)
      profile->attributes.push_back(static_cast<uint32_t>(number));
  }

  void DecodeBytes(Reader& in, OldProfile* profile) {
    const uint32_t field = in.field();
    if (layout_ == Layout::kUpTo15 && TableOf15(field).has_value()) {
      DecodeOldEntry(*TableOf15(field), limits_.table_entries_max, in, &profile->tables);
    } else if (field == fields_.location_indices) {
      AppendNumbers(in, &profile->location_indices);
    } else if (field == fields_.comments) {
      AppendNumbers(in, &profile->comments);
    } else if (field == fields_.attributes) {
      AppendNumbers(in, &profile->attributes);
    } else if (field == fields_.period_type) {
      profile->fields.period_type = DecodeType(in.Message());
    } else if (field == fields_.id) {
      profile->fields.profile_id = in.Bytes();
    } else if (field == fields_.format) {
      profile->fields.original_payload_format = in.Bytes();
    } else if (field == fields_.payload) {
      profile->fields.original_payload = in.Bytes();
    } else {
      in.Skip();
    }
  }

  static absl::StatusOr<model::ValueType> MapType(const model::ValueType& old,
                                                  const std::string& path, OldTableMapper* mapper) {
    model::ValueType type;
    FLARE_ASSIGN(type.type, mapper->String(old.type.value, path));
    FLARE_ASSIGN(type.unit, mapper->String(old.unit.value, path));
    return type;
  }

  // Makes one profile per sample type, the default type first, as current viewers expect.
  absl::Status AddProfile(model::ScopeId scope, const OldProfile& old, const std::string& path,
                          OldTableMapper* mapper) {
    model::Profile profile = old.fields;
    FLARE_ASSIGN(profile.period_type,
                 MapType(old.fields.period_type, path + ".period_type", mapper));
    FLARE_ASSIGN(std::vector<model::AttributeIndex> attributes,
                 mapper->Attributes(old.attributes, path));
    if (!old.comments.empty()) {
      std::vector<model::KeyValue> nodes;
      for (const uint32_t comment : old.comments) {
        FLARE_ASSIGN(const model::StringIndex text,
                     mapper->String(comment, path + ".comment_strindices"));
        nodes.push_back({.key = {}, .key_index = {}, .value = model::AnyValue::Reference(text)});
      }
      attributes.push_back(builder_.dictionary().Attribute(
          "pprof.profile.comment", model::AnyValue::Array(builder_.dictionary().Nodes(nodes))));
    }
    profile.attributes = builder_.dictionary().AttributeList(attributes);
    std::vector<model::Sample> samples;
    std::vector<std::vector<int64_t>> values;
    FLARE_RETURN_IF_ERROR(MapSamples(old, path, mapper, &samples, &values));

    std::vector<size_t> columns(std::max<size_t>(old.sample_types.size(), 1));
    for (size_t i = 0; i < columns.size(); ++i)
      columns[i] = i;
    const size_t first = DefaultColumn(old);
    std::rotate(columns.begin(), columns.begin() + static_cast<ptrdiff_t>(first),
                columns.begin() + static_cast<ptrdiff_t>(first) + 1);
    for (const size_t column : columns) {
      if (!old.sample_types.empty()) {
        FLARE_ASSIGN(profile.sample_type,
                     MapType(old.sample_types[column], path + ".sample_type", mapper));
      }
      builder_.AddProfile(scope, profile);
      for (size_t i = 0; i < samples.size(); ++i) {
        AddSample(samples[i], column < values[i].size() ? values[i][column] : 0, values[i].empty());
      }
    }
    return absl::OkStatus();
  }

  size_t DefaultColumn(const OldProfile& old) const {
    if (layout_ == Layout::kUpTo15) {
      for (size_t i = 0; old.default_type != 0 && i < old.sample_types.size(); ++i) {
        if (old.sample_types[i].type.value == old.default_type)
          return i;
      }
      return 0;
    }
    return old.default_type < old.sample_types.size() ? old.default_type : 0;
  }

  absl::Status MapSamples(const OldProfile& old, const std::string& path, OldTableMapper* mapper,
                          std::vector<model::Sample>* samples,
                          std::vector<std::vector<int64_t>>* values) {
    std::vector<model::LocationIndex> locations;
    for (size_t i = 0; i < old.samples.size(); ++i) {
      const std::string at = StrCat(path, ".sample[", i, "]");
      OldSample sample = DecodeSample(Reader(old.samples[i], &fault_));
      const size_t size = old.location_indices.size();
      if (sample.locations_start > size ||
          sample.locations_length > size - sample.locations_start) {
        return absl::InvalidArgumentError(
            StrCat(at, ".locations_start_index: ", sample.locations_start, " + ",
                   sample.locations_length, ", but location_indices has ", size, " entries"));
      }
      locations.clear();
      for (uint64_t k = 0; k < sample.locations_length; ++k) {
        FLARE_ASSIGN(const model::LocationIndex location,
                     mapper->Location(old.location_indices[sample.locations_start + k], at));
        locations.push_back(location);
      }
      if (!sample.values.empty() &&
          sample.values.size() != std::max<size_t>(old.sample_types.size(), 1)) {
        return absl::InvalidArgumentError(StrCat(at, ".value: ", sample.values.size(),
                                                 " values for ", old.sample_types.size(),
                                                 " sample types"));
      }
      FLARE_ASSIGN(const std::vector<model::AttributeIndex> attributes,
                   mapper->Attributes(sample.attributes, at));
      model::Sample mapped;
      mapped.stack = builder_.dictionary().Stack(locations);
      mapped.attributes = builder_.dictionary().AttributeList(attributes);
      if (sample.link.has_value()) {
        FLARE_ASSIGN(mapped.link, mapper->Link(*sample.link, at + ".link_index"));
      }
      mapped.timestamps = builder_.Timestamps(sample.timestamps);
      samples->push_back(mapped);
      values->push_back(std::move(sample.values));
    }
    return absl::OkStatus();
  }

  // Up to 1.7 a sample had one total and any number of timestamps. The current layout has one value
  // per timestamp, or none if each counts 1. If the total differs from the count, it is assigned to
  // the first timestamp, which preserves both the sum and the times.
  void AddSample(model::Sample sample, int64_t total, bool has_no_values) {
    const uint32_t count = sample.timestamps.count;
    if (count == 0) {
      sample.values = builder_.Values({&total, 1});
    } else if (!has_no_values && total != count) {
      std::vector<int64_t> values(count, 0);
      values[0] = total;
      sample.values = builder_.Values(values);
    }
    builder_.AddSample(sample);
  }

  Layout layout_;
  const Limits& limits_;
  const ProfileFields& fields_;
  wire::Fault fault_;
  OldTables tables_;
  model::BatchBuilder builder_;
};

}  // namespace

absl::StatusOr<model::Batch> DecodeOldLayout(std::string_view bytes, Layout layout,
                                             const Limits& limits) {
  return OldLayoutDecoder(layout, limits).Decode(bytes);
}

}  // namespace flarestack::codec::otlp
