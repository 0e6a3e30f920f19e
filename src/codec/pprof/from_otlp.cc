// SPDX-License-Identifier: Apache-2.0
#include "codec/pprof/from_otlp.h"

#include <algorithm>
#include <array>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/strings/numbers.h"
#include "base/encoding.h"
#include "base/saturating.h"
#include "base/status.h"
#include "base/text.h"
#include "codec/pprof/bundles.h"
#include "codec/pprof/from_otlp_tables.h"
#include "codec/pprof/label_values.h"
#include "codec/pprof/link_labels.h"
#include "codec/pprof/mapping_keys.h"
#include "model/batch_builder.h"
#include "model/dictionary_merger.h"
#include "model/dump.h"

namespace flarestack::codec::pprof {
namespace {

using base::StrCat;
using model::AnyValue;

// One observation: a row of the profile, before its columns are joined.
struct RowKey {
  uint32_t group = 0;
  model::StackIndex stack;
  model::LinkIndex link;
  std::vector<model::AttributeIndex> attributes;  // sorted
  bool has_time = false;
  bool is_event = false;
  uint64_t time_unix_nano = 0;
  uint32_t repeat = 0;  // the n-th such observation of its profile
  friend bool operator==(const RowKey&, const RowKey&) = default;

  template <typename H>
  friend H AbslHashValue(H h, const RowKey& key) {
    return H::combine(std::move(h), key.group, key.stack, key.link, key.attributes, key.has_time,
                      key.is_event, key.time_unix_nano, key.repeat);
  }
};

struct Row {
  uint32_t group = 0;
  const model::Sample* sample = nullptr;  // its stack, link and attributes
  bool has_time = false;
  bool is_event = false;
  uint64_t time_unix_nano = 0;
  std::vector<std::pair<uint32_t, int64_t>> values;  // by column
};

class Backward {
 public:
  Backward(const model::Batch& batch, const FromOtlpOptions& options, base::Warnings* warnings)
      : batch_(batch), dictionary_(batch.dictionary), options_(options), warnings_(*warnings) {}

  absl::StatusOr<Profile> Convert() {
    bundles_ = BundlesOf(batch_);
    for (const Column& column : bundles_.columns) {
      profile_.sample_types.push_back({.type = column.type, .unit = column.unit});
    }
    adds_up_ = bundles_.bundles.size() > 1 && (options_.plain || AllPlain());
    WriteHeader();
    const bool has_ids = !bundles_.bundles.empty() && !adds_up_ && !options_.plain;
    const EntryIds ids =
        has_ids ? StoredIds(batch_, batch_.scopes[bundles_.bundles[0].scope]) : EntryIds{};
    TableWriter tables(dictionary_, ids,
                       options_.plain ? UsedEntries(batch_) : AllEntries(dictionary_), &profile_);
    const Extras extras = tables.Write();
    labels_of_attribute_.resize(dictionary_.attributes.size());
    FLARE_RETURN_IF_ERROR(WriteSamples(&tables));
    FLARE_RETURN_IF_ERROR(StoreEnvelope(ids, extras));
    OwnText();
    return std::move(profile_);
  }

 private:
  // Nothing but what pprof itself has fields for: such profiles are added up when they are merged,
  // as pprof does.
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
    if (batch_.profiles.empty() || bundles_.bundles.empty())
      return;
    const model::Profile& first = batch_.profiles[FirstProfile()];
    profile_.time_nanos = static_cast<int64_t>(first.time_unix_nano);
    profile_.duration_nanos = static_cast<int64_t>(first.duration_nano);
    profile_.period = first.period;
    profile_.period_type = {.type = dictionary_.Text(first.period_type.type),
                            .unit = dictionary_.Text(first.period_type.unit)};
    ReadProfileAttributes(first);
    const model::Scope& scope = batch_.scopes[bundles_.bundles[0].scope];
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
    // OTLP shows its first profile, pprof its last column: where those differ, say which.
    const std::string_view shown = dictionary_.Text(first.sample_type.type);
    if (profile_.default_sample_type.empty() && bundles_.columns.back().type != shown) {
      profile_.default_sample_type = shown;
    }
  }

  uint32_t FirstProfile() const { return batch_.scopes[bundles_.bundles[0].scope].profiles.begin; }

  // pprof's own rules for merging: earliest time, sum of durations, largest period, the first
  // input's expressions, comments once
  // each.
  void AddUpHeaders() {
    profile_.duration_nanos = 0;
    const std::string_view drop_frames = profile_.drop_frames;
    const std::string_view keep_frames = profile_.keep_frames;
    std::string_view doc_url = profile_.doc_url;
    for (const Bundle& bundle : bundles_.bundles) {
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

  absl::Status WriteSamples(TableWriter* tables) {
    for (uint32_t b = 0; b < bundles_.bundles.size(); ++b) {
      const Bundle& bundle = bundles_.bundles[b];
      if (!adds_up_ && !options_.aggregate && RowsAreAligned(bundle)) {
        WriteAlignedRows(b, tables);
        continue;
      }
      const uint32_t group = adds_up_ ? 0 : b;
      const auto profile_count =
          std::ranges::count_if(bundle.profile_columns, [](uint32_t p) { return p != kNoProfile; });
      const bool joins = profile_count > 1 || adds_up_ || options_.aggregate;
      for (uint32_t column = 0; column < bundle.profile_columns.size(); ++column) {
        if (bundle.profile_columns[column] == kNoProfile)
          continue;
        FLARE_RETURN_IF_ERROR(CollectProfile(bundle.profile_columns[column], group, column, joins));
      }
      // Rows of another bundle must not be joined with these.
      if (!adds_up_)
        WriteRows(tables);
    }
    WriteRows(tables);
    return absl::OkStatus();
  }

  // Whether all profiles of a bundle have the same samples in the same order, with one value each:
  // what our own mapping from pprof makes, and most messages with several columns are. They need no
  // joining.
  bool RowsAreAligned(const Bundle& bundle) const {
    const model::Profile* first = nullptr;
    for (const uint32_t index : bundle.profile_columns) {
      if (index == kNoProfile)
        continue;
      const model::Profile& profile = batch_.profiles[index];
      if (first == nullptr)
        first = &profile;
      if (profile.samples.count != first->samples.count)
        return false;
      for (uint32_t i = 0; i < profile.samples.count; ++i) {
        const model::Sample& sample = batch_.samples[profile.samples.begin + i];
        const model::Sample& other = batch_.samples[first->samples.begin + i];
        if (sample.values.count != 1 || !sample.timestamps.empty() || sample.stack != other.stack ||
            sample.link != other.link || sample.attributes != other.attributes) {
          return false;
        }
      }
    }
    return first != nullptr;
  }

  void WriteAlignedRows(uint32_t group, TableWriter* tables) {
    const std::vector<uint32_t>& profiles = bundles_.bundles[group].profile_columns;
    const auto first = std::ranges::find_if(profiles, [](uint32_t p) { return p != kNoProfile; });
    const model::Slice samples = batch_.profiles[*first].samples;
    Row row = {.group = group};
    for (uint32_t i = 0; i < samples.count; ++i) {
      row.sample = &batch_.samples[samples.begin + i];
      row.values.clear();
      for (uint32_t column = 0; column < profiles.size(); ++column) {
        if (profiles[column] == kNoProfile)
          continue;
        const uint32_t at = batch_.profiles[profiles[column]].samples.begin + i;
        row.values.emplace_back(column, batch_.values[batch_.samples[at].values.begin]);
      }
      WriteRow(row, tables);
    }
  }

  absl::Status CollectProfile(uint32_t profile_index, uint32_t group, uint32_t column, bool joins) {
    const model::Slice samples = batch_.profiles[profile_index].samples;
    absl::flat_hash_map<RowKey, uint32_t> repeats;
    for (uint32_t i = samples.begin; i < samples.end(); ++i) {
      const model::Sample& sample = batch_.samples[i];
      const auto values = model::In(batch_.values, sample.values);
      const auto times = model::In(batch_.timestamps, sample.timestamps);
      if ((times.empty() && values.size() > 1) ||
          (!times.empty() && !values.empty() && times.size() != values.size())) {
        return absl::InvalidArgumentError(
            StrCat("profile ", profile_index, ", sample ", i - samples.begin, ": ", values.size(),
                   " values and ", times.size(),
                   " timestamps; OTLP wants one value, or as many as timestamps"));
      }
      if (times.empty() && values.empty()) {
        warnings_.Add("a sample without value and timestamp; read as 0",
                      StrCat("profile ", profile_index, ", sample ", i - samples.begin));
      }
      Row row = {.group = group, .sample = &sample, .values = {}};
      if (times.empty() || options_.aggregate) {
        row.values = {{column, model::Weight(batch_, sample)}};
        AddRow(std::move(row), joins, &repeats);
        continue;
      }
      for (size_t k = 0; k < times.size(); ++k) {
        Row event = row;
        event.has_time = true;
        event.is_event = values.empty();
        event.time_unix_nano = times[k];
        event.values = {{column, values.empty() ? 1 : values[k]}};
        AddRow(std::move(event), joins, &repeats);
      }
    }
    return absl::OkStatus();
  }

  // Joins a row with the one of another column, or of another input, that is the same but for its
  // value. Two equal samples of one profile stay two.
  void AddRow(Row row, bool joins, absl::flat_hash_map<RowKey, uint32_t>* repeats) {
    if (!joins) {
      rows_.push_back(std::move(row));
      return;
    }
    const auto attributes = model::In(dictionary_.attribute_indices, row.sample->attributes);
    RowKey key = {.group = row.group,
                  .stack = row.sample->stack,
                  .link = row.sample->link,
                  .attributes = {attributes.begin(), attributes.end()},
                  .has_time = row.has_time,
                  .is_event = row.is_event,
                  .time_unix_nano = row.time_unix_nano};
    std::ranges::sort(key.attributes);
    if (!options_.aggregate)
      key.repeat = (*repeats)[key]++;
    const auto [it, added] = row_positions_.try_emplace(std::move(key), rows_.size());
    if (added) {
      rows_.push_back(std::move(row));
      return;
    }
    auto& values = rows_[it->second].values;
    const auto same =
        std::ranges::find(values, row.values[0].first, &std::pair<uint32_t, int64_t>::first);
    if (same != values.end()) {
      same->second = base::SaturatingAdd(same->second, row.values[0].second);
    } else {
      values.push_back(row.values[0]);
    }
  }

  void WriteRows(TableWriter* tables) {
    row_positions_ = {};
    ReserveLocations();
    for (const Row& row : rows_)
      WriteRow(row, tables);
    rows_.clear();
  }

  // The largest list by far: growing it step by step would hold it twice for a moment.
  void ReserveLocations() {
    size_t count = profile_.sample_locations.size();
    for (const Row& row : rows_)
      count += dictionary_.stacks[row.sample->stack.value].locations.count;
    profile_.sample_locations.reserve(count);
  }

  void WriteRow(const Row& row, TableWriter* tables) {
    Sample sample;
    const auto stack = model::In(dictionary_.location_indices,
                                 dictionary_.stacks[row.sample->stack.value].locations);
    sample.locations = {.begin = static_cast<uint32_t>(profile_.sample_locations.size()),
                        .count = static_cast<uint32_t>(stack.size())};
    for (const model::LocationIndex location : stack) {
      profile_.sample_locations.push_back(tables->PositionOf(location));
    }
    sample.values = {.begin = static_cast<uint32_t>(profile_.sample_values.size()),
                     .count = static_cast<uint32_t>(bundles_.columns.size())};
    profile_.sample_values.resize(profile_.sample_values.size() + bundles_.columns.size(), 0);
    for (const auto& [column, value] : row.values)
      profile_.sample_values[sample.values.begin + column] = value;
    sample.labels.begin = static_cast<uint32_t>(profile_.sample_labels.size());
    WriteLabels(row);
    sample.labels.count =
        static_cast<uint32_t>(profile_.sample_labels.size()) - sample.labels.begin;
    profile_.samples.push_back(sample);
  }

  void WriteLabels(const Row& row) {
    std::vector<Label>& out = profile_.sample_labels;
    const size_t first_label = out.size();
    bool has_link_keys = false;
    for (const model::AttributeIndex index :
         model::In(dictionary_.attribute_indices, row.sample->attributes)) {
      std::vector<Label>& labels = labels_of_attribute_[index.value];
      if (labels.empty())
        AppendLabels(dictionary_, dictionary_.attributes[index.value], &profile_.arena, &labels);
      for (const Label& label : labels) {
        has_link_keys = has_link_keys || label.key == kTraceIdLabel || label.key == kSpanIdLabel;
      }
      out.insert(out.end(), labels.begin(), labels.end());
    }
    if (row.sample->link) {
      WriteLink(dictionary_.links[row.sample->link.value], has_link_keys);
    } else if (has_link_keys) {
      EscapeLinkLookalike(first_label);
    }
    const auto add_number = [&](std::string_view key, uint64_t number, std::string_view unit) {
      out.push_back({.key = key,
                     .is_number = true,
                     .text = {},
                     .number = static_cast<int64_t>(number),
                     .unit = unit});
    };
    if (row.has_time)
      add_number(row.is_event ? kEventLabel : kTimestampLabel, row.time_unix_nano, kTimeUnit);
    if (adds_up_ || options_.plain)
      return;
    if (bundles_.bundles.size() > 1)
      add_number(kBundleLabel, row.group, {});
    const std::vector<uint32_t>& profiles = bundles_.bundles[row.group].profile_columns;
    for (uint32_t column = 0; column < profiles.size(); ++column) {
      const bool is_absent =
          profiles[column] != kNoProfile &&
          std::ranges::find(row.values, column, &std::pair<uint32_t, int64_t>::first) ==
              row.values.end();
      if (is_absent)
        add_number(kAbsentLabel, column, kColumnUnit);
    }
  }

  // Attributes that would be read back as a link although the sample has none.
  void EscapeLinkLookalike(size_t first_label) {
    Label* trace = nullptr;
    Label* span = nullptr;
    for (size_t i = first_label; i < profile_.sample_labels.size(); ++i) {
      Label& label = profile_.sample_labels[i];
      if (label.key == kTraceIdLabel)
        trace = &label;
      if (label.key == kSpanIdLabel)
        span = &label;
    }
    if (trace == nullptr || span == nullptr || !IsHexId(trace->text, kTraceIdBytes) ||
        !IsHexId(span->text, kSpanIdBytes)) {
      return;
    }
    trace->text = profile_.arena.Copy(EscapeText(trace->text));
    span->text = profile_.arena.Copy(EscapeText(span->text));
  }

  void WriteLink(const model::Link& link, bool keys_are_taken) {
    const std::string trace = base::HexEncode(link.trace_id);
    const std::string span = base::HexEncode(link.span_id);
    const auto is_zero = [](std::string_view id) {
      return id.find_first_not_of('\0') == std::string_view::npos;
    };
    const bool is_whole = link.trace_id.size() == kTraceIdBytes &&
                          link.span_id.size() == kSpanIdBytes && !is_zero(link.trace_id) &&
                          !is_zero(link.span_id);
    if (!is_whole) {
      warnings_.Add("a link whose ids are not 16 and 8 bytes, or all zero; left out",
                    StrCat(trace, "-", span));
      return;
    }
    const auto add_text = [&](std::string_view key, std::string_view text) {
      profile_.sample_labels.push_back({.key = key,
                                        .is_number = false,
                                        .text = profile_.arena.Copy(text),
                                        .number = 0,
                                        .unit = {}});
    };
    if (keys_are_taken) {
      add_text(kLinkLabel, StrCat(trace, "-", span));
    } else {
      add_text(kTraceIdLabel, trace);
      add_text(kSpanIdLabel, span);
    }
  }

  // A comment with the envelope, unless the profile implies just that one.
  absl::Status StoreEnvelope(const EntryIds& ids, const Extras& extras) {
    if (options_.plain)
      return absl::OkStatus();
    if (adds_up_ && !(extras.mappings.empty() && extras.locations.empty())) {
      warnings_.Add(
          "attributes of frames and mappings have no place in added-up pprof; left out",
          StrCat(extras.locations.size(), " locations, ", extras.mappings.size(), " mappings"));
    }
    if (adds_up_ || batch_.resources.empty()) {
      return absl::OkStatus();
    }
    model::BatchBuilder builder(model::Grouping::kNone);
    builder.MergeEnvelope(batch_);
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

  // The profile must outlive the batch, so all text that still points into it is copied, each once.
  void OwnText() {
    absl::flat_hash_map<std::string_view, std::string_view> copies;
    const auto own = [&](std::string_view* text) {
      if (text->empty())
        return;
      const auto [it, added] = copies.try_emplace(*text, *text);
      if (added)
        it->second = profile_.arena.Copy(*text);
      *text = it->second;
    };
    for (ValueType& type : profile_.sample_types)
      own(&type.type), own(&type.unit);
    for (Mapping& mapping : profile_.mappings)
      own(&mapping.filename), own(&mapping.build_id);
    for (Function& function : profile_.functions) {
      own(&function.name), own(&function.system_name), own(&function.filename);
    }
    for (Label& label : profile_.sample_labels)
      own(&label.key), own(&label.text), own(&label.unit);
    for (std::string_view& comment : profile_.comments)
      own(&comment);
    for (std::string_view* text :
         {&profile_.drop_frames, &profile_.keep_frames, &profile_.default_sample_type,
          &profile_.doc_url, &profile_.period_type.type, &profile_.period_type.unit}) {
      own(text);
    }
  }

  const model::Batch& batch_;
  const model::Dictionary& dictionary_;
  const FromOtlpOptions& options_;
  base::Warnings& warnings_;
  Profile profile_;
  Bundles bundles_;
  bool adds_up_ = false;
  std::vector<Row> rows_;
  absl::flat_hash_map<RowKey, size_t> row_positions_;
  std::vector<std::vector<Label>> labels_of_attribute_;
};

}  // namespace

absl::StatusOr<Profile> FromOtlp(const model::Batch& batch, const FromOtlpOptions& options,
                                 base::Warnings* warnings) {
  return Backward(batch, options, warnings).Convert();
}

}  // namespace flarestack::codec::pprof
