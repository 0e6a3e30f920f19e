// SPDX-License-Identifier: Apache-2.0
#include "server/api/value_json.h"

#include <array>
#include <cmath>

#include "base/text/encoding.h"
#include "base/text/text.h"

namespace flarestack::server::api {
namespace {

constexpr double kWholeMax = 9'007'199'254'740'992;  // 2^53: larger doubles skip integers

template <size_t size>
std::string NameOf(int32_t number, const std::array<std::string_view, size>& names) {
  if (number >= 0 && static_cast<size_t>(number) < size)
    return std::string(names[static_cast<size_t>(number)]);
  return base::StrCat(number);
}

}  // namespace

Json TimeJson(uint64_t nanos) { return base::StrCat(nanos); }

Json NumberJson(double number) {
  if (!std::isfinite(number))
    return nullptr;
  if (std::abs(number) < kWholeMax && std::trunc(number) == number)
    return static_cast<int64_t>(number);
  return number;
}

// The decoder limits nesting, which also limits this recursion.
Json ValueJson(const model::SignalBatch& batch, const model::AnyValue& value) {
  using Kind = model::AnyValue::Kind;
  switch (value.kind) {
    case Kind::kEmpty:
    case Kind::kStringIndex:
      return nullptr;
    case Kind::kString:
      return value.text;
    case Kind::kBool:
      return value.bool_value;
    case Kind::kInt:
      return value.int_value;
    case Kind::kDouble:
      return NumberJson(value.double_value);
    case Kind::kBytes:
      return base::HexEncode(value.text);
    case Kind::kKeyValueList:
      return AttributesJson(batch, value.nodes);
    case Kind::kArray:
      break;
  }
  Json list = Json::array();
  for (const model::KeyValue& node : model::In(batch.nodes, value.nodes))
    list.push_back(ValueJson(batch, node.value));
  return list;
}

Json AttributesJson(const model::SignalBatch& batch, model::Slice attributes) {
  Json object = Json::object();
  for (const model::KeyValue& node : model::In(batch.nodes, attributes))
    object[std::string(node.key)] = ValueJson(batch, node.value);
  return object;
}

std::string KindText(model::SpanKind kind) {
  constexpr std::array<std::string_view, 6> kNames = {"unspecified", "internal", "server",
                                                      "client",      "producer", "consumer"};
  return NameOf(static_cast<int32_t>(kind), kNames);
}

std::string StatusText(model::SpanStatusCode status) {
  constexpr std::array<std::string_view, 3> kNames = {"unset", "ok", "error"};
  return NameOf(static_cast<int32_t>(status), kNames);
}

}  // namespace flarestack::server::api
