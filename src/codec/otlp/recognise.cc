// SPDX-License-Identifier: Apache-2.0
#include "codec/otlp/recognise.h"

#include <algorithm>
#include <cstdint>
#include <optional>

#include "base/text/text.h"
#include "codec/wire/reader.h"
#include "model/signal.h"

namespace flarestack::codec::otlp {
namespace {

using wire::kBytes;
using wire::kFixed64;
using wire::kVarint;
using wire::Reader;
using wire::Tag;

constexpr int kFieldsLookedAt = 64;

enum class Shape { kEmpty, kRight, kWrong };

// In every OTLP message here, the fields up to `known_max` are messages or text.
Shape ShapeOf(std::string_view bytes, uint32_t known_max) {
  wire::Fault fault;
  Shape shape = Shape::kEmpty;
  int fields = 0;
  for (Reader in(bytes, &fault); fields < kFieldsLookedAt && in.Next(); ++fields) {
    if (in.field() <= known_max) {
      if (in.type() != kBytes)
        return Shape::kWrong;
      shape = Shape::kRight;
    }
    in.Skip();
  }
  return fault.is_set() && fields == 0 ? Shape::kWrong : shape;
}

// Looks for tables that only a dictionary has: strings, attributes, stacks. A pprof sample, which
// has the same field number, ends before them.
bool IsDictionary(std::string_view bytes) {
  wire::Fault fault;
  int fields = 0;
  for (Reader in(bytes, &fault); fields < kFieldsLookedAt && in.Next(); ++fields) {
    if (in.field() >= 5 && in.field() <= 7)
      return in.type() == kBytes;
    in.Skip();
  }
  return false;
}

// Returns the content of the first field `number`; used to descend from message to message.
std::optional<std::string_view> First(std::string_view bytes, uint32_t number) {
  wire::Fault fault;
  for (Reader in(bytes, &fault); in.Next();) {
    if (in.tag() == Tag(number, kBytes)) {
      const std::string_view content = in.Bytes();
      return fault.is_set() ? std::nullopt : std::optional(content);
    }
    in.Skip();
  }
  return std::nullopt;
}

bool IsText(std::string_view bytes) {
  return !bytes.empty() && std::ranges::all_of(bytes, [](char c) {
    return static_cast<unsigned char>(c) >= ' ' && c != '\x7f';
  });
}

// An item of a scope. A profile begins with a pair of numbers and samples, and its field 3 is a
// time; the ids, times and names of other signals stand in the same places.
model::Signal SignalOfItem(std::string_view item) {
  constexpr size_t kTraceIdBytes = 16;
  constexpr size_t kSpanIdBytes = 8;
  wire::Fault fault;
  bool has_trace_id = false;
  bool has_span_id = false;
  bool has_name = false;
  for (Reader in(item, &fault); in.Next();) {
    switch (in.tag()) {
      case Tag(1, kFixed64):
      case Tag(2, kVarint):
      case Tag(11, kFixed64):
        return model::Signal::kLogs;
      case Tag(3, kFixed64):
        return model::Signal::kProfiles;
      case Tag(1, kBytes): {
        const std::string_view bytes = in.Bytes();
        has_trace_id = bytes.size() == kTraceIdBytes;
        has_name = IsText(bytes);
        break;
      }
      case Tag(2, kBytes):
        has_span_id = in.Bytes().size() == kSpanIdBytes;
        break;
      default:
        in.Skip();
    }
  }
  if (has_trace_id && has_span_id)
    return model::Signal::kTraces;
  return has_name ? model::Signal::kMetrics : model::Signal::kProfiles;
}

}  // namespace

bool LooksLikeOtlp(std::string_view bytes) {
  constexpr uint32_t kResourceFields = 3;
  constexpr uint32_t kDictionaryFields = 7;
  wire::Fault fault;
  bool has_outer_message = false;
  bool has_content = false;
  bool has_more = false;  // tables of 1.6, future fields, or a pprof
  int fields = 0;
  for (Reader in(bytes, &fault); fields < kFieldsLookedAt && in.Next(); ++fields) {
    if (in.field() > 2) {
      has_more = true;
      in.Skip();
      continue;
    }
    if (in.type() != kBytes)
      return false;
    const bool is_resource = in.field() == 1;
    const std::string_view content = in.Bytes();
    if (fault.is_set()) {
      has_outer_message = has_outer_message || fields == 0;
      break;
    }
    const Shape shape = ShapeOf(content, is_resource ? kResourceFields : kDictionaryFields);
    if (is_resource && shape == Shape::kWrong)
      return false;  // a pair of numbers: a sample type of pprof
    if (shape == Shape::kWrong)
      continue;  // a mapping of 1.6
    has_outer_message = true;
    has_content = has_content || (is_resource ? shape == Shape::kRight : IsDictionary(content));
  }
  // A pprof whose sample type has no name also begins with an empty field 1.
  if (has_more && !has_content)
    return false;
  return has_outer_message;
}

absl::Status OtherSignalError(model::Signal signal) {
  return absl::InvalidArgumentError(base::StrCat("OTLP ", model::SignalName(signal),
                                                 ", not profiles; send them to a server at /v1/",
                                                 model::SignalName(signal)));
}

model::Signal SignalOf(std::string_view bytes) {
  wire::Fault fault;
  for (Reader in(bytes, &fault); in.Next();) {
    if (in.tag() == Tag(2, kBytes))
      return model::Signal::kProfiles;  // a dictionary: no other signal has one
    if (in.tag() != Tag(1, kBytes)) {
      in.Skip();
      continue;
    }
    const std::string_view resource = in.Bytes();
    if (fault.is_set())
      break;
    const auto scope = First(resource, 2);
    const auto item = scope ? First(*scope, 2) : std::nullopt;
    if (item)
      return SignalOfItem(*item);
  }
  return model::Signal::kProfiles;
}

model::Signal SignalOfJson(std::string_view object) {
  const auto has = [&](std::string_view name) {
    return object.find(name) != std::string_view::npos;
  };
  if (has("\"resourceProfiles\"") || has("\"resource_profiles\""))
    return model::Signal::kProfiles;
  if (has("\"resourceSpans\"") || has("\"resource_spans\""))
    return model::Signal::kTraces;
  if (has("\"resourceLogs\"") || has("\"resource_logs\""))
    return model::Signal::kLogs;
  const bool has_metrics = has("\"resourceMetrics\"") || has("\"resource_metrics\"");
  return has_metrics ? model::Signal::kMetrics : model::Signal::kProfiles;
}

}  // namespace flarestack::codec::otlp
