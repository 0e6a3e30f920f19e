// SPDX-License-Identifier: Apache-2.0
//
// Any bytes: DecodeJson answers with a batch or an error. A batch whose indices are valid survives
// being written and read again with its meaning unchanged.
#include <cstdint>
#include <string>
#include <string_view>

#include "base/check.h"
#include "base/status.h"
#include "codec/otlp/json_reader.h"
#include "codec/otlp/json_writer.h"
#include "model/dump.h"

namespace flarestack::codec::otlp {
namespace {

// Enough of model/validate.h for Dump to be safe.
class IndexCheck {
 public:
  explicit IndexCheck(const model::Batch& batch) : batch_(batch), tables_(batch.dictionary) {}

  bool Run() const {
    bool ok = true;
    for (const model::Resource& resource : batch_.resources) {
      ok = ok && Nodes(resource.attributes);
    }
    for (const model::Scope& scope : batch_.scopes) {
      ok = ok && Nodes(scope.attributes);
    }
    for (const model::Profile& profile : batch_.profiles) {
      ok = ok && Type(profile.sample_type) && Type(profile.period_type) &&
           Attributes(profile.attributes);
    }
    for (const model::Sample& sample : batch_.samples) {
      ok = ok && sample.stack.value < tables_.stacks.size() &&
           sample.link.value < tables_.links.size() && Attributes(sample.attributes);
    }
    return ok && Tables();
  }

 private:
  bool Tables() const {
    bool ok = true;
    for (const model::Mapping& mapping : tables_.mappings) {
      ok = ok && Text(mapping.filename) && Attributes(mapping.attributes);
    }
    for (const model::Location& location : tables_.locations) {
      ok =
          ok && location.mapping.value < tables_.mappings.size() && Attributes(location.attributes);
    }
    for (const model::Line& line : tables_.lines) {
      ok = ok && line.function.value < tables_.functions.size();
    }
    for (const model::Function& function : tables_.functions) {
      ok = ok && Text(function.name) && Text(function.system_name) && Text(function.filename);
    }
    for (const model::Attribute& attribute : tables_.attributes) {
      ok = ok && Text(attribute.key) && Text(attribute.unit) && Value(attribute.value);
    }
    for (const model::LocationIndex index : tables_.location_indices) {
      ok = ok && index.value < tables_.locations.size();
    }
    return ok;
  }
  bool Text(model::StringIndex index) const { return index.value < tables_.strings.size(); }
  bool Type(const model::ValueType& type) const { return Text(type.type) && Text(type.unit); }
  bool Attributes(model::Slice slice) const {
    bool ok = true;
    for (const model::AttributeIndex index : In(tables_.attribute_indices, slice)) {
      ok = ok && index.value < tables_.attributes.size();
    }
    return ok;
  }
  bool Value(const model::AnyValue& value) const {
    return Text(value.string_index) && Nodes(value.nodes);
  }
  bool Nodes(model::Slice slice) const {
    bool ok = true;
    for (const model::KeyValue& node : In(tables_.nodes, slice)) {
      ok = ok && Text(node.key_index) && Value(node.value);
    }
    return ok;
  }

  const model::Batch& batch_;
  const model::Dictionary& tables_;
};

void Check(std::string_view json) {
  model::Batch batch;
  base::Warnings warnings;
  const absl::Status status = DecodeJson(json, &batch, &warnings);
  if (!status.ok()) {
    FLARE_CHECK(status.code() == absl::StatusCode::kInvalidArgument, base::Message(status));
    return;
  }
  std::string written;
  const absl::Status write_status = EncodeJson(batch, [&](std::string_view piece) {
    written.append(piece);
    return absl::OkStatus();
  });
  FLARE_CHECK(write_status.ok(), base::Message(write_status));
  model::Batch again;
  const absl::Status read_status = DecodeJson(written, &again, &warnings);
  FLARE_CHECK(read_status.ok(), base::Message(read_status), " in ", written);
  if (IndexCheck(batch).Run()) {
    FLARE_CHECK(model::Dump(batch) == model::Dump(again), written);
  }
}

}  // namespace
}  // namespace flarestack::codec::otlp

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  flarestack::codec::otlp::Check({reinterpret_cast<const char*>(data), size});
  return 0;
}
