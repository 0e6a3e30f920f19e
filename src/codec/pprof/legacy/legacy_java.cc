// SPDX-License-Identifier: Apache-2.0
//
// Heap and contention profiles of Java in text. Addresses are only row numbers in the table at the
// end.
//
//   --- heapz 1 ---
//   format = java
//   resolution = bytes
//     7048     1 @ 0x00000003 0x00000004
//
//   0x00000003 com.example.Cart.add (Cart.java:31)
//   0x00000004 com.example.Main.run (Native Method)
#include <array>
#include <limits>
#include <optional>
#include <vector>

#include "base/status.h"
#include "base/text/text.h"
#include "codec/pprof/legacy/legacy_heap.h"
#include "codec/pprof/legacy/legacy_readers.h"
#include "codec/pprof/legacy/legacy_text.h"

namespace flarestack::codec::pprof::legacy {
namespace {

constexpr std::string_view kHeapHeader = "--- heapz 1 ---";
constexpr std::string_view kContentionHeader = "--- contentionz 1 ---";
constexpr int64_t kHeapSamplingBytes = 512 * 1024;  // fixed in the writer, not stored in the file
constexpr int64_t kNanosPerMilli = 1'000'000;

struct Attribute {
  std::string_view name;
  std::string_view value;
};

std::optional<Attribute> ReadAttribute(std::string_view line) {
  const size_t equals = line.find('=');
  if (equals == std::string_view::npos || line.find('@') != std::string_view::npos) {
    return std::nullopt;
  }
  return Attribute{Trim(line.substr(0, equals)), Trim(line.substr(equals + 1))};
}

absl::Status SetNumber(std::string_view text, int64_t factor, int64_t* number) {
  const std::optional<int64_t> value = ParseInteger(text);
  if (!value) {
    return absl::InvalidArgumentError("an attribute that is not a 64-bit number");
  }
  *number = SaturatingMultiply(*value, factor);
  return absl::OkStatus();
}

absl::Status ApplyAttribute(Attribute attribute, bool is_heap, Profile& profile) {
  if (attribute.name == "format") {
    return attribute.value == "java" ? absl::OkStatus()
                                     : absl::InvalidArgumentError("a format that is not \"java\"");
  }
  if (attribute.name == "resolution") {
    if (is_heap) {
      profile.sample_types = {{"inuse_objects", "count"}, {"inuse_space", attribute.value}};
    } else {
      profile.sample_types = {{"contentions", "count"}, {"delay", attribute.value}};
    }
    return absl::OkStatus();
  }
  if (!is_heap && attribute.name == "sampling period") {
    profile.period_type = {"contentions", "count"};
    return SetNumber(attribute.value, 1, &profile.period);
  }
  if (!is_heap && attribute.name == "ms since reset") {
    return SetNumber(attribute.value, kNanosPerMilli, &profile.duration_nanos);
  }
  return absl::InvalidArgumentError("an unknown attribute");
}

struct Row {
  int64_t amount = 0;
  int64_t count = 0;
  std::vector<uint64_t> addresses;
};

// Parses "amount count @ addresses". Returns nullopt if the line is not such a row, which ends the
// samples.
absl::StatusOr<std::optional<Row>> ReadRow(const Lines& lines, base::Warnings* warnings) {
  Cursor in(lines.line());
  Row row;
  const std::optional<int64_t> amount = in.SignedDecimal();
  in.EatBlanks();
  const std::optional<int64_t> count = in.SignedDecimal();
  in.EatBlanks();
  if (!amount || !count || *amount < 0 || *count < 0 || !in.Eat("@")) {
    return std::nullopt;
  }
  row.amount = *amount;
  row.count = *count;
  FLARE_ASSIGN(row.addresses, ReadAddresses(in));
  WarnOfRest(in, lines, warnings);
  return row;
}

absl::Status AddRow(const Row& row, bool is_heap, Builder& builder) {
  const Profile& profile = builder.profile();
  if (profile.sample_types.empty()) {
    return absl::InvalidArgumentError("a sample, but no attribute \"resolution\" before it");
  }
  if (is_heap) {
    if (row.count == 0) {
      return absl::InvalidArgumentError("bytes in 0 objects");
    }
    const HeapPair real = Unsample({row.count, row.amount}, kHeapSamplingBytes);
    builder.AddSample(row.addresses, std::array<int64_t, 2>{real.count, real.bytes});
    builder.AddNumberLabel("bytes", row.amount / row.count);
    return absl::OkStatus();
  }
  const int64_t factor = profile.period == 0 ? 1 : profile.period;
  builder.AddSample(row.addresses, std::array<int64_t, 2>{SaturatingMultiply(row.count, factor),
                                                          SaturatingMultiply(row.amount, factor)});
  return absl::OkStatus();
}

struct Frame {
  std::string_view function = {};
  std::string_view file = {};
  int64_t line = 0;
};

// "function (file:line)", "function (path of a library)", "function (Native Method)", or a bare
// name like "GC".
Frame ReadFrame(std::string_view text) {
  const size_t open = text.rfind(" (");
  if (!text.ends_with(')') || open == std::string_view::npos || open == 0) {
    const bool is_stub = text.find("generated stub/JIT") != std::string_view::npos;
    return {.function = is_stub ? "STUB" : text};
  }
  Frame frame = {.function = Trim(text.substr(0, open))};
  const std::string_view place = text.substr(open + 2, text.size() - open - 3);
  const size_t colon = place.rfind(':');
  if (colon != std::string_view::npos && colon > 0) {
    if (const std::optional<int64_t> line = ParseInteger(place.substr(colon + 1))) {
      frame.file = place.substr(0, colon);
      frame.line = *line > 0 ? *line : 0;
      return frame;
    }
  }
  // Java stack traces use these words for "no file"; google/pprof reads them as a file name.
  if (place != "Native Method" && place != "Unknown Source") {
    frame.file = place.substr(place.rfind('/') + 1);
  }
  return frame;
}

}  // namespace

bool IsJavaProfile(std::string_view bytes) {
  constexpr int kAttributesMax = 16;
  Lines lines(bytes);
  lines.NextMeaningful();
  if (lines.line() == kHeapHeader) {
    return true;
  }
  if (lines.line() != kContentionHeader) {
    return false;
  }
  // C++ writes the same first line, but neither of these attributes.
  for (int i = 0; i < kAttributesMax && lines.NextMeaningful(); ++i) {
    const std::optional<Attribute> attribute = ReadAttribute(lines.line());
    if (!attribute) {
      return false;
    }
    if (attribute->name == "format" || attribute->name == "resolution") {
      return true;
    }
  }
  return false;
}

absl::Status ReadJavaProfile(std::string_view bytes, Builder& builder) {
  Lines lines(bytes);
  lines.NextMeaningful();
  const bool is_heap = lines.line() == kHeapHeader;
  bool is_header = true;
  Lines table = lines;  // positioned before the first line that is not a row
  for (; lines.Next(); table = lines) {
    if (lines.line().empty()) {
      continue;
    }
    const std::optional<Attribute> attribute =
        is_header ? ReadAttribute(lines.line()) : std::nullopt;
    absl::Status status;
    if (attribute) {
      status = ApplyAttribute(*attribute, is_heap, builder.profile());
    } else {
      is_header = false;
      const absl::StatusOr<std::optional<Row>> row = ReadRow(lines, &builder.warnings());
      if (row.ok() && !row->has_value()) {
        break;
      }
      status = row.ok() ? AddRow(**row, is_heap, builder) : row.status();
    }
    if (!status.ok()) {
      return lines.Error(base::Message(status));
    }
  }
  ReadJavaLocations(table, builder);
  return absl::OkStatus();
}

void ReadJavaLocations(Lines lines, Builder& builder) {
  while (lines.Next()) {
    Cursor in(lines.line());
    const std::optional<uint64_t> address = in.Eat("0x") ? in.Hex() : std::nullopt;
    if (!address || !in.EatBlanks()) {
      if (!lines.line().empty()) {
        builder.warnings().Add("line that is not a location",
                               base::Message(lines.Error("skipped")));
      }
      continue;
    }
    if (const std::optional<uint32_t> location = builder.FindLocation(*address)) {
      const Frame frame = ReadFrame(in.rest());
      const Line line = {.function = builder.InternFunction(frame.function, frame.file),
                         .line = frame.line};
      builder.SetLines(*location, std::span(&line, 1));
      // The number is no longer needed, and two profiles number the same frame differently. A
      // location without a name keeps its number, because nothing else identifies it; google/pprof
      // removes it there too.
      builder.profile().locations[*location].address = 0;
    }
  }
}

}  // namespace flarestack::codec::pprof::legacy
