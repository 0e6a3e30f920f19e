// SPDX-License-Identifier: Apache-2.0
//
// Resources and scopes of OTLP/JSON, which have the same members in all signals. Private to
// codec/otlp.
#pragma once

#include <string_view>
#include <vector>

#include "absl/status/status.h"
#include "codec/otlp/json/json_input.h"
#include "codec/otlp/json/json_output.h"
#include "codec/otlp/json/json_value_reader.h"
#include "codec/otlp/json/json_value_writer.h"
#include "codec/otlp/values/limits.h"
#include "model/resource.h"

namespace flarestack::codec::otlp {

class JsonResourceReader {
 public:
  // All must outlive the reader.
  JsonResourceReader(JsonInput* in, JsonValueReader* values, const Limits* limits,
                     std::vector<model::EntityRef>* entity_refs,
                     std::vector<std::string_view>* entity_keys)
      : in_(*in),
        values_(*values),
        limits_(*limits),
        entity_refs_(*entity_refs),
        entity_keys_(*entity_keys) {}

  absl::Status ReadResource(JsonInput::Value& value, model::Resource* out);
  absl::Status ReadScope(JsonInput::Value& value, model::InstrumentationScope* out);

 private:
  absl::Status ReadEntityRef(JsonInput::Value& value);

  JsonInput& in_;
  JsonValueReader& values_;
  const Limits& limits_;
  std::vector<model::EntityRef>& entity_refs_;
  std::vector<std::string_view>& entity_keys_;
};

// Written as members "resource" and "scope"; omitted if the message had none.
struct JsonEntities {
  const std::vector<model::EntityRef>& refs;
  const std::vector<std::string_view>& keys;
};
void WriteJsonResource(const JsonValues& values, const JsonEntities& entities,
                       const model::Resource& resource, JsonOutput* out);
void WriteJsonScope(const JsonValues& values, const model::InstrumentationScope& scope,
                    JsonOutput* out);

}  // namespace flarestack::codec::otlp
