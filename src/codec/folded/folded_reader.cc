// SPDX-License-Identifier: Apache-2.0
#include "codec/folded/folded.h"

#include <optional>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "base/status.h"
#include "base/text/encoding.h"
#include "codec/folded/folded_line.h"
#include "codec/format/stack_table.h"
#include "model/builder/batch_builder.h"

namespace flarestack::codec::folded {
namespace {

// Detection looks at this much text. The first line may be a deep stack, and finding the end of a
// line is cheap.
constexpr size_t kJudgedBytes = size_t{64} << 10;
constexpr size_t kFirstLineBytesMax = size_t{16} << 20;

bool Recognises(std::string_view bytes) {
  const std::string_view judged = bytes.substr(0, kJudgedBytes);
  // The examined part may end inside a character, with up to three of its bytes.
  bool is_utf8 = false;
  for (size_t cut = 0; cut <= 3 && cut <= judged.size() && !is_utf8; ++cut) {
    is_utf8 = (cut == 0 || judged.size() == kJudgedBytes) &&
              base::IsValidUtf8(judged.substr(0, judged.size() - cut));
  }
  if (!is_utf8 || judged.find('\0') != std::string_view::npos) {
    return false;
  }
  std::string_view rest = bytes.substr(0, kFirstLineBytesMax);
  while (!rest.empty()) {
    const std::string_view line = TakeLine(&rest);
    if (!IsSkipped(line)) {
      return ParseLine(line).ok();
    }
  }
  return false;
}

bool IsDifferential(std::string_view bytes) {
  bool has_lines = false;
  while (!bytes.empty()) {
    const std::string_view line = TakeLine(&bytes);
    if (line == kOneValueComment) {
      return false;
    }
    if (IsSkipped(line)) {
      continue;
    }
    if (!ParseTwoValues(line).has_value()) {
      return false;
    }
    has_lines = true;
  }
  return has_lines;
}

class FoldedReading {
 public:
  explicit FoldedReading(const ReadOptions& options) : options_(options) {}

  // Returns kInvalidArgument if a sum overflows.
  absl::Status Add(std::string_view stack_text, int64_t first, int64_t second) {
    const model::StackIndex stack = Stack(stack_text);
    if (stack.value >= position_of_stack_.size()) {
      position_of_stack_.resize(stack.value + 1, 0);
    }
    uint32_t& position = position_of_stack_[stack.value];
    if (position == 0) {
      sums_.push_back({.stack = stack});
      position = static_cast<uint32_t>(sums_.size());
    }
    Sum& sum = sums_[position - 1];
    if (__builtin_add_overflow(sum.first, first, &sum.first) ||
        __builtin_add_overflow(sum.second, second, &sum.second)) {
      return absl::InvalidArgumentError("the sum of this stack does not fit into 63 bits");
    }
    return absl::OkStatus();
  }

  absl::StatusOr<model::Batch> Finish(bool is_differential) && {
    const model::ScopeId scope = builder_.AddScope(builder_.AddResource({}), {});
    AddProfile(scope, is_differential ? "before" : "samples", &Sum::first);
    if (is_differential) {
      AddProfile(scope, "after", &Sum::second);
    }
    return std::move(builder_).Finish();
  }

 private:
  struct Sum {
    model::StackIndex stack;
    int64_t first = 0;
    int64_t second = 0;
  };

  void AddProfile(model::ScopeId scope, std::string_view type, int64_t Sum::*value) {
    model::DictionaryBuilder& dictionary = builder_.dictionary();
    model::Profile profile;
    profile.sample_type = {.type = dictionary.String(type), .unit = dictionary.String("count")};
    builder_.AddProfile(scope, profile);
    for (const Sum& sum : sums_) {
      model::Sample sample;
      sample.stack = sum.stack;
      sample.values = builder_.Values({{sum.*value}});
      builder_.AddSample(sample);
    }
  }

  model::StackIndex Stack(std::string_view text) {
    if (text.empty() || text == kNoStack) {
      return {};
    }
    locations_.clear();
    // OTLP stacks are leaf first, so walk the text backwards.
    for (size_t end = text.size();;) {
      const size_t semicolon = end == 0 ? std::string_view::npos : text.rfind(';', end - 1);
      const size_t begin = semicolon == std::string_view::npos ? 0 : semicolon + 1;
      locations_.push_back(Location(text.substr(begin, end - begin)));
      if (semicolon == std::string_view::npos) {
        break;
      }
      end = semicolon;
    }
    return builder_.dictionary().Stack(locations_);
  }

  model::LocationIndex Location(std::string_view name) {
    const auto [it, added] = location_of_name_.try_emplace(name);
    if (!added) {
      return it->second;
    }
    std::string bent;
    std::string_view kept = name;
    if (name.empty()) {
      options_.warnings->Add("frame without a name", "read as [unknown]");
      kept = kUnknownFrame;
    } else if (!base::IsValidUtf8(name)) {
      bent = base::ToValidUtf8(name);
      options_.warnings->Add("frame name that is not UTF-8", bent);
      kept = bent;
    }
    model::DictionaryBuilder& dictionary = builder_.dictionary();
    model::Function function;
    function.name = dictionary.String(kept);
    const model::Line line = {.function = dictionary.Function(function)};
    const bool is_kernel = kept.ends_with("_[k]");
    std::vector<model::AttributeIndex> attributes;
    if (is_kernel) {
      attributes.push_back(
          dictionary.Attribute("profile.frame.type", model::AnyValue::String("kernel")));
    }
    it->second = dictionary.Location({}, {&line, 1}, attributes);
    return it->second;
  }

  const ReadOptions& options_;
  model::BatchBuilder builder_;
  absl::flat_hash_map<std::string_view, model::LocationIndex> location_of_name_;
  std::vector<model::LocationIndex> locations_;  // scratch
  std::vector<uint32_t> position_of_stack_;      // in sums_, plus one
  std::vector<Sum> sums_;                        // in the order of first appearance
};

absl::Status AddLine(std::string_view line, bool is_differential, const ReadOptions& options,
                     FoldedReading* reading) {
  if (is_differential) {
    const std::optional<StackAndTwoValues> parsed = ParseTwoValues(line);
    return reading->Add(parsed->stack, parsed->before, parsed->after);
  }
  FLARE_ASSIGN(const StackAndValue parsed, ParseLine(line));
  if (parsed.is_rounded) {
    options.warnings->Add("value rounded to a whole number", line.substr(line.rfind(' ') + 1));
  }
  return reading->Add(parsed.stack, parsed.value, 0);
}

absl::Status Read(std::string_view bytes, const ReadOptions& options, EmitBatch emit) {
  const bool is_differential = IsDifferential(bytes);
  FoldedReading reading(options);
  for (uint64_t number = 1; !bytes.empty(); ++number) {
    const std::string_view line = TakeLine(&bytes);
    if (!IsSkipped(line)) {
      FLARE_RETURN_IF_ERROR(base::WithContext(base::StrCat("line ", number),
                                              AddLine(line, is_differential, options, &reading)));
    }
  }
  FLARE_ASSIGN(model::Batch batch, std::move(reading).Finish(is_differential));
  return emit(std::move(batch));
}

}  // namespace

const Reader kFoldedReader = {
    .name = "folded",
    .summary = "folded (collapsed) stacks, one per line: a;b;c 12",
    .recognises = Recognises,
    .read = Read,
};

}  // namespace flarestack::codec::folded
