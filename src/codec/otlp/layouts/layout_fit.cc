// SPDX-License-Identifier: Apache-2.0
#include "codec/otlp/layouts/layout_fit.h"

#include <algorithm>
#include <optional>
#include <vector>

#include "base/text/text.h"
#include "codec/otlp/layouts/layout_schema.h"
#include "codec/wire/reader.h"

namespace flarestack::codec::otlp {
namespace {

using base::StrCat;
using wire::kBytes;
using wire::kFixed64;
using wire::kVarint;
using wire::Reader;

constexpr size_t kProfileIdBytes = 16;

std::string_view TypeName(wire::WireType type) {
  switch (type) {
    case kVarint:
      return "a number";
    case kFixed64:
      return "eight bytes";
    case kBytes:
      return "bytes";
    case wire::kFixed32:
      return "four bytes";
    case wire::kGroupBegin:
    case wire::kGroupEnd:
      return "a group";
  }
  return "an unknown type";
}

bool HasType(FieldKind kind, wire::WireType type) {
  switch (kind) {
    case FieldKind::kNumber:
      return type == kVarint;
    case FieldKind::kFixed64:
      return type == kFixed64;
    case FieldKind::kNumbers:
      return type == kVarint || type == kBytes;
    case FieldKind::kFixed64s:
      return type == kFixed64 || type == kBytes;
    case FieldKind::kBytes:
    case FieldKind::kPart:
    case FieldKind::kOnePart:
      return type == kBytes;
  }
  return false;
}

class Walk {
 public:
  explicit Walk(Layout layout) : layout_(layout) {}

  LayoutFit Run(std::string_view message) {
    // The dictionary may come after the fields that refer to it.
    if (layout_ >= Layout::k18)
      CountTables(message);
    Visit(Part::kMessage, message);
    NoteDoubts();
    return std::move(fit_);
  }

 private:
  struct Sample {
    std::vector<uint64_t> attributes;
    uint64_t stack = 0;
    uint64_t link = 0;
    uint64_t value_count = 0;
    uint64_t value_bytes = 0;  // packed
    uint64_t time_count = 0;
    uint32_t unknown_field = 0;
    bool has_values = false;
    bool has_times = false;
    bool has_single_value = false;  // a value that is not packed
    bool has_packed_attributes = false;
  };

  void CountTables(std::string_view message) {
    wire::Fault fault;
    for (Reader in(message, &fault); in.Next();) {
      if (in.tag() != wire::Tag(2, kBytes)) {
        in.Skip();
        continue;
      }
      for (Reader table = in.Message(); table.Next(); table.Skip()) {
        if (table.field() < std::size(table_sizes_))
          ++table_sizes_[table.field()];
      }
    }
  }

  void Contradict(std::string text, bool is_on_wire) {
    if (!fit_.contradiction.empty() && (fit_.is_wire_contradiction || !is_on_wire))
      return;
    fit_.contradiction = std::move(text);
    fit_.is_wire_contradiction = is_on_wire;
  }

  void Visit(Part part, std::string_view bytes) {
    const std::span<const SchemaField> fields = FieldsOf(layout_, part);
    uint32_t seen_once = 0;
    Sample sample;
    wire::Fault fault;
    for (Reader in(bytes, &fault); in.Next();) {
      const uint32_t number = in.field();
      const auto field = std::ranges::find(fields, number, &SchemaField::number);
      if (field == fields.end()) {
        ++fit_.unknown_fields;
        sample.unknown_field = number;
        in.Skip();
        continue;
      }
      if (!HasType(field->kind, in.type())) {
        Contradict(StrCat(PartName(part), ".", field->name, " (field ", number, ") as ",
                          TypeName(in.type())),
                   true);
        in.Skip();
        continue;
      }
      if (field->kind == FieldKind::kOnePart) {
        if ((seen_once >> number & 1) != 0)
          Contradict(StrCat(PartName(part), ".", field->name, " (field ", number, ") twice"),
                     false);
        seen_once |= 1u << number;
      }
      VisitField(part, *field, in, &sample);
    }
    if (fault.is_set())
      Contradict(StrCat(PartName(part), ": ", fault.what), true);
    if (part == Part::kSample && layout_ >= Layout::k18)
      JudgeSample(sample);
  }

  void VisitField(Part part, const SchemaField& field, Reader& in, Sample* sample) {
    switch (field.kind) {
      case FieldKind::kNumber: {
        const uint64_t value = in.Varint();
        if (field.role == FieldRole::kStack)
          sample->stack = value;
        if (field.role == FieldRole::kLink)
          sample->link = value;
        return;
      }
      case FieldKind::kFixed64:
        in.Fixed64();
        return;
      case FieldKind::kNumbers:
        return VisitNumbers(part, field, in, sample);
      case FieldKind::kFixed64s:
        sample->has_times = true;
        if (in.type() == kFixed64) {
          in.Fixed64();
          ++sample->time_count;
          return;
        }
        if (const size_t size = in.Bytes().size(); size % sizeof(uint64_t) == 0)
          sample->time_count += size / sizeof(uint64_t);
        else
          Contradict(
              StrCat(PartName(part), ".", field.name, " whose length is not a multiple of 8"),
              true);
        return;
      case FieldKind::kBytes: {
        const std::string_view bytes = in.Bytes();
        if (field.role == FieldRole::kProfileId && !bytes.empty() &&
            bytes.size() != kProfileIdBytes)
          Contradict(StrCat("a profile_id of ", bytes.size(), " bytes"), false);
        return;
      }
      case FieldKind::kPart:
      case FieldKind::kOnePart: {
        const std::string_view bytes = in.Bytes();
        if (field.part != Part::kOpaque)
          Visit(field.part, bytes);
        return;
      }
    }
  }

  void VisitNumbers(Part part, const SchemaField& field, Reader& in, Sample* sample) {
    const bool is_packed = in.type() == kBytes;
    const auto take = [&](uint64_t value) {
      if (field.role == FieldRole::kValues)
        ++sample->value_count;
      if (field.role == FieldRole::kAttributes)
        sample->attributes.push_back(value);
      if (field.role == FieldRole::kComments && value >= table_sizes_[kStrings])
        Contradict(StrCat("a comment that is string ", value, " of ", table_sizes_[kStrings]),
                   false);
      if (field.role == FieldRole::kProfileAttributes && value >= table_sizes_[kAttributes])
        Contradict(StrCat("a profile of attribute ", value, " of ", table_sizes_[kAttributes]),
                   false);
    };
    if (field.role == FieldRole::kValues) {
      sample->has_values = true;
      sample->has_single_value = sample->has_single_value || !is_packed;
    }
    if (field.role == FieldRole::kAttributes && is_packed)
      sample->has_packed_attributes = true;
    if (!is_packed)
      return take(in.Varint());
    const std::string_view bytes = in.Bytes();
    if (field.role == FieldRole::kValues)
      sample->value_bytes += bytes.size();
    wire::Fault fault;
    for (Reader packed(bytes, &fault); !packed.rest().empty() && !fault.is_set();)
      take(packed.Varint());
    if (fault.is_set())
      Contradict(StrCat(PartName(part), ".", field.name, " (field ", field.number,
                        ") that is not a list of numbers"),
                 true);
  }

  void JudgeSample(Sample& sample) {
    if (sample.stack >= std::max<uint64_t>(table_sizes_[kStacks], 1))
      Contradict(StrCat("a sample of stack ", sample.stack, " of ", table_sizes_[kStacks]), false);
    if (sample.link >= std::max<uint64_t>(table_sizes_[kLinks], 1))
      Contradict(StrCat("a sample of link ", sample.link, " of ", table_sizes_[kLinks]), false);
    std::ranges::sort(sample.attributes);
    for (size_t i = 0; i < sample.attributes.size(); ++i) {
      const uint64_t index = sample.attributes[i];
      if (index == 0)
        Contradict("a sample with the reserved attribute 0", false);
      if (index >= table_sizes_[kAttributes])
        Contradict(StrCat("a sample of attribute ", index, " of ", table_sizes_[kAttributes]),
                   false);
      if (i > 0 && index == sample.attributes[i - 1])
        Contradict(StrCat("a sample with attribute ", index, " twice"), false);
    }
    const bool is_blank = sample.attributes.empty() && sample.stack == 0 && sample.link == 0 &&
                          !sample.has_values && !sample.has_times;
    has_known_samples_ = has_known_samples_ || !is_blank;
    if (sample.unknown_field != 0)
      unknown_sample_field_ = sample.unknown_field;
    // A sample has one value, or one per timestamp. A different count, in exactly eight bytes per
    // expected value, means that the values are doubles.
    const uint64_t values_expected = std::max<uint64_t>(sample.time_count, 1);
    if (sample.value_count != values_expected &&
        sample.value_bytes == values_expected * sizeof(double))
      has_double_values_ = true;
    else if (sample.has_values)
      has_whole_values_ = true;
    has_measures_ = has_measures_ || sample.has_values || sample.has_times;
    has_attributes_ = has_attributes_ || !sample.attributes.empty();
    has_single_values_ = has_single_values_ || sample.has_single_value;
    has_packed_values_ = has_packed_values_ || (sample.has_values && !sample.has_single_value);
    has_packed_attributes_ = has_packed_attributes_ || sample.has_packed_attributes;
  }

  void NoteDoubts() {
    if (has_double_values_ && !has_whole_values_)
      Contradict("Sample.values as numbers of eight bytes", true);
    if (unknown_sample_field_ != 0 && !has_known_samples_)
      Contradict(StrCat("samples of nothing but field ", unknown_sample_field_), true);
    if (has_attributes_ && !has_measures_)
      fit_.doubt = "samples with attributes, and neither values nor timestamps";
    else if (has_single_values_ && !has_packed_values_ && has_packed_attributes_)
      fit_.doubt = "samples with packed attributes, and values that are not packed";
  }

  // Field numbers of the dictionary in 1.8 and later.
  static constexpr size_t kLinks = 4;
  static constexpr size_t kStrings = 5;
  static constexpr size_t kAttributes = 6;
  static constexpr size_t kStacks = 7;

  Layout layout_;
  LayoutFit fit_;
  uint64_t table_sizes_[8] = {};
  // Over all samples.
  bool has_known_samples_ = false;
  uint32_t unknown_sample_field_ = 0;
  bool has_double_values_ = false;
  bool has_whole_values_ = false;
  bool has_measures_ = false;
  bool has_attributes_ = false;
  bool has_single_values_ = false;
  bool has_packed_values_ = false;
  bool has_packed_attributes_ = false;
};

}  // namespace

LayoutFit FitLayout(std::string_view message, Layout layout) { return Walk(layout).Run(message); }

absl::StatusOr<Layout> JudgeLayout(std::string_view message) {
  const LayoutFit today = FitLayout(message, Layout::k110);
  // A doubt counts only together with fields that the current layout does not have.
  const bool is_doubtful = !today.doubt.empty() && today.unknown_fields > 0;
  if (today.fits() && !is_doubtful)
    return Layout::k110;
  std::optional<Layout> best;
  uint64_t best_unknown = 0;
  std::string others;
  for (const Layout older : {Layout::k19, Layout::k18, Layout::k17, Layout::k16, Layout::kUpTo15}) {
    const LayoutFit fit = FitLayout(message, older);
    if (!fit.fits()) {
      others += StrCat(", ", LayoutName(older), " has no ", fit.contradiction);
    } else if (!best || fit.unknown_fields < best_unknown) {
      best = older;
      best_unknown = fit.unknown_fields;
    }
  }
  // An older layout must explain at least as much as the current one.
  if (best && best_unknown <= today.unknown_fields && (best_unknown == 0 || !today.fits()))
    return *best;
  if (today.fits() || !today.is_wire_contradiction)
    return Layout::k110;
  return absl::InvalidArgumentError(StrCat(
      "OTLP profiles of no known layout: 1.10 or later has no ", today.contradiction, others));
}

}  // namespace flarestack::codec::otlp
