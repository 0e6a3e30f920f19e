// SPDX-License-Identifier: Apache-2.0
#include "symbol/module.h"

#include <algorithm>
#include <optional>

#include "base/text/encoding.h"
#include "base/text/text.h"
#include "elf/build_id.h"
#include "model/index.h"

namespace flarestack::symbol {
namespace {

constexpr std::string_view kGoPrefix = "go-";
constexpr std::string_view kHtlPrefix = "htl-";

std::optional<IdKind> KindOf(std::string_view attribute_key) {
  if (attribute_key == "process.executable.build_id.gnu")
    return IdKind::kGnu;
  if (attribute_key == "process.executable.build_id.go")
    return IdKind::kGo;
  if (attribute_key == "process.executable.build_id.htlhash")
    return IdKind::kHtlHash;
  return std::nullopt;
}

}  // namespace

std::string KeyOf(const FileId& id) {
  switch (id.kind) {
    case IdKind::kGnu:
      return elf::IsSafeBuildId(id.text) ? id.text : "";
    case IdKind::kGo:  // contains slashes, and must not be mistaken for a GNU id
      return id.text.empty() ? "" : base::StrCat(kGoPrefix, base::HexEncode(id.text));
    case IdKind::kHtlHash:
      return elf::IsSafeBuildId(id.text) ? base::StrCat(kHtlPrefix, id.text) : "";
  }
  return "";
}

std::string Module::Key() const {
  for (const FileId& id : ids) {
    if (std::string key = KeyOf(id); !key.empty())
      return key;
  }
  return "";
}

Module ModuleOf(const model::Dictionary& dictionary, const model::Mapping& mapping) {
  Module module;
  module.path = dictionary.Text(mapping.filename);
  for (const model::AttributeIndex index :
       model::In(dictionary.attribute_indices, mapping.attributes)) {
    const model::Attribute& attribute = dictionary.attributes[index.value];
    const std::optional<IdKind> kind = KindOf(dictionary.Text(attribute.key));
    if (kind.has_value() && dictionary.IsString(attribute.value))
      module.ids.push_back(
          {.kind = *kind, .text = std::string(dictionary.String(attribute.value))});
  }
  std::ranges::sort(module.ids);
  return module;
}

}  // namespace flarestack::symbol
