// SPDX-License-Identifier: Apache-2.0
#include "codec/otlp/testing/heavy_message.h"

#include <vector>

#include "base/byte_reader.h"
#include "base/check.h"
#include "base/status.h"
#include "base/text/text.h"
#include "codec/otlp/profiles/json_writer.h"
#include "codec/otlp/profiles/protobuf_writer.h"
#include "model/builder/batch_builder.h"

namespace flarestack::codec::otlp::testing {
namespace {

constexpr uint64_t kServices = 3;
constexpr uint64_t kEventStep = 1'000;  // ns
constexpr int kLevels = 60;
constexpr size_t kValuesPerAttribute = 16;

class Maker {
 public:
  explicit Maker(const HeavyMessage& message) : message_(message) {}

  model::Batch Make() {
    AddProfile(base::StrCat("s", message_.number % kServices), "numbered");
    AddSample({base::StrCat("n", message_.number), "main"}, {message_.time_nanos});
    AddProfile("weight", "weighted");
    switch (message_.weight) {
      case Weight::kEvents:
        AddEvents();
        break;
      case Weight::kNesting:
        AddNesting();
        break;
      case Weight::kNames:
      case Weight::kEmpty:
        AddNames();
        break;
    }
    auto batch = std::move(builder_).Finish();
    FLARE_CHECK(batch.ok(), base::Message(batch.status()));
    return *std::move(batch);
  }

 private:
  void AddProfile(const std::string& service, std::string_view id_kind) {
    model::DictionaryBuilder& to = builder_.dictionary();
    const model::KeyValue name = {.key_index = to.String("service.name"),
                                  .value = model::AnyValue::Reference(to.String(service))};
    const model::ResourceId resource =
        builder_.AddResource({.present = true, .attributes = to.Nodes({{name}})});
    std::string id(id_kind);  // eight bytes
    base::AppendBigEndian(message_.number, &id);
    builder_.AddProfile(builder_.AddScope(resource, {}),
                        {.sample_type = {to.String("samples"), to.String("count")},
                         .time_unix_nano = message_.time_nanos,
                         .duration_nano = 1'000'000'000,
                         .profile_id = id});
  }

  void AddSample(const std::vector<std::string>& leaf_first, const std::vector<uint64_t>& times,
                 const std::vector<model::AttributeIndex>& attributes = {}) {
    model::DictionaryBuilder& to = builder_.dictionary();
    std::vector<model::LocationIndex> locations;
    for (const std::string& name : leaf_first) {
      const model::Line line = {.function = to.Function({.name = to.String(name)})};
      locations.push_back(to.Location({}, {{line}}, {}));
    }
    builder_.AddSample({.stack = to.Stack(locations),
                        .attributes = to.AttributeList(attributes),
                        .timestamps = builder_.Timestamps(times)});
  }

  void AddEvents() {
    std::vector<uint64_t> times(message_.items);
    for (size_t i = 0; i < times.size(); ++i)
      times[i] = message_.time_nanos + i * kEventStep;
    AddSample({"busy", "main"}, times);
  }

  void AddNames() {
    const size_t items = message_.weight == Weight::kEmpty ? 1 : message_.items;
    for (size_t i = 0; i < items; ++i)
      AddSample({base::StrCat("name_", HeavyNameNumber(message_.number), "_", i)},
                {message_.time_nanos});
  }

  void AddNesting() {
    for (size_t i = 0; i < message_.items; i += kValuesPerAttribute) {
      model::DictionaryBuilder& to = builder_.dictionary();
      std::vector<model::KeyValue> values(kValuesPerAttribute);
      for (size_t v = 0; v < values.size(); ++v)
        values[v].value = model::AnyValue::Int(static_cast<int64_t>(message_.number + i + v));
      model::AnyValue value = model::AnyValue::Array(to.Nodes(values));
      for (int level = 1; level < kLevels; ++level)
        value = model::AnyValue::Array(to.Nodes({{model::KeyValue{.value = value}}}));
      AddSample({"deep"}, {message_.time_nanos},
                {to.Attribute(to.String(base::StrCat("key", i % 8)), {}, to.dictionary(), value)});
    }
  }

  const HeavyMessage message_;
  model::BatchBuilder builder_;
};

// Field 2 of the request, with `count` empty functions and strings each.
std::string EmptyEntries(size_t count) {
  constexpr std::string_view kFunction("\x1a\x00", 2);  // field 3
  constexpr std::string_view kString("\x2a\x00", 2);    // field 5
  std::string entries;
  entries.reserve(count * kFunction.size());
  for (size_t i = 0; i < count; ++i)
    entries += i % 2 == 0 ? kFunction : kString;
  std::string bytes = "\x12";
  base::AppendVarint(entries.size(), &bytes);
  return bytes + entries;
}

}  // namespace

std::string HeavyProtobuf(const HeavyMessage& message) {
  const model::Batch batch = Maker(message).Make();
  wire::ReverseWriter out(EstimateProtobufBytes(batch));
  EncodeProtobuf(batch, &out);
  std::string bytes(out.view());
  if (message.weight == Weight::kEmpty)
    bytes += EmptyEntries(message.items);
  return bytes;
}

std::string HeavyJson(const HeavyMessage& message) {
  HeavyMessage with_json = message;
  if (message.weight == Weight::kEmpty)
    with_json.weight = Weight::kNames;
  std::string json;
  const absl::Status status = EncodeJson(Maker(with_json).Make(), [&](std::string_view piece) {
    json += piece;
    return absl::OkStatus();
  });
  FLARE_CHECK(status.ok(), base::Message(status));
  return json;
}

}  // namespace flarestack::codec::otlp::testing
