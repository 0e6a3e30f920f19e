// SPDX-License-Identifier: Apache-2.0
//
// Checks the keys, values and units of all attributes, and entity references.
#include <algorithm>

#include "absl/container/flat_hash_map.h"
#include "absl/container/flat_hash_set.h"
#include "base/text/text.h"
#include "check/checks.h"

namespace flarestack::check {
namespace {

using base::StrCat;
using model::AnyValue;

class AttributeChecker {
 public:
  explicit AttributeChecker(const Context& in) : in_(in), tables_(in.tables) {
    keys_.reserve(tables_.attributes.size());
    for (const model::Attribute& attribute : tables_.attributes) {
      const uint32_t key = attribute.key.value;
      const std::vector<uint32_t>& numbers = in.numbering.strings;
      keys_.push_back(key < numbers.size() ? numbers[key] : key);
    }
  }

  void Run() {
    CheckTable();
    CheckLists();
    ForEachAttributeOwner(
        in_, [&](model::Slice nodes, const Path& at) { CheckKeyValues(nodes, at, "attributes"); });
    for (size_t r = 0; r < in_.batch.resources.size(); ++r) {
      const Path at = in_.root.Item("resource_profiles", r);
      CheckEntities(in_.batch.resources[r], at.Field("resource"));
    }
  }

 private:
  using Keys = absl::flat_hash_set<std::string_view>;

  void CheckTable() {
    const Path at = in_.root.Field("dictionary");
    for (size_t i = 1; i < tables_.attributes.size(); ++i) {
      const model::Attribute& attribute = tables_.attributes[i];
      const Path entry = at.Item("attribute_table", i);
      const bool is_reported = attribute.key.value >= tables_.strings.size() && attribute.key;
      if (!in_.HasText(attribute.key) && !is_reported)
        AddEmptyKey(entry.Field("key_strindex"));
      CheckValue(attribute.value, entry.Field("value"), /*needs_value=*/true);
      CheckUnit(in_.Text(attribute.unit), entry);
    }
  }

  void CheckUnit(std::string_view unit, const Path& at) const {
    if (unit.empty()) [[likely]] {
      return;
    }
    struct Word {
      std::string_view word;
      std::string_view code;
    };
    static constexpr Word kWords[] = {
        {"byte", "By"},         {"bytes", "By"},          {"kilobytes", "kBy"},
        {"megabytes", "MBy"},   {"gigabytes", "GBy"},     {"kibibytes", "KiBy"},
        {"mebibytes", "MiBy"},  {"gibibytes", "GiBy"},    {"bit", "bit"},
        {"bits", "bit"},        {"second", "s"},          {"seconds", "s"},
        {"sec", "s"},           {"millisecond", "ms"},    {"milliseconds", "ms"},
        {"microsecond", "us"},  {"microseconds", "us"},   {"nanosecond", "ns"},
        {"nanoseconds", "ns"},  {"minute", "min"},        {"minutes", "min"},
        {"hour", "h"},          {"hours", "h"},           {"day", "d"},
        {"days", "d"},          {"count", "1"},           {"percent", "%"},
        {"hertz", "Hz"},        {"request", "{request}"}, {"requests", "{request}"},
        {"object", "{object}"}, {"objects", "{object}"},
    };
    const auto found = std::ranges::find(kWords, unit, &Word::word);
    const bool has_space = unit.find(' ') != std::string_view::npos && unit.front() != '{';
    if ((found == std::end(kWords) || found->word == found->code) && !has_space)
      return;
    in_.findings.Add(Rule::kAttributeUnit, in_.is_from_pprof ? Severity::kInfo : Severity::kWarning,
                     at.Field("unit_strindex"), [&] {
                       return StrCat(Quote(unit), " is not a UCUM code",
                                     found == std::end(kWords) ? std::string()
                                                               : StrCat("; write ", found->code));
                     });
  }

  void AddEmptyKey(const Path& at) const {
    in_.findings.Add(Rule::kAttributeKeyEmpty, at,
                     [] { return "the key is empty; set it or omit the attribute"; });
  }

  void CheckLists() {
    const Path at = in_.root.Field("dictionary");
    for (size_t i = 0; i < tables_.mappings.size(); ++i)
      CheckList(tables_.mappings[i].attributes, at.Item("mapping_table", i));
    for (size_t i = 0; i < tables_.locations.size(); ++i)
      CheckList(tables_.locations[i].attributes, at.Item("location_table", i));
    ForEachProfile(in_, [&](const model::Profile& profile, const Path& path) {
      CheckList(profile.attributes, path);
      for (uint32_t i = 0; i < profile.samples.count; ++i) {
        CheckList(in_.batch.samples[profile.samples.begin + i].attributes, path.Item("samples", i));
      }
    });
  }

  // Compares short lists pairwise and sorts long lists first. The index rules already cover
  // attribute 0 and indices out of range.
  void CheckList(model::Slice slice, const Path& at) {
    constexpr uint32_t kShort = 12;
    if (slice.count < 2)
      return;
    const model::AttributeIndex* const list = tables_.attribute_indices.data() + slice.begin;
    list_keys_.clear();
    for (uint32_t i = 0; i < slice.count; ++i) {
      if (list[i] && list[i].value < keys_.size() &&
          keys_[list[i].value] < tables_.strings.size()) {
        list_keys_.push_back({keys_[list[i].value], i});
      }
    }
    if (list_keys_.size() > kShort)
      std::ranges::sort(list_keys_);
    for (size_t i = 1; i < list_keys_.size(); ++i) {
      const size_t first = list_keys_.size() > kShort ? i - 1 : 0;
      for (size_t k = first; k < i; ++k) {
        if (list_keys_[k].first == list_keys_[i].first) {
          AddDuplicateKey(list_keys_[i], list_keys_[k].second, at);
          break;
        }
      }
    }
  }
  void AddDuplicateKey(std::pair<uint32_t, uint32_t> key, uint32_t earlier, const Path& at) const {
    in_.findings.Add(Rule::kAttributeKeyDuplicate, at.Item("attribute_indices", key.second), [&] {
      return StrCat("the key ", Quote(in_.Text({key.first})), " is already at attribute_indices[",
                    earlier, "]; keys must be unique in a list");
    });
  }

  void CheckValue(const AnyValue& value, const Path& at, bool needs_value) {
    switch (value.kind) {
      case AnyValue::Kind::kEmpty:
        if (needs_value) {
          in_.findings.Add(Rule::kAttributeValueMissing, at, [] {
            return "the attribute has no value; set one or omit the attribute";
          });
        }
        return;
      case AnyValue::Kind::kArray: {
        const Path array = at.Field("array_value");
        for (uint32_t i = 0; i < value.nodes.count; ++i) {
          CheckValue(tables_.nodes[value.nodes.begin + i].value, array.Item("values", i),
                     /*needs_value=*/false);
        }
        return;
      }
      case AnyValue::Kind::kKeyValueList:
        CheckKeyValues(value.nodes, at.Field("kvlist_value"), "values");
        return;
      default:
        return;
    }
  }

  void CheckKeyValues(model::Slice nodes, const Path& at, std::string_view list) {
    absl::flat_hash_map<std::string_view, uint32_t> seen;
    for (uint32_t i = 0; i < nodes.count; ++i) {
      const model::KeyValue& node = tables_.nodes[nodes.begin + i];
      const Path item = at.Item(list, i);
      CheckValue(node.value, item.Field("value"), /*needs_value=*/true);
      if (!node.key.empty() && node.key_index) {
        in_.findings.Add(Rule::kKeyGivenTwice, item, [&] {
          return StrCat("key is ", Quote(node.key), " and key_strindex is ",
                        static_cast<int32_t>(node.key_index.value), "; set only one of them");
        });
      }
      if (node.key_index.value >= tables_.strings.size() && node.key_index)
        continue;
      const std::string_view key = in_.Key(node);
      if (key.empty()) {
        AddEmptyKey(item.Field(node.key_index ? "key_strindex" : "key"));
        continue;
      }
      const uint32_t first = seen.emplace(key, i).first->second;
      if (first != i) {
        in_.findings.Add(Rule::kKeyValueDuplicate, item, [&] {
          return StrCat("the key ", Quote(key), " is already at ", list, "[", first,
                        "]; keys must be unique in a list");
        });
      }
    }
  }

  void CheckEntities(const model::Resource& resource, const Path& at) const {
    if (resource.entity_refs.empty())
      return;
    Keys known;
    for (const model::KeyValue& node : model::In(tables_.nodes, resource.attributes))
      known.insert(in_.Key(node));
    for (uint32_t i = 0; i < resource.entity_refs.count; ++i) {
      CheckEntity(in_.batch.entity_refs[resource.entity_refs.begin + i], known,
                  at.Item("entity_refs", i));
    }
  }
  void CheckEntity(const model::EntityRef& ref, const Keys& known, const Path& at) const {
    if (ref.type.empty()) {
      in_.findings.Add(Rule::kEntityType, at.Field("type"),
                       [] { return "not set; an entity has a type, such as service"; });
    }
    if (ref.id_keys.empty()) {
      in_.findings.Add(Rule::kEntityIdKeys, at.Field("id_keys"), [] {
        return "empty; at least one attribute must identify the entity among others of its type";
      });
    }
    CheckEntityKeys(ref.id_keys, "id_keys", known, at);
    CheckEntityKeys(ref.description_keys, "description_keys", known, at);
  }
  void CheckEntityKeys(model::Slice keys, std::string_view field, const Keys& known,
                       const Path& at) const {
    for (uint32_t i = 0; i < keys.count; ++i) {
      const std::string_view key = in_.batch.entity_keys[keys.begin + i];
      if (known.contains(key))
        continue;
      in_.findings.Add(Rule::kEntityKeyUnknown, at.Item(field, i),
                       [&] { return StrCat(Quote(key), " is not an attribute of the resource"); });
    }
  }

  const Context& in_;
  const model::Dictionary& tables_;
  std::vector<uint32_t> keys_;  // of each attribute, as the number of its text
  std::vector<std::pair<uint32_t, uint32_t>> list_keys_;  // scratch: number of the key, position
};

}  // namespace

void CheckAttributes(const Context& in) { AttributeChecker(in).Run(); }

}  // namespace flarestack::check
