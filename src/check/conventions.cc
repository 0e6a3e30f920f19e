// SPDX-License-Identifier: Apache-2.0
//
// Checks semantic conventions: names, types and places of attributes, frame types, sample types.
#include <algorithm>

#include "base/text/text.h"
#include "check/checks.h"
#include "check/known_attributes.h"

namespace flarestack::check {
namespace {

using base::StrCat;
using model::AnyValue;

class ConventionChecker {
 public:
  explicit ConventionChecker(const Context& in) : in_(in), tables_(in.tables) {}

  void Run() {
    CheckTable();
    if (has_carriers_)
      CheckPlaces();
    for (size_t r = 0; r < in_.batch.resources.size(); ++r) {
      const Path at = in_.root.Item("resource_profiles", r);
      CheckInline(in_.batch.resources[r].attributes, Carrier::kResource, at.Field("resource"));
    }
    ForEachScope(in_, [&](const model::Scope& scope, const Path& at) {
      const Path owner = at.Field("scope");
      CheckInline(scope.attributes, Carrier::kScope, owner);
      CheckSampleTypeOrder(scope, owner);
    });
    ForEachProfile(in_, [&](const model::Profile& profile, const Path& at) {
      CheckSampleType(profile.sample_type, at.Field("sample_type"));
    });
  }

 private:
  bool HasElements(const AnyValue& value, bool are_strings) const {
    return value.kind == AnyValue::Kind::kArray &&
           std::ranges::all_of(model::In(tables_.nodes, value.nodes),
                               [&](const model::KeyValue& node) {
                                 return are_strings ? tables_.IsString(node.value)
                                                    : node.value.kind == AnyValue::Kind::kInt;
                               });
  }
  bool HasForm(const AnyValue& value, ValueForm form) const {
    switch (form) {
      case ValueForm::kString:
        return tables_.IsString(value);
      case ValueForm::kInt:
        return value.kind == AnyValue::Kind::kInt;
      case ValueForm::kBool:
        return value.kind == AnyValue::Kind::kBool;
      case ValueForm::kStrings:
        return HasElements(value, /*are_strings=*/true);
      case ValueForm::kInts:
        return HasElements(value, /*are_strings=*/false);
    }
    return false;
  }

  // Checks name, type and content, which do not depend on the place.
  const KnownAttribute* CheckAttribute(std::string_view key, const AnyValue& value,
                                       const Path& at) const {
    if (const auto replacement = ReplacementOf(key)) {
      in_.findings.Add(Rule::kAttributeName, at,
                       [&] { return StrCat(Quote(key), " was renamed to ", *replacement); });
      return nullptr;
    }
    const KnownAttribute* known = FindKnownAttribute(key);
    if (known == nullptr || value.kind == AnyValue::Kind::kEmpty)
      return known;
    if (!HasForm(value, known->form)) {
      in_.findings.Add(Rule::kAttributeType, at.Field("value"),
                       [&] { return StrCat(key, " must be ", FormName(known->form)); });
      return known;
    }
    if (key == "profile.frame.type")
      CheckFrameType(in_.String(value), at);
    if (key == "pprof.profile.doc_url")
      CheckDocUrl(in_.String(value), at);
    return known;
  }

  void CheckFrameType(std::string_view type, const Path& at) const {
    if (IsKnownFrameType(type))
      return;
    const auto meant = FrameTypeMeantBy(type);
    in_.findings.Add(Rule::kFrameType, meant ? Severity::kWarning : Severity::kInfo,
                     at.Field("value"), [&] {
                       if (meant)
                         return StrCat(Quote(type), " is not a known frame type; use ", *meant);
                       return StrCat(Quote(type),
                                     " is not a known frame type; that is allowed if "
                                     "none of them applies");
                     });
  }

  void CheckDocUrl(std::string_view url, const Path& at) const {
    const size_t colon = url.find("://");
    const auto is_scheme_letter = [](char c) {
      return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '+' || c == '-' ||
             (c >= '0' && c <= '9');
    };
    if (colon != std::string_view::npos && colon > 0 && colon + 3 < url.size() &&
        std::ranges::all_of(url.substr(0, colon), is_scheme_letter)) {
      return;
    }
    in_.findings.Add(Rule::kDocUrl, at.Field("value"), [&] {
      return StrCat(Quote(url), " is not an absolute URL such as https://example.com/help");
    });
  }

  void CheckTable() {
    const Path at = in_.root.Field("dictionary");
    carriers_.assign(tables_.attributes.size(), Carrier::kAny);
    for (size_t i = 1; i < tables_.attributes.size(); ++i) {
      const model::Attribute& attribute = tables_.attributes[i];
      const KnownAttribute* known =
          CheckAttribute(in_.Text(attribute.key), attribute.value, at.Item("attribute_table", i));
      if (known == nullptr || known->carrier == Carrier::kAny)
        continue;
      carriers_[i] = known->carrier;
      has_carriers_ = true;
    }
  }

  void AddPlace(std::string_view key, Carrier right, Carrier found, const Path& at) const {
    in_.findings.Add(Rule::kAttributePlace, at, [&] {
      return StrCat(key, " belongs to ", CarrierName(right), ", not to ", CarrierName(found));
    });
  }

  void CheckList(model::Slice slice, Carrier carrier, const Path& at) const {
    for (uint32_t i = 0; i < slice.count; ++i) {
      const uint32_t index = tables_.attribute_indices[slice.begin + i].value;
      if (index >= carriers_.size() || carriers_[index] == Carrier::kAny ||
          carriers_[index] == carrier) {
        continue;
      }
      AddPlace(in_.Text(tables_.attributes[index].key), carriers_[index], carrier,
               at.Item("attribute_indices", i));
    }
  }
  void CheckPlaces() const {
    const Path at = in_.root.Field("dictionary");
    for (size_t i = 0; i < tables_.mappings.size(); ++i)
      CheckList(tables_.mappings[i].attributes, Carrier::kMapping, at.Item("mapping_table", i));
    for (size_t i = 0; i < tables_.locations.size(); ++i)
      CheckList(tables_.locations[i].attributes, Carrier::kLocation, at.Item("location_table", i));
    ForEachProfile(in_, [&](const model::Profile& profile, const Path& path) {
      CheckList(profile.attributes, Carrier::kProfile, path);
      for (uint32_t i = 0; i < profile.samples.count; ++i) {
        CheckList(in_.batch.samples[profile.samples.begin + i].attributes, Carrier::kSample,
                  path.Item("samples", i));
      }
    });
  }

  void CheckInline(model::Slice nodes, Carrier carrier, const Path& at) const {
    for (uint32_t i = 0; i < nodes.count; ++i) {
      const model::KeyValue& node = tables_.nodes[nodes.begin + i];
      const Path item = at.Item("attributes", i);
      const KnownAttribute* known = CheckAttribute(in_.Key(node), node.value, item);
      if (known != nullptr && known->carrier != Carrier::kAny && known->carrier != carrier)
        AddPlace(known->key, known->carrier, carrier, item);
    }
  }

  bool IsOrder(model::Slice nodes, uint32_t count) const {
    if (nodes.count != count)
      return false;
    std::vector<bool> seen(count, false);
    for (const model::KeyValue& element : model::In(tables_.nodes, nodes)) {
      const auto position = static_cast<uint64_t>(element.value.int_value);
      if (position >= count || seen[position])
        return false;
      seen[position] = true;
    }
    return true;
  }

  void CheckSampleTypeOrder(const model::Scope& scope, const Path& at) const {
    for (uint32_t i = 0; i < scope.attributes.count; ++i) {
      const model::KeyValue& node = tables_.nodes[scope.attributes.begin + i];
      if (in_.Key(node) != "pprof.scope.sample_type_order" ||
          !HasForm(node.value, ValueForm::kInts)) {
        continue;
      }
      if (IsOrder(node.value.nodes, scope.profiles.count))
        continue;
      const Path item = at.Item("attributes", i);
      in_.findings.Add(Rule::kSampleTypeOrder, item.Field("value"), [&] {
        return StrCat("has ", node.value.nodes.count,
                      " elements; it must contain each number below ", scope.profiles.count,
                      " once, one for each profile of the scope");
      });
    }
  }

  void CheckSampleType(const model::ValueType& type, const Path& at) const {
    const auto expected = UnitExpectedFor(in_.Text(type.type), in_.Text(type.unit));
    if (!expected || type.unit.value >= tables_.strings.size())
      return;
    in_.findings.Add(Rule::kSampleTypeUnit, at.Field("unit_strindex"), [&] {
      return StrCat("the unit of ", in_.Text(type.type), " is ", Quote(in_.Text(type.unit)), "; ",
                    *expected, " is usual");
    });
  }

  const Context& in_;
  const model::Dictionary& tables_;
  std::vector<Carrier> carriers_;  // of each attribute of the table
  bool has_carriers_ = false;
};

}  // namespace

void CheckConventions(const Context& in) { ConventionChecker(in).Run(); }

}  // namespace flarestack::check
