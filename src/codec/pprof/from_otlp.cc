// SPDX-License-Identifier: Apache-2.0
#include "codec/pprof/from_otlp.h"

#include <algorithm>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/strings/numbers.h"
#include "base/saturating.h"
#include "base/status.h"
#include "base/text/text.h"
#include "codec/pprof/bundles.h"
#include "codec/pprof/from_otlp_tables.h"
#include "codec/pprof/message/mapping_keys.h"
#include "codec/pprof/otlp_samples.h"
#include "model/builder/batch_builder.h"
#include "model/builder/dictionary_merger.h"
#include "model/dump/dump.h"

namespace flarestack::codec::pprof {
namespace {

using base::StrCat;
using model::AnyValue;

class Backward {
 public:
  Backward(const model::Batch& batch, const FromOtlpOptions& options, base::Warnings* warnings)
      : batch_(batch), dictionary_(batch.dictionary), options_(options), warnings_(*warnings) {}

  absl::StatusOr<OtlpProfile> Convert() {
    bundles_ = std::make_unique<Bundles>(BundlesOf(batch_));
    for (const Column& column : bundles_->columns) {
      profile_.sample_types.push_back({.type = column.type, .unit = column.unit});
    }
    adds_up_ = bundles_->bundles.size() > 1 && (options_.plain || AllPlain());
    WriteHeader();
    const bool has_ids = !bundles_->bundles.empty() && !adds_up_ && !options_.plain;
    const EntryIds ids =
        has_ids ? StoredIds(batch_, batch_.scopes[bundles_->bundles[0].scope]) : EntryIds{};
    TableWriter tables(dictionary_, ids,
                       options_.plain ? UsedEntries(batch_) : AllEntries(dictionary_), &profile_);
    const Extras extras = tables.Write();
    auto samples = std::make_unique<OtlpSamples>(batch_, *bundles_, adds_up_);
    FLARE_RETURN_IF_ERROR(samples->Collect(options_, &tables, &warnings_));
    FLARE_RETURN_IF_ERROR(StoreEnvelope(ids, extras));
    return OtlpProfile(std::move(profile_), std::move(bundles_), std::move(samples));
  }

 private:
  // Whether all data has a native pprof field. Such profiles are summed when they are merged, as in
  // pprof.
  bool AllPlain() const {
    for (const model::Resource& resource : batch_.resources) {
      if (!resource.attributes.empty() || !resource.entity_refs.empty() ||
          !resource.schema_url.empty() || resource.dropped_attributes_count != 0) {
        return false;
      }
    }
    for (const model::Scope& scope : batch_.scopes) {
      if (!scope.name.empty() || !scope.version.empty() || !scope.schema_url.empty())
        return false;
      for (const model::KeyValue& attribute : model::In(dictionary_.nodes, scope.attributes)) {
        const std::string_view key = dictionary_.Key(attribute);
        if (!key.starts_with("pprof.scope.") && !key.starts_with("flarestack.pprof."))
          return false;
      }
    }
    for (const model::Profile& profile : batch_.profiles) {
      if (!profile.profile_id.empty() || !profile.original_payload.empty() ||
          profile.dropped_attributes_count != 0) {
        return false;
      }
      for (const model::AttributeIndex index :
           model::In(dictionary_.attribute_indices, profile.attributes)) {
        if (!dictionary_.Text(dictionary_.attributes[index.value].key)
                 .starts_with("pprof.profile."))
          return false;
      }
    }
    return true;
  }

  void WriteHeader() {
    if (batch_.profiles.empty() || bundles_->bundles.empty())
      return;
    const model::Profile& first = batch_.profiles[FirstProfile()];
    profile_.time_nanos = static_cast<int64_t>(first.time_unix_nano);
    profile_.duration_nanos = static_cast<int64_t>(first.duration_nano);
    profile_.period = first.period;
    profile_.period_type = {.type = dictionary_.Text(first.period_type.type),
                            .unit = dictionary_.Text(first.period_type.unit)};
    ReadProfileAttributes(first);
    const model::Scope& scope = batch_.scopes[bundles_->bundles[0].scope];
    for (const model::KeyValue& attribute : model::In(dictionary_.nodes, scope.attributes)) {
      if (dictionary_.Key(attribute) == kDefaultSampleTypeKey &&
          dictionary_.IsString(attribute.value)) {
        profile_.default_sample_type = dictionary_.String(attribute.value);
      }
    }
    if (adds_up_) {
      AddUpHeaders();
      return;
    }
    // OTLP shows its first profile, pprof its last column: if they differ, set the default.
    const std::string_view shown = dictionary_.Text(first.sample_type.type);
    if (profile_.default_sample_type.empty() && bundles_->columns.back().type != shown) {
      profile_.default_sample_type = shown;
    }
  }

  uint32_t FirstProfile() const { return batch_.scopes[bundles_->bundles[0].scope].profiles.begin; }

  // Follows pprof's merge rules: earliest time, sum of durations, largest period, the expressions
  // of the first input, each comment once.
  void AddUpHeaders() {
    profile_.duration_nanos = 0;
    const std::string_view drop_frames = profile_.drop_frames;
    const std::string_view keep_frames = profile_.keep_frames;
    std::string_view doc_url = profile_.doc_url;
    for (const Bundle& bundle : bundles_->bundles) {
      const auto it =
          std::ranges::find_if(bundle.profile_columns, [](uint32_t p) { return p != kNoProfile; });
      if (it == bundle.profile_columns.end())
        continue;
      const model::Profile& other = batch_.profiles[*it];
      const auto time = static_cast<int64_t>(other.time_unix_nano);
      if (time != 0 && (profile_.time_nanos == 0 || time < profile_.time_nanos))
        profile_.time_nanos = time;
      profile_.duration_nanos =
          base::SaturatingAdd(profile_.duration_nanos, static_cast<int64_t>(other.duration_nano));
      profile_.period = std::max(profile_.period, other.period);
      const std::vector<std::string_view> before = profile_.comments;
      ReadProfileAttributes(other);
      std::vector<std::string_view> all = before;
      for (const std::string_view comment : profile_.comments) {
        if (std::ranges::find(all, comment) == all.end())
          all.push_back(comment);
      }
      profile_.comments = std::move(all);
      if (doc_url.empty()) {
        doc_url = profile_.doc_url;
      }
    }
    profile_.drop_frames = drop_frames;
    profile_.keep_frames = keep_frames;
    profile_.doc_url = doc_url;
  }

  // Other converters number their comments: pprof.profile.comment.0, .1, ...
  void ReadProfileAttributes(const model::Profile& from) {
    profile_.comments.clear();
    std::map<uint64_t, std::string_view> numbered;
    for (const model::AttributeIndex index :
         model::In(dictionary_.attribute_indices, from.attributes)) {
      const model::Attribute& attribute = dictionary_.attributes[index.value];
      const std::string_view key = dictionary_.Text(attribute.key);
      if (key == kCommentKey && attribute.value.kind == AnyValue::Kind::kArray) {
        for (const model::KeyValue& node : model::In(dictionary_.nodes, attribute.value.nodes)) {
          if (dictionary_.IsString(node.value))
            profile_.comments.push_back(dictionary_.String(node.value));
        }
        continue;
      }
      if (!dictionary_.IsString(attribute.value))
        continue;
      const std::string_view text = dictionary_.String(attribute.value);
      uint64_t number = 0;
      if (key == kDropFramesKey)
        profile_.drop_frames = text;
      if (key == kKeepFramesKey)
        profile_.keep_frames = text;
      if (key == kDocUrlKey)
        profile_.doc_url = text;
      if (key == kCommentKey)
        profile_.comments.push_back(text);
      if (key.starts_with(kCommentKey) && key.size() > kCommentKey.size() + 1 &&
          absl::SimpleAtoi(std::string(key.substr(kCommentKey.size() + 1)), &number)) {
        numbered[number] = text;
      }
    }
    if (!numbered.empty() && numbered.rbegin()->first + 1 != numbered.size()) {
      warnings_.Add("numbered comments with a gap",
                    StrCat(numbered.size(), " comments up to number ", numbered.rbegin()->first));
    }
    for (const auto& [number, text] : numbered)
      profile_.comments.push_back(text);
  }

  // Stores the envelope in a comment, unless the profile already implies it.
  absl::Status StoreEnvelope(const EntryIds& ids, const Extras& extras) {
    if (options_.plain)
      return absl::OkStatus();
    if (adds_up_ && !(extras.mappings.empty() && extras.locations.empty())) {
      warnings_.Add(
          "aggregated pprof cannot hold attributes of frames and mappings; omitted",
          StrCat(extras.locations.size(), " locations, ", extras.mappings.size(), " mappings"));
    }
    if (adds_up_ || batch_.resources.empty()) {
      return absl::OkStatus();
    }
    const uint32_t scope = bundles_->bundles.empty() ? 0 : bundles_->bundles[0].scope;
    FLARE_ASSIGN(const std::optional<model::Batch> cleaned, WithoutStaleIds(batch_, scope, ids));
    model::BatchBuilder builder(model::Grouping::kNone);
    builder.MergeEnvelope(cleaned.has_value() ? *cleaned : batch_);
    model::DictionaryMerger merger(dictionary_, &builder.dictionary());
    for (const std::vector<Extra>* list : {&extras.mappings, &extras.locations}) {
      for (const Extra& extra : *list) {
        for (const model::AttributeIndex index : extra.attributes) {
          merger.Need(index);
        }
      }
    }
    merger.Run();
    const auto translate = [&](const Extra& extra) {
      std::vector<model::AttributeIndex> attributes;
      for (const model::AttributeIndex index : extra.attributes)
        attributes.push_back(merger.Map(index));
      return attributes;
    };
    for (const Extra& extra : extras.mappings) {
      builder.dictionary().Mapping({.memory_start = extra.id, .memory_limit = 0, .file_offset = 0},
                                   translate(extra));
    }
    for (const Extra& extra : extras.locations) {
      builder.dictionary().Location({.mapping = {}, .address = extra.id}, {}, translate(extra));
    }
    FLARE_ASSIGN(const model::Batch envelope, std::move(builder).Finish());
    FLARE_ASSIGN(const model::Batch implied, ImpliedEnvelope(profile_, ids));
    if (extras.mappings.empty() && extras.locations.empty() &&
        model::Dump(envelope) == model::Dump(implied)) {
      return absl::OkStatus();
    }
    FLARE_ASSIGN(const std::string comment, EncodeEnvelope(envelope));
    profile_.comments.push_back(profile_.arena.Copy(comment));
    return absl::OkStatus();
  }

  const model::Batch& batch_;
  const model::Dictionary& dictionary_;
  const FromOtlpOptions& options_;
  base::Warnings& warnings_;
  Profile profile_;
  std::unique_ptr<Bundles> bundles_;
  bool adds_up_ = false;
};

void HoldSamples(const SampleSource& samples, Profile* profile) {
  const auto append = [](const auto& items, auto* pool) {
    const Slice slice = {.begin = static_cast<uint32_t>(pool->size()),
                         .count = static_cast<uint32_t>(items.size())};
    pool->insert(pool->end(), items.begin(), items.end());
    return slice;
  };
  profile->sample_locations.reserve(samples.location_count());
  SampleRoom room;
  for (size_t i = 0; i < samples.size(); ++i) {
    const SampleView sample = samples.At(i, &room);
    profile->samples.push_back({.locations = append(sample.locations, &profile->sample_locations),
                                .values = append(sample.values, &profile->sample_values),
                                .labels = append(sample.labels, &profile->sample_labels)});
  }
}

// The profile may outlive the batch, so all text that still points into the batch is copied, each
// text once.
void OwnText(Profile* owner) {
  Profile& profile = *owner;
  absl::flat_hash_map<std::string_view, std::string_view> copies;
  const auto own = [&](std::string_view* text) {
    if (text->empty())
      return;
    const auto [it, added] = copies.try_emplace(*text, *text);
    if (added)
      it->second = profile.arena.Copy(*text);
    *text = it->second;
  };
  for (ValueType& type : profile.sample_types)
    own(&type.type), own(&type.unit);
  for (Mapping& mapping : profile.mappings)
    own(&mapping.filename), own(&mapping.build_id);
  for (Function& function : profile.functions) {
    own(&function.name), own(&function.system_name), own(&function.filename);
  }
  for (Label& label : profile.sample_labels)
    own(&label.key), own(&label.text), own(&label.unit);
  for (std::string_view& comment : profile.comments)
    own(&comment);
  for (std::string_view* text :
       {&profile.drop_frames, &profile.keep_frames, &profile.default_sample_type, &profile.doc_url,
        &profile.period_type.type, &profile.period_type.unit}) {
    own(text);
  }
}

}  // namespace

OtlpProfile::OtlpProfile(Profile tables, std::unique_ptr<const Bundles> bundles,
                         std::unique_ptr<const SampleSource> samples)
    : tables_(std::move(tables)), bundles_(std::move(bundles)), samples_(std::move(samples)) {}
OtlpProfile::OtlpProfile(OtlpProfile&&) noexcept = default;
OtlpProfile& OtlpProfile::operator=(OtlpProfile&&) noexcept = default;
OtlpProfile::~OtlpProfile() = default;

absl::StatusOr<OtlpProfile> ViewAsPprof(const model::Batch& batch, const FromOtlpOptions& options,
                                        base::Warnings* warnings) {
  return Backward(batch, options, warnings).Convert();
}

absl::StatusOr<Profile> FromOtlp(const model::Batch& batch, const FromOtlpOptions& options,
                                 base::Warnings* warnings) {
  FLARE_ASSIGN(OtlpProfile converted, ViewAsPprof(batch, options, warnings));
  Profile profile = std::move(converted.tables());
  HoldSamples(converted.samples(), &profile);
  OwnText(&profile);
  return profile;
}

}  // namespace flarestack::codec::pprof
