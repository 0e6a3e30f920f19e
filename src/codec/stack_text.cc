// SPDX-License-Identifier: Apache-2.0
#include "codec/stack_text.h"

#include <algorithm>
#include <limits>
#include <optional>

#include "absl/container/flat_hash_map.h"
#include "base/status.h"
#include "base/text.h"
#include "model/frames.h"

namespace flarestack::codec {
namespace {

int64_t SaturatingAdd(int64_t a, int64_t b) {
  int64_t sum = 0;
  if (__builtin_add_overflow(a, b, &sum)) {
    return b > 0 ? std::numeric_limits<int64_t>::max() : std::numeric_limits<int64_t>::min();
  }
  return sum;
}

// Makes the text of stacks out of the text of locations, each of which is made once.
class StackTextMaker {
 public:
  StackTextMaker(const model::Dictionary& dictionary, const StackRowOptions& options)
      : dictionary_(dictionary), options_(options), locations_(dictionary.locations.size()) {}

  absl::StatusOr<std::string> Text(model::StackIndex stack) {
    const auto locations =
        model::In(dictionary_.location_indices, dictionary_.stacks[stack.value].locations);
    if (locations.empty()) {
      return std::string(kNoStack);
    }
    std::string text;
    for (size_t i = locations.size(); i-- > 0;) {
      FLARE_ASSIGN(const std::string* part, LocationText(locations[i]));
      FLARE_RETURN_IF_ERROR(Spend(part->size() + 1));
      text.append(*part);
      if (i > 0) {
        text.push_back(';');
      }
    }
    return text;
  }

 private:
  // The functions at one location, the physical caller first.
  absl::StatusOr<const std::string*> LocationText(model::LocationIndex index) {
    std::optional<std::string>& text = locations_[index.value];
    if (text.has_value()) {
      return &*text;
    }
    text.emplace();
    const auto lines = model::In(dictionary_.lines, dictionary_.locations[index.value].lines);
    if (lines.empty()) {
      AppendName({.location = index, .function = {}, .filename = {}}, &*text);
    }
    for (size_t i = lines.size(); i-- > 0;) {
      const size_t size_before = text->size();
      AppendName({.location = index, .function = lines[i].function, .filename = {}}, &*text);
      FLARE_RETURN_IF_ERROR(Spend(text->size() - size_before + 1));
      if (i > 0) {
        text->push_back(';');
      }
    }
    return &*text;
  }

  void AppendName(const model::Frame& frame, std::string* text) {
    std::string name = model::FrameName(dictionary_, frame);
    if (name.empty()) {
      name = kUnknownFrame;
    }
    bool is_changed = false;
    for (char& c : name) {
      if (c == ';') {
        c = ':';
        is_changed = true;
      } else if (c == '\n' || c == '\r') {
        c = ' ';
        is_changed = true;
      }
    }
    if (is_changed) {
      options_.warnings->Add("frame name changed: `;` or a line break stood in it", name);
    }
    text->append(name);
  }

  absl::Status Spend(uint64_t bytes) {
    spent_bytes_ += bytes;
    if (spent_bytes_ > options_.bytes_max) {
      return absl::ResourceExhaustedError(
          base::StrCat("the stacks make more than ", options_.bytes_max, " bytes of text"));
    }
    return absl::OkStatus();
  }

  const model::Dictionary& dictionary_;
  const StackRowOptions& options_;
  std::vector<std::optional<std::string>> locations_;
  uint64_t spent_bytes_ = 0;
};

}  // namespace

absl::StatusOr<std::vector<StackRow>> StackRows(const model::Batch& batch,
                                                std::span<const SampleTypeView> types,
                                                const StackRowOptions& options) {
  StackTextMaker maker(batch.dictionary, options);
  std::vector<StackRow> rows;
  absl::flat_hash_map<std::string, size_t> row_of_text;
  std::vector<size_t> row_of_stack(batch.dictionary.stacks.size(), 0);  // plus one
  for (size_t t = 0; t < types.size(); ++t) {
    for (const StackWeight& sum : SumByStack(batch, types[t])) {
      size_t& row = row_of_stack[sum.stack.value];
      if (row == 0) {
        FLARE_ASSIGN(std::string text, maker.Text(sum.stack));
        const auto [it, added] = row_of_text.try_emplace(std::move(text), rows.size());
        if (added) {
          rows.push_back({.stack = {}, .weights = std::vector<int64_t>(types.size(), 0)});
        }
        row = it->second + 1;
      }
      int64_t& weight = rows[row - 1].weights[t];
      weight = SaturatingAdd(weight, sum.weight);
    }
  }
  // The texts move out of the map only now: each of them is held once.
  for (auto it = row_of_text.begin(); it != row_of_text.end();) {
    auto entry = row_of_text.extract(it++);
    rows[entry.mapped()].stack = std::move(entry.key());
  }
  std::ranges::sort(rows, {}, &StackRow::stack);
  return rows;
}

}  // namespace flarestack::codec
