// SPDX-License-Identifier: Apache-2.0
#include "model/validation/text_repair.h"

#include "base/text/encoding.h"
#include "base/text/text.h"

namespace flarestack::model {

void TextRepair::RepairBeyondAscii(std::string_view* text, std::string_view where) {
  if (base::IsValidUtf8(*text)) [[likely]] {
    return;
  }
  *text = arena_.Copy(base::ToValidUtf8(*text));
  ++count_;
  warnings_.Add("text that is not valid UTF-8; bad bytes were replaced",
                base::StrCat(where, ": \"", *text, "\""));
}

void TextRepair::RepairValue(AnyValue* value, std::string_view where) {
  if (value->kind == AnyValue::Kind::kString)
    Repair(&value->text, where);
}

void TextRepair::RepairNodes(std::vector<KeyValue>* nodes) {
  for (KeyValue& node : *nodes) {
    Repair(&node.key, "attribute key");
    RepairValue(&node.value, "attribute value");
  }
}

void TextRepair::RepairScope(InstrumentationScope* scope, std::string_view schema_url_name) {
  Repair(&scope->name, "scope.name");
  Repair(&scope->version, "scope.version");
  Repair(&scope->schema_url, schema_url_name);
}

void TextRepair::RepairEntityRefs(std::vector<EntityRef>* refs,
                                  std::vector<std::string_view>* keys) {
  for (EntityRef& ref : *refs) {
    Repair(&ref.schema_url, "entity_ref.schema_url");
    Repair(&ref.type, "entity_ref.type");
  }
  for (std::string_view& key : *keys)
    Repair(&key, "entity_ref key");
}

}  // namespace flarestack::model
