// SPDX-License-Identifier: Apache-2.0
//
// Finds entries with the same content in all seven tables. Each entry gets the number of the first
// entry with its content, and tables that refer to others are compared by these numbers: strings
// first, stacks last. This compares the full content but reads each text only once.
#include <algorithm>

#include "base/check.h"
#include "base/hash.h"
#include "base/helper_pool.h"
#include "base/text/text.h"
#include "check/checks.h"
#include "check/first_seen.h"
#include "model/builder/value_identity.h"

namespace flarestack::check {
namespace {

using base::Mix64;
using base::StrCat;
using model::AnyValue;

uint32_t Number(const std::vector<uint32_t>& numbers, uint32_t index) {
  return index < numbers.size() ? numbers[index] : index;
}

class Numberer {
 public:
  explicit Numberer(const Context& in) : in_(in), tables_(in.tables) {}

  Numbering Run() {
    numbers_.strings = NumberTable(
        tables_.strings, [](std::string_view text) { return base::Hash64(text); },
        [](std::string_view a, std::string_view b) { return a == b; });
    NumberAttributes();
    NumberMappings();
    NumberFunctions();
    numbers_.links = NumberTable(
        tables_.links,
        [](const model::Link& link) {
          return Mix64(base::Hash64(link.trace_id), base::Hash64(link.span_id));
        },
        [](const model::Link& a, const model::Link& b) { return a == b; });
    NumberLocations();
    NumberStacks();
    return std::move(numbers_);
  }

 private:
  template <typename Entry, typename HashEntry, typename SameEntry>
  static std::vector<uint32_t> NumberTable(const std::vector<Entry>& table, HashEntry hash,
                                           SameEntry same) {
    return NumberHashed(
        table, [&](uint32_t i) { return hash(table[i]); }, same);
  }
  template <typename Entry, typename HashAt, typename SameEntry>
  static std::vector<uint32_t> NumberHashed(const std::vector<Entry>& table, HashAt hash_at,
                                            SameEntry same) {
    std::vector<uint32_t> numbers(table.size());
    FirstSeen(table.size())
        .FindAll(
            static_cast<uint32_t>(table.size()), hash_at,
            [&](uint32_t earlier, uint32_t i) { return same(table[earlier], table[i]); },
            [&](uint32_t i, uint32_t first) { numbers[i] = first; });
    return numbers;
  }

  uint32_t String(model::StringIndex index) const { return Number(numbers_.strings, index.value); }

  // A value with a dangling reference differs from every other value.
  bool IsResolvable(const AnyValue& value) const {
    if (in_.indices_are_valid())
      return true;
    if (value.kind == AnyValue::Kind::kStringIndex)
      return value.string_index.value < tables_.strings.size();
    if (value.kind != AnyValue::Kind::kArray && value.kind != AnyValue::Kind::kKeyValueList)
      return true;
    return std::ranges::all_of(
        model::In(tables_.nodes, value.nodes), [&](const model::KeyValue& node) {
          const uint32_t key = node.key_index.value;
          return (key == 0 || key < tables_.strings.size()) && IsResolvable(node.value);
        });
  }

  void NumberAttributes() {
    const auto hash = [&](const model::Attribute& entry) {
      const uint64_t value = IsResolvable(entry.value) ? model::HashValue(tables_, entry.value) : 0;
      return Mix64(Mix64(String(entry.key), String(entry.unit)), value);
    };
    const auto same = [&](const model::Attribute& a, const model::Attribute& b) {
      return String(a.key) == String(b.key) && String(a.unit) == String(b.unit) &&
             IsResolvable(a.value) && IsResolvable(b.value) &&
             model::SameValue(tables_, a.value, tables_, b.value);
    };
    numbers_.attributes = NumberTable(tables_.attributes, hash, same);
  }

  // The order of attributes is not part of an identity.
  uint64_t HashAttributes(model::Slice slice) const {
    uint64_t sum = slice.count;
    for (const model::AttributeIndex index : model::In(tables_.attribute_indices, slice))
      sum += Mix64(Number(numbers_.attributes, index.value), 1);
    return sum;
  }
  bool SameAttributes(model::Slice a, model::Slice b) {
    if (a.count != b.count)
      return false;
    Sort(a, &sorted_a_);
    Sort(b, &sorted_b_);
    return sorted_a_ == sorted_b_;
  }
  void Sort(model::Slice slice, std::vector<uint32_t>* out) const {
    out->clear();
    for (const model::AttributeIndex index : model::In(tables_.attribute_indices, slice))
      out->push_back(Number(numbers_.attributes, index.value));
    std::ranges::sort(*out);
  }

  void NumberMappings() {
    numbers_.mappings = NumberTable(
        tables_.mappings,
        [&](const model::Mapping& entry) {
          return Mix64(Mix64(entry.memory_start, entry.memory_limit),
                       Mix64(entry.file_offset, String(entry.filename))) +
                 HashAttributes(entry.attributes);
        },
        [&](const model::Mapping& a, const model::Mapping& b) {
          return a.memory_start == b.memory_start && a.memory_limit == b.memory_limit &&
                 a.file_offset == b.file_offset && String(a.filename) == String(b.filename) &&
                 SameAttributes(a.attributes, b.attributes);
        });
  }

  void NumberFunctions() {
    numbers_.functions = NumberTable(
        tables_.functions,
        [&](const model::Function& entry) {
          return Mix64(Mix64(String(entry.name), String(entry.system_name)),
                       Mix64(String(entry.filename), static_cast<uint64_t>(entry.start_line)));
        },
        [&](const model::Function& a, const model::Function& b) {
          return String(a.name) == String(b.name) &&
                 String(a.system_name) == String(b.system_name) &&
                 String(a.filename) == String(b.filename) && a.start_line == b.start_line;
        });
  }

  void NumberLocations() {
    const auto hash = [&](const model::Location& entry) {
      uint64_t mixed = Mix64(Number(numbers_.mappings, entry.mapping.value), entry.address);
      for (const model::Line& line : model::In(tables_.lines, entry.lines)) {
        mixed = Mix64(mixed, Mix64(Number(numbers_.functions, line.function.value),
                                   Mix64(static_cast<uint64_t>(line.line),
                                         static_cast<uint64_t>(line.column))));
      }
      return mixed + HashAttributes(entry.attributes);
    };
    const auto same = [&](const model::Location& a, const model::Location& b) {
      const auto same_line = [&](const model::Line& x, const model::Line& y) {
        return x.line == y.line && x.column == y.column &&
               Number(numbers_.functions, x.function.value) ==
                   Number(numbers_.functions, y.function.value);
      };
      return Number(numbers_.mappings, a.mapping.value) ==
                 Number(numbers_.mappings, b.mapping.value) &&
             a.address == b.address &&
             std::ranges::equal(model::In(tables_.lines, a.lines),
                                model::In(tables_.lines, b.lines), same_line) &&
             SameAttributes(a.attributes, b.attributes);
    };
    numbers_.locations = NumberTable(tables_.locations, hash, same);
  }

  // Stacks are most of a message. If all locations differ, which is nearly always the case, their
  // indices are compared as bytes.
  void NumberStacks() {
    const auto locations = [&](const model::Stack& entry) {
      return model::In(tables_.location_indices, entry.locations);
    };
    if (AllDiffer(numbers_.locations)) {
      const auto hash = [&](const model::Stack& entry) {
        return base::Hash64(locations(entry).data(), locations(entry).size_bytes());
      };
      const std::vector<uint64_t> hashes = HashStacks(hash);
      numbers_.stacks = NumberHashed(
          tables_.stacks, [&](uint32_t i) { return hashes[i]; },
          [&](const model::Stack& a, const model::Stack& b) {
            return std::ranges::equal(locations(a), locations(b));
          });
      return;
    }
    const auto number = [&](model::LocationIndex index) {
      return Number(numbers_.locations, index.value);
    };
    const auto hash = [&](const model::Stack& entry) {
      uint64_t mixed = entry.locations.count;
      for (const model::LocationIndex index : locations(entry))
        mixed = Mix64(mixed, number(index));
      return mixed;
    };
    const std::vector<uint64_t> hashes = HashStacks(hash);
    numbers_.stacks = NumberHashed(
        tables_.stacks, [&](uint32_t i) { return hashes[i]; },
        [&](const model::Stack& a, const model::Stack& b) {
          return std::ranges::equal(locations(a), locations(b), {}, number, number);
        });
  }

  static bool AllDiffer(const std::vector<uint32_t>& numbers) {
    for (uint32_t i = 0; i < numbers.size(); ++i) {
      if (numbers[i] != i)
        return false;
    }
    return true;
  }

  template <typename Hash>
  std::vector<uint64_t> HashStacks(Hash hash) const {
    constexpr size_t kStacksAtOnce = 16384;
    std::vector<uint64_t> hashes(tables_.stacks.size());
    const absl::Status done =
        base::ParallelFor((hashes.size() + kStacksAtOnce - 1) / kStacksAtOnce, [&](size_t part) {
          const size_t end = std::min(hashes.size(), (part + 1) * kStacksAtOnce);
          for (size_t i = part * kStacksAtOnce; i < end; ++i)
            hashes[i] = hash(tables_.stacks[i]);
          return absl::OkStatus();
        });
    FLARE_CHECK(done.ok());
    return hashes;
  }

  const Context& in_;
  const model::Dictionary& tables_;
  Numbering numbers_;
  std::vector<uint32_t> sorted_a_;  // scratch
  std::vector<uint32_t> sorted_b_;
};

// If another rule already requires an entry to be non-empty, do not also report it as a duplicate
// of the empty entry 0.
enum class EmptyEntries { kAreDuplicates, kHaveTheirOwnRule };

void AddDuplicates(const Context& in, const std::vector<uint32_t>& numbers, std::string_view table,
                   EmptyEntries empty) {
  const Path at = in.root.Field("dictionary");
  for (uint32_t i = 1; i < numbers.size(); ++i) {
    const uint32_t first = numbers[i];
    if (first == i || (first == 0 && empty == EmptyEntries::kHaveTheirOwnRule))
      continue;
    in.findings.Add(Rule::kDuplicateEntry, at.Item(table, i), [&] {
      return StrCat("the same content as ", table, "[", first, "]; keep one and refer to it");
    });
  }
}

}  // namespace

void CheckDuplicates(Context* in) {
  in->numbering = Numberer(*in).Run();
  const Numbering& numbers = in->numbering;
  AddDuplicates(*in, numbers.mappings, "mapping_table", EmptyEntries::kHaveTheirOwnRule);
  AddDuplicates(*in, numbers.locations, "location_table", EmptyEntries::kAreDuplicates);
  AddDuplicates(*in, numbers.functions, "function_table", EmptyEntries::kHaveTheirOwnRule);
  AddDuplicates(*in, numbers.links, "link_table", EmptyEntries::kHaveTheirOwnRule);
  AddDuplicates(*in, numbers.strings, "string_table", EmptyEntries::kAreDuplicates);
  AddDuplicates(*in, numbers.attributes, "attribute_table", EmptyEntries::kHaveTheirOwnRule);
  AddDuplicates(*in, numbers.stacks, "stack_table", EmptyEntries::kAreDuplicates);
}

}  // namespace flarestack::check
