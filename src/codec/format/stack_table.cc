// SPDX-License-Identifier: Apache-2.0
#include "codec/format/stack_table.h"

#include <algorithm>
#include <limits>
#include <numeric>

#include "absl/container/flat_hash_map.h"
#include "base/hash.h"
#include "base/saturating.h"
#include "base/status.h"
#include "base/text/text.h"
#include "model/builder/intern_table.h"
#include "model/frame.h"

namespace flarestack::codec {
class StackTable::Maker {
 public:
  Maker(const model::Dictionary& dictionary, const StackTableOptions& options, StackTable* table)
      : dictionary_(dictionary),
        options_(options),
        table_(*table),
        locations_(dictionary.locations.size()),
        row_of_stack_(dictionary.stacks.size(), kNoRow) {
    // This is by far the largest list, and each reallocation briefly keeps it in memory twice.
    table_.name_numbers_.reserve(dictionary.location_indices.size());
  }

  absl::Status Add(const model::StackWeight& sum, size_t type) {
    uint32_t& row = row_of_stack_[sum.stack.value];
    if (row == kNoRow)
      row = AddRow(sum.stack);
    int64_t& weight = table_.weights_[row * table_.type_count_ + type];
    weight = base::SaturatingAdd(weight, sum.weight);
    return table_.name_numbers_.size() < kNoRow
               ? absl::OkStatus()
               : absl::ResourceExhaustedError("the stacks have more than 2^32 frames");
  }

  absl::Status Finish() {
    FLARE_RETURN_IF_ERROR(CheckTextBytes());
    SortNames();
    const auto& numbers = table_.name_numbers_;
    std::ranges::sort(table_.rows_, [&](const Row& a, const Row& b) {
      return std::ranges::lexicographical_compare(model::In(numbers, a.names),
                                                  model::In(numbers, b.names));
    });
    return absl::OkStatus();
  }

 private:
  static constexpr uint32_t kNoRow = 0xffffffff;

  // Equal text gets the same row: stacks may differ only in addresses.
  uint32_t AddRow(model::StackIndex stack) {
    auto& numbers = table_.name_numbers_;
    const auto begin = static_cast<uint32_t>(numbers.size());
    const auto locations =
        model::In(dictionary_.location_indices, dictionary_.stacks[stack.value].locations);
    for (size_t i = locations.size(); i-- > 0;) {
      const model::Slice names = LocationNames(locations[i]);
      numbers.insert(numbers.end(), location_names_.begin() + names.begin,
                     location_names_.begin() + names.end());
    }
    if (locations.empty())
      numbers.push_back(NameNumber(std::string(kNoStack)));
    const auto next = static_cast<uint32_t>(table_.rows_.size());
    const model::Slice names = {.begin = begin,
                                .count = static_cast<uint32_t>(numbers.size()) - begin};
    const auto mine = model::In(numbers, names);
    const uint32_t row = known_rows_.FindOrAdd(
        base::Hash64(mine.data(), mine.size_bytes()), next, [&](uint32_t other) {
          return std::ranges::equal(model::In(numbers, table_.rows_[other].names), mine);
        });
    if (row == next) {
      table_.rows_.push_back({.names = names, .number = next});
      table_.weights_.resize(table_.weights_.size() + table_.type_count_, 0);
    } else {
      numbers.resize(begin);
    }
    return row;
  }

  // The functions at one location, physical caller first.
  model::Slice LocationNames(model::LocationIndex index) {
    model::Slice& names = locations_[index.value];
    if (!names.empty())
      return names;
    names.begin = static_cast<uint32_t>(location_names_.size());
    const auto lines = model::In(dictionary_.lines, dictionary_.locations[index.value].lines);
    if (lines.empty())
      location_names_.push_back(FrameNumber({.location = index, .function = {}, .filename = {}}));
    for (size_t i = lines.size(); i-- > 0;) {
      location_names_.push_back(
          FrameNumber({.location = index, .function = lines[i].function, .filename = {}}));
    }
    names.count = static_cast<uint32_t>(location_names_.size()) - names.begin;
    return names;
  }

  uint32_t FrameNumber(const model::Frame& frame) {
    std::string name = model::FrameName(dictionary_, frame);
    if (name.empty())
      name = kUnknownFrame;
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
    if (is_changed)
      options_.warnings->Add("frame name changed: it contained `;` or a line break", name);
    return NameNumber(std::move(name));
  }

  uint32_t NameNumber(std::string name) {
    const auto next = static_cast<uint32_t>(number_of_name_.size());
    return number_of_name_.try_emplace(std::move(name), next).first->second;
  }

  absl::Status CheckTextBytes() const {
    std::vector<uint64_t> bytes(number_of_name_.size());
    for (const auto& [name, number] : number_of_name_)
      bytes[number] = name.size() + 1;
    uint64_t sum = 0;
    for (const uint32_t number : table_.name_numbers_)
      sum += bytes[number];
    if (sum <= options_.bytes_max)
      return absl::OkStatus();
    return absl::ResourceExhaustedError(
        base::StrCat("the stacks exceed ", options_.bytes_max, " bytes of text"));
  }

  // Renumbers names from first appearance to text order, so that rows can be sorted by number.
  void SortNames() {
    table_.names_.resize(number_of_name_.size());
    std::vector<uint32_t> old_numbers(number_of_name_.size());
    for (auto it = number_of_name_.begin(); it != number_of_name_.end();) {
      auto entry = number_of_name_.extract(it++);
      table_.names_[entry.mapped()] = std::move(entry.key());
    }
    std::iota(old_numbers.begin(), old_numbers.end(), 0);
    std::ranges::sort(old_numbers, {},
                      [&](uint32_t number) -> const std::string& { return table_.names_[number]; });
    std::vector<uint32_t> new_numbers(old_numbers.size());
    std::vector<std::string> sorted(old_numbers.size());
    for (uint32_t i = 0; i < old_numbers.size(); ++i) {
      new_numbers[old_numbers[i]] = i;
      sorted[i] = std::move(table_.names_[old_numbers[i]]);
    }
    table_.names_ = std::move(sorted);
    for (uint32_t& number : table_.name_numbers_)
      number = new_numbers[number];
  }

  const model::Dictionary& dictionary_;
  const StackTableOptions& options_;
  StackTable& table_;
  std::vector<model::Slice> locations_;  // in location_names_; empty before the first use
  std::vector<uint32_t> location_names_;
  std::vector<uint32_t> row_of_stack_;
  absl::flat_hash_map<std::string, uint32_t> number_of_name_;
  model::InternTable known_rows_;
};

absl::StatusOr<StackTable> StackTable::Make(const model::Batch& batch,
                                            std::span<const model::SampleTypeView> types,
                                            const StackTableOptions& options) {
  StackTable table;
  table.type_count_ = types.size();
  Maker maker(batch.dictionary, options, &table);
  for (size_t type = 0; type < types.size(); ++type) {
    for (const model::StackWeight& sum : model::SumByStack(batch, types[type]))
      FLARE_RETURN_IF_ERROR(maker.Add(sum, type));
  }
  FLARE_RETURN_IF_ERROR(maker.Finish());
  return table;
}

void StackTable::AppendText(size_t row, std::string* text) const {
  bool is_first = true;
  for (const uint32_t number : model::In(name_numbers_, rows_[row].names)) {
    if (!is_first)
      text->push_back(';');
    is_first = false;
    text->append(names_[number]);
  }
}

}  // namespace flarestack::codec
