// SPDX-License-Identifier: Apache-2.0
//
// Decodes the tree of resources, scopes, profiles and samples. The tables are in
// protobuf_decoder_tables.cc.
#include "codec/otlp/profiles/protobuf_decoder.h"

#include <algorithm>

#include "base/memory/huge_pages.h"

namespace flarestack::codec::otlp {

using model::Slice;
using wire::kBytes;
using wire::kFixed64;
using wire::kVarint;
using wire::Reader;
using wire::Tag;

namespace {

constexpr size_t kProfileIdBytes = 16;

bool IsPayloadFormat(std::string_view text) {
  return text == "pprof" || text == "jfr" || text == "linux_perf";
}

}  // namespace

// Every counted item needs at least one byte; lists may be decoded twice.
void ProtobufDecoder::TakeLimits(std::string_view message) {
  state_.fits_every_limit =
      message.size() < std::min({state_.limits.table_entries_max, state_.limits.samples_max,
                                 state_.limits.list_elements_max / 2});
}

void ProtobufDecoder::DecodeProfilesAgain(std::string_view bytes) {
  TakeLimits(bytes);
  for (Reader in(bytes, &state_.fault); in.Next();) {
    if (in.tag() == Tag(1, kBytes)) {
      DecodeResourceProfiles(in.Bytes());
    } else {
      in.Skip();
    }
  }
}

void ProtobufDecoder::DecodeMessage(std::string_view bytes) {
  TakeLimits(bytes);
  for (Reader in(bytes, &state_.fault); in.Next();) {
    switch (in.tag()) {
      case Tag(1, kBytes):
        DecodeResourceProfiles(in.Bytes());
        break;
      case Tag(2, kBytes):
        DecodeDictionary(in.Bytes());
        break;
      default:
        SkipForeign(in);
    }
  }
}

void ProtobufDecoder::DecodeResourceProfiles(std::string_view bytes) {
  Reader in(bytes, &state_.fault);
  if (!state_.HasRoom(batch_.resources, state_.limits.table_entries_max, "resource_profiles"))
    return;
  model::Resource resource;
  resource.scopes.begin = static_cast<uint32_t>(batch_.scopes.size());
  while (in.Next()) {
    switch (in.tag()) {
      case Tag(1, kBytes):
        resources_.DecodeResource(in.Bytes(), &resource);
        break;
      case Tag(2, kBytes):
        DecodeScopeProfiles(in.Bytes());
        break;
      case Tag(3, kBytes):
        resource.schema_url = in.Bytes();
        break;
      default:
        SkipForeign(in);
    }
  }
  resource.scopes.count = static_cast<uint32_t>(batch_.scopes.size()) - resource.scopes.begin;
  batch_.resources.push_back(resource);
}

void ProtobufDecoder::DecodeScopeProfiles(std::string_view bytes) {
  Reader in(bytes, &state_.fault);
  if (!state_.HasRoom(batch_.scopes, state_.limits.table_entries_max, "scope_profiles"))
    return;
  model::Scope scope;
  scope.profiles.begin = static_cast<uint32_t>(batch_.profiles.size());
  while (in.Next()) {
    switch (in.tag()) {
      case Tag(1, kBytes):
        resources_.DecodeScope(in.Bytes(), &scope);
        break;
      case Tag(2, kBytes):
        DecodeProfile(in.Bytes());
        break;
      case Tag(3, kBytes):
        scope.schema_url = in.Bytes();
        break;
      default:
        SkipForeign(in);
    }
  }
  scope.profiles.count = static_cast<uint32_t>(batch_.profiles.size()) - scope.profiles.begin;
  batch_.scopes.push_back(scope);
}

// As for stacks; see ReserveStacks.
void ProtobufDecoder::ReserveSamples(size_t bytes) {
  constexpr size_t kSampleBytes = 12;  // a short sample
  if (bytes < kLargeBytes)
    return;
  base::ReserveLarge(batch_.samples.size() + bytes / kSampleBytes, &batch_.samples);
  base::ReserveLarge(batch_.values.size() + bytes / kSampleBytes, &batch_.values);
  base::ReserveLarge(tables_.attribute_indices.size() + bytes / kSampleBytes,
                     &tables_.attribute_indices);
}

void ProtobufDecoder::DecodeProfile(std::string_view bytes) {
  Reader in(bytes, &state_.fault);
  ReserveSamples(bytes.size());
  if (!state_.HasRoom(batch_.profiles, state_.limits.table_entries_max, "profiles"))
    return;
  model::Profile profile;
  profile.samples.begin = static_cast<uint32_t>(batch_.samples.size());
  profile_attributes_.clear();
  int sample_type_count = 0;
  bool has_payload_format = false;
  while (in.Next()) {
    if (layout_ == Layout::k18 && DecodeProfileField18(in, &profile))
      continue;
    switch (in.tag()) {
      case Tag(1, kBytes):
        if (++sample_type_count > 1)
          has_foreign_fields_ = true;
        DecodeValueType(in.Bytes(), &profile.sample_type);
        break;
      case Tag(2, kBytes):
        layout_ == Layout::k110 ? DecodeSample(in.Bytes()) : DecodeSample19(in.Bytes());
        break;
      case Tag(3, kFixed64):
        profile.time_unix_nano = in.Fixed64();
        break;
      case Tag(4, kVarint):
        profile.duration_nano = in.Varint();
        break;
      case Tag(5, kBytes):
        DecodeValueType(in.Bytes(), &profile.period_type);
        break;
      case Tag(6, kVarint):
        profile.period = in.Int64();
        break;
      case Tag(7, kBytes):
        profile.profile_id = in.Bytes();
        break;
      case Tag(8, kVarint):
        profile.dropped_attributes_count = static_cast<uint32_t>(in.Varint());
        break;
      case Tag(9, kBytes):
        has_payload_format = true;
        profile.original_payload_format = in.Bytes();
        break;
      case Tag(10, kBytes):
        profile.original_payload = in.Bytes();
        break;
      case Tag(11, kBytes):
        // A format name in field 10 without one in field 9 is the payload of 1.8.
        if (!has_payload_format && IsPayloadFormat(profile.original_payload))
          has_foreign_fields_ = true;
        AppendPacked<model::AttributeIndex>(in.Bytes(), &profile_attributes_);
        break;
      case Tag(11, kVarint):
        profile_attributes_.push_back({static_cast<uint32_t>(in.Varint())});
        break;
      default:
        SkipForeign(in);
    }
  }
  if (!profile.profile_id.empty() && profile.profile_id.size() != kProfileIdBytes)
    has_foreign_fields_ = true;
  profile.samples.count = static_cast<uint32_t>(batch_.samples.size()) - profile.samples.begin;
  profile.attributes = {.begin = static_cast<uint32_t>(tables_.attribute_indices.size()),
                        .count = static_cast<uint32_t>(profile_attributes_.size())};
  tables_.attribute_indices.insert(tables_.attribute_indices.end(), profile_attributes_.begin(),
                                   profile_attributes_.end());
  batch_.profiles.push_back(profile);
}

// 1.8 had comments as field 7, which shifted the later fields by one. comments() returns them.
bool ProtobufDecoder::DecodeProfileField18(Reader& in, model::Profile* profile) {
  switch (in.tag()) {
    case Tag(7, kBytes): {
      Comment18& comment = comments_.emplace_back();
      comment.profile = static_cast<uint32_t>(batch_.profiles.size());
      AppendPacked<model::StringIndex>(in.Bytes(), &comment.strings);
      return true;
    }
    case Tag(7, kVarint):
      comments_.push_back({.profile = static_cast<uint32_t>(batch_.profiles.size()),
                           .strings = {{static_cast<uint32_t>(in.Varint())}}});
      return true;
    case Tag(8, kBytes):
      profile->profile_id = in.Bytes();
      return true;
    case Tag(9, kVarint):
      profile->dropped_attributes_count = static_cast<uint32_t>(in.Varint());
      return true;
    case Tag(10, kBytes):
      profile->original_payload_format = in.Bytes();
      return true;
    case Tag(11, kBytes):
      profile->original_payload = in.Bytes();
      return true;
    case Tag(12, kBytes):
      AppendPacked<model::AttributeIndex>(in.Bytes(), &profile_attributes_);
      return true;
    default:
      return false;
  }
}

void ProtobufDecoder::DecodeValueType(std::string_view bytes, model::ValueType* type) {
  Reader in(bytes, &state_.fault);
  while (in.Next()) {
    switch (in.tag()) {
      case Tag(1, kVarint):
        type->type = {static_cast<uint32_t>(in.Varint())};
        break;
      case Tag(2, kVarint):
        type->unit = {static_cast<uint32_t>(in.Varint())};
        break;
      default:
        SkipForeign(in);
    }
  }
}

void ProtobufDecoder::DecodeSample(std::string_view bytes) {
  Reader in(bytes, &state_.fault);
  if (!HasSampleRoom())
    return;
  model::Sample& sample = batch_.samples.emplace_back();
  sample.attributes.begin = static_cast<uint32_t>(tables_.attribute_indices.size());
  sample.values.begin = static_cast<uint32_t>(batch_.values.size());
  sample.timestamps.begin = static_cast<uint32_t>(batch_.timestamps.size());
  bool has_single_value = false;  // a value that is not packed
  while (in.Next()) {
    switch (in.tag()) {
      case Tag(1, kVarint):
        sample.stack = {static_cast<uint32_t>(in.Varint())};
        break;
      case Tag(2, kBytes):
        AppendPacked<model::AttributeIndex>(in.Bytes(), &tables_.attribute_indices);
        break;
      case Tag(3, kVarint):
        sample.link = {static_cast<uint32_t>(in.Varint())};
        break;
      case Tag(4, kBytes):
        AppendPacked<int64_t>(in.Bytes(), &batch_.values);
        break;
      case Tag(5, kBytes):
        AppendFixed64(in.Bytes());
        break;
      case Tag(2, kVarint):
        has_foreign_fields_ = true;
        tables_.attribute_indices.push_back({static_cast<uint32_t>(in.Varint())});
        break;
      case Tag(4, kVarint):
        has_single_value = true;
        batch_.values.push_back(in.Int64());
        break;
      case Tag(5, kFixed64):
        batch_.timestamps.push_back(in.Fixed64());
        break;
      default:
        SkipForeign(in);
    }
  }
  sample.attributes.count =
      static_cast<uint32_t>(tables_.attribute_indices.size()) - sample.attributes.begin;
  sample.values.count = static_cast<uint32_t>(batch_.values.size()) - sample.values.begin;
  sample.timestamps.count =
      static_cast<uint32_t>(batch_.timestamps.size()) - sample.timestamps.begin;
  if (sample.values.count != 1 || has_single_value)
    NoteSampleShape(sample, has_single_value);
}

// In 1.8 and 1.9, field 2 was the values and field 4 the link.
void ProtobufDecoder::NoteSampleShape(const model::Sample& sample, bool has_single_value) {
  if (has_single_value || (sample.values.empty() && !sample.attributes.empty()))
    has_doubtful_samples_ = true;
  if (sample.values.count > 1 && sample.values.count != sample.timestamps.count)
    has_odd_values_ = true;
}

void ProtobufDecoder::DecodeSample19(std::string_view bytes) {
  Reader in(bytes, &state_.fault);
  if (!HasSampleRoom())
    return;
  model::Sample& sample = batch_.samples.emplace_back();
  sample.attributes.begin = static_cast<uint32_t>(tables_.attribute_indices.size());
  sample.values.begin = static_cast<uint32_t>(batch_.values.size());
  sample.timestamps.begin = static_cast<uint32_t>(batch_.timestamps.size());
  while (in.Next()) {
    switch (in.tag()) {
      case Tag(1, kVarint):
        sample.stack = {static_cast<uint32_t>(in.Varint())};
        break;
      case Tag(2, kBytes):
        AppendPacked<int64_t>(in.Bytes(), &batch_.values);
        break;
      case Tag(2, kVarint):
        batch_.values.push_back(in.Int64());
        break;
      case Tag(3, kBytes):
        AppendPacked<model::AttributeIndex>(in.Bytes(), &tables_.attribute_indices);
        break;
      case Tag(3, kVarint):
        tables_.attribute_indices.push_back({static_cast<uint32_t>(in.Varint())});
        break;
      case Tag(4, kVarint):
        sample.link = {static_cast<uint32_t>(in.Varint())};
        break;
      case Tag(5, kBytes):
        AppendFixed64(in.Bytes());
        break;
      case Tag(5, kFixed64):
        batch_.timestamps.push_back(in.Fixed64());
        break;
      default:
        in.Skip();
    }
  }
  sample.attributes.count =
      static_cast<uint32_t>(tables_.attribute_indices.size()) - sample.attributes.begin;
  sample.values.count = static_cast<uint32_t>(batch_.values.size()) - sample.values.begin;
  sample.timestamps.count =
      static_cast<uint32_t>(batch_.timestamps.size()) - sample.timestamps.begin;
}

void ProtobufDecoder::AppendFixed64(std::string_view packed) {
  if (packed.size() % sizeof(uint64_t) != 0) {
    state_.fault.Set("a list of 8-byte numbers whose length is not a multiple of 8", packed.data());
    return;
  }
  if (!state_.HasRoom(batch_.timestamps, state_.limits.list_elements_max, "timestamps_unix_nano") ||
      !state_.TakeMemory(packed.size() / sizeof(uint64_t) * kNumberBytes))
    return;
  for (Reader in(packed, &state_.fault); !in.rest().empty();)
    batch_.timestamps.push_back(in.Fixed64());
}

bool ProtobufDecoder::HasSampleRoom() {
  return state_.HasRoom(batch_.samples, state_.limits.samples_max, "samples") &&
         state_.HasRoom(batch_.values, state_.limits.list_elements_max, "values") &&
         state_.HasRoom(tables_.attribute_indices, state_.limits.list_elements_max,
                        "attribute_indices");
}

}  // namespace flarestack::codec::otlp
