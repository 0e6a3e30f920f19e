// SPDX-License-Identifier: Apache-2.0
#include "codec/pprof/to_otlp.h"

#include <algorithm>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "base/status.h"
#include "base/text/encoding.h"
#include "base/text/text.h"
#include "codec/pprof/bundles.h"
#include "codec/pprof/envelope.h"
#include "codec/pprof/label_values.h"
#include "codec/pprof/message/mapping_keys.h"
#include "model/builder/batch_builder.h"
#include "model/validation/validate.h"

namespace flarestack::codec::pprof {
namespace {

using base::StrCat;
using model::AnyValue;

constexpr size_t kLocationsReserveMax = 1 << 27;
constexpr size_t kReserveMax = 1 << 24;  // the sample count is untrusted input

// The information in the labels of a sample other than attributes.
struct SampleMarks {
  std::optional<uint64_t> time_unix_nano;
  bool is_event = false;  // the value only counts the event
  uint32_t bundle = 0;
  std::vector<uint32_t> absent_columns;
  model::LinkIndex link;
};

class Forward {
 public:
  Forward(const Profile& tables, const SampleTotals& totals, base::Warnings* warnings)
      : tables_(tables),
        totals_(totals),
        warnings_(*warnings),
        builder_(model::Grouping::kNone),
        dictionary_(builder_.dictionary()) {}

  absl::StatusOr<model::Batch> Convert(EachSample each_sample) {
    FLARE_RETURN_IF_ERROR(AddEnvelope());
    samples_.resize(builder_.batch().profiles.size());
    if (bundles_.bundles.size() == 1) {
      const size_t expected = std::min<size_t>(totals_.samples, kReserveMax);
      for (std::vector<model::Sample>& list : samples_)
        list.reserve(expected);
    }
    // A location needs at least one byte of its sample. Untouched memory costs nothing.
    dictionary_.ReserveStackLocations(std::min<size_t>(totals_.bytes, kLocationsReserveMax));
    FLARE_RETURN_IF_ERROR(each_sample([&](const SampleView& sample) { return AddSample(sample); }));
    FlushEvents();
    size_t total = 0;
    for (const std::vector<model::Sample>& list : samples_)
      total += list.size();
    builder_.ReserveSamples(total);
    for (size_t i = 0; i < samples_.size(); ++i) {
      builder_.SetSamples(static_cast<uint32_t>(i), samples_[i]);
      samples_[i] = {};
    }
    FLARE_ASSIGN(model::Batch batch, std::move(builder_).Finish());
    model::RepairText(&batch, &warnings_);
    return batch;
  }

 private:
  // The tables come first: the ids to keep are known only after equal entries are merged.
  absl::Status AddEnvelope() {
    FLARE_RETURN_IF_ERROR(FindStoredEnvelope());
    if (tables_.time_nanos < 0 || tables_.duration_nanos < 0) {
      warnings_.Add(
          "negative time or duration; kept unchanged",
          StrCat("time_nanos ", tables_.time_nanos, ", duration_nanos ", tables_.duration_nanos));
    }
    AddMappings();
    AddFunctionsAndLocations();
    if (!stored_.has_value()) {
      FLARE_ASSIGN(stored_, ImpliedEnvelope(tables_, KeptIds()));
    }
    bundles_ = BundlesOf(*stored_);
    builder_.MergeEnvelope(*stored_);
    return dictionary_.status();
  }

  // A stored envelope is used only if it matches the sample types; another tool may have changed
  // them.
  absl::Status FindStoredEnvelope() {
    for (const std::string_view comment : tables_.comments) {
      if (!IsEnvelope(comment))
        continue;
      auto envelope = DecodeEnvelope(comment, &warnings_);
      if (!envelope.ok()) {
        warnings_.Add("the stored OTLP envelope cannot be read; the profile is read as plain pprof",
                      base::Message(envelope.status()));
        continue;
      }
      const Bundles bundles = BundlesOf(*envelope);
      const bool fits = std::ranges::equal(
          bundles.columns, tables_.sample_types,
          [](const Column& a, const ValueType& b) { return a.type == b.type && a.unit == b.unit; });
      if (!fits) {
        warnings_.Add(
            "the stored OTLP envelope does not match the sample types; the profile is read as "
            "plain "
            "pprof",
            "");
        continue;
      }
      stored_ = *std::move(envelope);
      for (const model::Mapping& mapping : stored_->dictionary.mappings) {
        mapping_extras_.try_emplace(mapping.memory_start, mapping.attributes);
      }
      for (const model::Location& location : stored_->dictionary.locations) {
        location_extras_.try_emplace(location.address, location.attributes);
      }
      return absl::OkStatus();
    }
    return absl::OkStatus();
  }

  void AppendExtras(const absl::flat_hash_map<uint64_t, model::Slice>& extras, uint64_t id,
                    std::vector<model::AttributeIndex>* out) {
    const auto it = extras.find(id);
    if (it == extras.end())
      return;
    const model::Dictionary& from = stored_->dictionary;
    for (const model::AttributeIndex index : model::In(from.attribute_indices, it->second)) {
      const model::Attribute& attribute = from.attributes[index.value];
      out->push_back(dictionary_.Attribute(dictionary_.String(from.Text(attribute.key)),
                                           dictionary_.String(from.Text(attribute.unit)), from,
                                           attribute.value));
    }
  }

  void AddMappings() {
    std::vector<model::AttributeIndex> attributes;
    for (const Mapping& mapping : tables_.mappings) {
      attributes.clear();
      if (!mapping.build_id.empty()) {
        const bool is_go = mapping.build_id.find('/') != std::string_view::npos;
        attributes.push_back(dictionary_.Attribute(is_go ? kBuildIdGoKey : kBuildIdGnuKey,
                                                   AnyValue::String(mapping.build_id)));
      }
      const auto add_flag = [&](std::string_view key, bool flag) {
        if (flag)
          attributes.push_back(dictionary_.Attribute(key, AnyValue::Bool(true)));
      };
      add_flag(kHasFunctionsKey, mapping.has_functions);
      add_flag(kHasFilenamesKey, mapping.has_filenames);
      add_flag(kHasLineNumbersKey, mapping.has_line_numbers);
      add_flag(kHasInlineFramesKey, mapping.has_inline_frames);
      AppendExtras(mapping_extras_, mapping.id, &attributes);
      const bool is_unknown = attributes.empty() && mapping.memory_start == 0 &&
                              mapping.memory_limit == 0 && mapping.file_offset == 0 &&
                              mapping.filename.empty();
      add_flag(kUnknownMappingKey, is_unknown);
      const model::Mapping fields = {.memory_start = mapping.memory_start,
                                     .memory_limit = mapping.memory_limit,
                                     .file_offset = mapping.file_offset,
                                     .filename = dictionary_.String(mapping.filename),
                                     .attributes = {}};
      mappings_.push_back(dictionary_.Mapping(fields, attributes));
    }
  }

  void AddFunctionsAndLocations() {
    for (const Function& function : tables_.functions) {
      functions_.push_back(
          dictionary_.Function({.name = dictionary_.String(function.name),
                                .system_name = dictionary_.String(function.system_name),
                                .filename = dictionary_.String(function.filename),
                                .start_line = function.start_line}));
    }
    std::vector<model::Line> lines;
    std::vector<model::AttributeIndex> attributes;
    for (const Location& location : tables_.locations) {
      lines.clear();
      attributes.clear();
      for (const Line& line : model::In(tables_.lines, location.lines)) {
        lines.push_back(
            {.function = functions_[line.function], .line = line.line, .column = line.column});
      }
      if (location.is_folded)
        attributes.push_back(dictionary_.Attribute(kIsFoldedKey, AnyValue::Bool(true)));
      AppendExtras(location_extras_, location.id, &attributes);
      const model::MappingIndex mapping =
          location.mapping == kNoMapping ? model::MappingIndex{} : mappings_[location.mapping];
      locations_.push_back(dictionary_.Location(
          {.mapping = mapping, .address = location.address, .lines = {}, .attributes = {}}, lines,
          attributes));
    }
  }

  // The ids of the entries in the order of our tables, if they are not simply 1, 2, 3...
  template <typename Entry, typename Index>
  static std::vector<uint64_t> KeptIds(const std::vector<Entry>& entries,
                                       const std::vector<Index>& indices) {
    bool is_plain = true;
    for (size_t i = 0; i < entries.size(); ++i)
      is_plain = is_plain && entries[i].id == i + 1;
    if (is_plain)
      return {};
    std::vector<uint64_t> ids;
    for (size_t i = 0; i < entries.size(); ++i) {
      if (indices[i].value == ids.size() + 1)
        ids.push_back(entries[i].id);  // the first entry with this content
    }
    return ids;
  }
  EntryIds KeptIds() const {
    return {.mappings = KeptIds(tables_.mappings, mappings_),
            .locations = KeptIds(tables_.locations, locations_),
            .functions = KeptIds(tables_.functions, functions_)};
  }

  absl::Status AddSample(const SampleView& sample) {
    const SampleMarks marks = TakeMarks(sample.labels);
    attributes_.clear();
    if (!plain_labels_.empty())
      AppendAttributes(plain_labels_, &dictionary_, &attributes_);
    stack_.clear();
    for (const uint32_t location : sample.locations)
      stack_.push_back(locations_[location]);
    const model::StackIndex stack = dictionary_.Stack(stack_);
    if (marks.bundle >= bundles_.bundles.size()) {
      return absl::InvalidArgumentError(StrCat("label ", kBundleLabel, " is ", marks.bundle,
                                               ", but there are ", bundles_.bundles.size(),
                                               " groups of profiles"));
    }
    if (marks.time_unix_nano.has_value()) {
      AddEvent(marks, stack, sample.values);
      return absl::OkStatus();
    }
    FlushEvents();
    model::Sample added = {.stack = stack,
                           .link = marks.link,
                           .attributes = dictionary_.AttributeList(attributes_),
                           .values = {},
                           .timestamps = {}};
    const model::Slice values = builder_.Values(sample.values);
    const Bundle& bundle = bundles_.bundles[marks.bundle];
    for (uint32_t column = 0; column < sample.values.size(); ++column) {
      const uint32_t profile = bundle.profile_columns[column];
      if (profile == kNoProfile || std::ranges::count(marks.absent_columns, column) > 0)
        continue;
      added.values = {.begin = values.begin + column, .count = 1};
      samples_[profile].push_back(added);
    }
    return absl::OkStatus();
  }

  // Separates our marks from the plain labels.
  SampleMarks TakeMarks(std::span<const Label> labels) {
    SampleMarks marks;
    plain_labels_.clear();
    for (const Label& label : labels) {
      if (label.is_number && (label.key == kTimestampLabel || label.key == kEventLabel)) {
        marks.time_unix_nano = static_cast<uint64_t>(label.number);
        marks.is_event = label.key == kEventLabel;
      } else if (label.is_number && label.key == kBundleLabel) {
        marks.bundle = static_cast<uint32_t>(std::clamp<int64_t>(label.number, 0, kNoProfile - 1));
      } else if (label.is_number && label.key == kAbsentLabel) {
        marks.absent_columns.push_back(static_cast<uint32_t>(label.number));
      } else if (label.key == kLinkLabel && label.text.size() == 49 &&
                 IsHexId(label.text.substr(0, 32), kTraceIdBytes) &&
                 IsHexId(label.text.substr(33), kSpanIdBytes)) {
        marks.link = LinkOf(label.text.substr(0, 32), label.text.substr(33));
      } else {
        plain_labels_.push_back(label);
      }
    }
    if (!marks.link)
      TakeLink(&marks);
    return marks;
  }

  // trace_id and span_id are a link if each occurs once and both are ids. If both are ids in
  // escaped form, they are plain texts.
  void TakeLink(SampleMarks* marks) {
    Label* trace = FindOnly(kTraceIdLabel);
    Label* span = FindOnly(kSpanIdLabel);
    if (trace == nullptr || span == nullptr)
      return;
    if (IsHexId(trace->text, kTraceIdBytes) && IsHexId(span->text, kSpanIdBytes)) {
      marks->link = LinkOf(trace->text, span->text);
      std::erase_if(plain_labels_, [](const Label& label) {
        return label.key == kTraceIdLabel || label.key == kSpanIdLabel;
      });
      return;
    }
    const std::string_view trace_text = InsideEscape(trace->text, kTraceIdBytes);
    const std::string_view span_text = InsideEscape(span->text, kSpanIdBytes);
    if (trace_text.empty() || span_text.empty())
      return;
    trace->text = trace_text;
    span->text = span_text;
  }

  // Returns the text label with this key, if it is the only one.
  Label* FindOnly(std::string_view key) {
    Label* found = nullptr;
    for (Label& label : plain_labels_) {
      if (label.key != key)
        continue;
      if (found != nullptr || label.is_number)
        return nullptr;
      found = &label;
    }
    return found;
  }

  // Returns the id in an escaped text (EscapeText), or an empty text.
  static std::string_view InsideEscape(std::string_view text, size_t id_bytes) {
    const size_t start = text.find(":\"");
    if (start == std::string_view::npos)
      return {};
    const std::string_view id = text.substr(start + 2, id_bytes * 2);
    return IsHexId(id, id_bytes) && EscapeText(id) == text ? id : std::string_view();
  }

  model::LinkIndex LinkOf(std::string_view trace_hex, std::string_view span_hex) {
    const std::string trace = base::HexDecode(trace_hex).value_or("");
    const std::string span = base::HexDecode(span_hex).value_or("");
    return dictionary_.Link({.trace_id = trace, .span_id = span});
  }

  // Adjacent samples that differ only in their time are the observations of one OTLP sample.
  void AddEvent(const SampleMarks& marks, model::StackIndex stack,
                std::span<const int64_t> values) {
    const bool goes_on =
        !events_.times.empty() && events_.stack == stack && events_.marks.link == marks.link &&
        events_.marks.bundle == marks.bundle && events_.marks.is_event == marks.is_event &&
        events_.marks.absent_columns == marks.absent_columns && events_.attributes == attributes_;
    if (!goes_on) {
      FlushEvents();
      events_.stack = stack;
      events_.marks = marks;
      events_.attributes = attributes_;
    }
    events_.times.push_back(*marks.time_unix_nano);
    events_.values.insert(events_.values.end(), values.begin(), values.end());
  }

  void FlushEvents() {
    if (events_.times.empty())
      return;
    model::Sample sample = {.stack = events_.stack,
                            .link = events_.marks.link,
                            .attributes = dictionary_.AttributeList(events_.attributes),
                            .values = {},
                            .timestamps = builder_.Timestamps(events_.times)};
    const Bundle& bundle = bundles_.bundles[events_.marks.bundle];
    const size_t columns = bundle.profile_columns.size();
    std::vector<int64_t> column_values;
    for (uint32_t column = 0; column < columns; ++column) {
      const uint32_t profile = bundle.profile_columns[column];
      if (profile == kNoProfile || std::ranges::count(events_.marks.absent_columns, column) > 0)
        continue;
      sample.values = {};
      if (!events_.marks.is_event) {
        column_values.clear();
        for (size_t i = column; i < events_.values.size(); i += columns)
          column_values.push_back(events_.values[i]);
        sample.values = builder_.Values(column_values);
      }
      samples_[profile].push_back(sample);
    }
    events_.times.clear();
    events_.values.clear();
  }

  struct Events {
    model::StackIndex stack;
    SampleMarks marks;
    std::vector<model::AttributeIndex> attributes;
    std::vector<uint64_t> times;
    std::vector<int64_t> values;  // row by row
  };

  const Profile& tables_;
  const SampleTotals& totals_;
  base::Warnings& warnings_;
  model::BatchBuilder builder_;
  model::DictionaryBuilder& dictionary_;
  std::optional<model::Batch> stored_;
  Bundles bundles_;
  absl::flat_hash_map<uint64_t, model::Slice> mapping_extras_;   // by pprof id
  absl::flat_hash_map<uint64_t, model::Slice> location_extras_;  // by pprof id
  std::vector<model::MappingIndex> mappings_;                    // by position in the pprof table
  std::vector<model::FunctionIndex> functions_;
  std::vector<model::LocationIndex> locations_;
  std::vector<std::vector<model::Sample>> samples_;  // by profile
  Events events_;
  std::vector<Label> plain_labels_;                // scratch
  std::vector<model::AttributeIndex> attributes_;  // scratch
  std::vector<model::LocationIndex> stack_;        // scratch
};

}  // namespace

absl::StatusOr<model::Batch> ToOtlp(const Profile& tables, const SampleTotals& totals,
                                    EachSample each_sample, base::Warnings* warnings) {
  return Forward(tables, totals, warnings).Convert(each_sample);
}

absl::StatusOr<model::Batch> ToOtlp(const Profile& profile, base::Warnings* warnings) {
  return ToOtlp(
      profile, {.samples = profile.samples.size()},
      [&](VisitSample visit) { return VisitSamples(profile, visit); }, warnings);
}

}  // namespace flarestack::codec::pprof
