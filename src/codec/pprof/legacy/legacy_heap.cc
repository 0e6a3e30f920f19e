// SPDX-License-Identifier: Apache-2.0
//
// Heap profiles in text: tcmalloc, gperftools, Go with debug=1.
//
//   heap profile:  2:  4096 [  5:  9000] @ heap_v2/524288
//        1:     2048 [    3:     6000] @ 0x4005d0 0x4006aa
//   #  0x4005cf  main.grow+0x1f  /src/cart/main.go:12         (Go)
//   MAPPED_LIBRARIES:
#include "codec/pprof/legacy/legacy_heap.h"

#include <array>
#include <cmath>
#include <limits>
#include <vector>

#include "base/status.h"
#include "base/text/text.h"
#include "codec/pprof/legacy/legacy_mappings.h"
#include "codec/pprof/legacy/legacy_readers.h"
#include "codec/pprof/legacy/symbol_comments.h"

namespace flarestack::codec::pprof::legacy {
namespace {

constexpr std::string_view kHeaderStart = "heap profile:";

// "12: 4096"
std::optional<HeapPair> ReadPair(Cursor& in) {
  in.EatBlanks();
  const std::optional<int64_t> count = in.SignedDecimal();
  if (!count || !in.Eat(":")) {
    return std::nullopt;
  }
  in.EatBlanks();
  const std::optional<int64_t> bytes = in.SignedDecimal();
  if (!bytes) {
    return std::nullopt;
  }
  return HeapPair{*count, *bytes};
}

struct Header {
  HeapLayout layout = {};
  int64_t period = 1;
};

// Parses the word after the '@' of the header: "heap_v2/524288", "heapprofile", "growthz".
absl::StatusOr<Header> ReadKind(std::string_view text, bool has_alloc) {
  const std::string_view kind = text.substr(0, text.find('/'));
  if (kind.starts_with("growth") || kind.starts_with("fragmentation")) {
    return Header{};
  }
  if (kind == "heapprofile") {
    return Header{.layout = {.has_alloc = has_alloc}};
  }
  if (kind != "heap_v2" && kind != "heapz_v2" && kind != "heap") {
    return absl::InvalidArgumentError("an unknown kind of heap profile");
  }
  Header header{.layout = {.has_alloc = has_alloc, .is_sampled = true}, .period = 0};
  if (text.size() > kind.size() + 1) {
    Cursor in(text.substr(kind.size() + 1));
    const std::optional<int64_t> period = in.SignedDecimal();
    if (!period || *period < 0 || !in.AtEnd()) {
      return absl::InvalidArgumentError("a sampling period that is not a 64-bit number");
    }
    // Go writes twice its rate.
    header.period = kind == "heap" ? *period / 2 : *period;
  }
  return header;
}

absl::StatusOr<Header> ReadHeader(std::string_view line) {
  Cursor in(line.substr(line.find(kHeaderStart) + kHeaderStart.size()));
  const std::optional<HeapRow> total = ReadHeapRow(in);
  in.EatBlanks();
  if (!total || !in.Eat("@")) {
    return absl::InvalidArgumentError("not a header of a heap profile");
  }
  in.EatBlanks();
  return ReadKind(in.Word(), HasAlloc(*total));
}

absl::Status ReadSample(const Lines& lines, HeapLayout layout, Builder& builder) {
  Cursor in(lines.line());
  const std::optional<HeapRow> row = ReadHeapRow(in);
  in.EatBlanks();
  if (!row || !in.Eat("@")) {
    return absl::InvalidArgumentError("expected a row \"count: bytes [count: bytes] @ addresses\"");
  }
  FLARE_ASSIGN(std::vector<uint64_t> addresses, ReadAddresses(in));
  WarnOfRest(in, lines, &builder.warnings());
  MoveIntoCalls(Leaf::kReturnAddress, addresses);
  return AddHeapSample(*row, layout, addresses, builder);
}

}  // namespace

std::optional<HeapRow> ReadHeapRow(Cursor& in) {
  const std::optional<HeapPair> inuse = ReadPair(in);
  in.EatBlanks();
  if (!inuse || !in.Eat("[")) {
    return std::nullopt;
  }
  const std::optional<HeapPair> alloc = ReadPair(in);
  in.EatBlanks();
  if (!alloc || !in.Eat("]")) {
    return std::nullopt;
  }
  return HeapRow{*inuse, *alloc};
}

HeapPair Unsample(HeapPair sampled, int64_t distance_bytes) {
  if (sampled.count == 0 || sampled.bytes == 0) {
    return {};
  }
  if (distance_bytes <= 1) {
    return sampled;
  }
  const auto count = static_cast<double>(sampled.count);
  const auto bytes = static_cast<double>(sampled.bytes);
  // Do not use the more exact expm1(): the values must match those of other tools to the last
  // digit.
  const double scale = 1 / (1 - std::exp(-(bytes / count) / static_cast<double>(distance_bytes)));
  return {SaturatingFromDouble(count * scale), SaturatingFromDouble(bytes * scale)};
}

bool HasAlloc(const HeapRow& total) {
  return (total.alloc.count != total.inuse.count && total.alloc.count != 0) ||
         (total.alloc.bytes != total.inuse.bytes && total.alloc.bytes != 0);
}

void SetHeapTypes(HeapLayout layout, int64_t period, Profile* profile) {
  profile->period_type = {"space", "bytes"};
  profile->period = period;
  if (layout.has_alloc) {
    // The in-use types come last, because the last type is shown by default.
    profile->sample_types = {{"alloc_objects", "count"},
                             {"alloc_space", "bytes"},
                             {"inuse_objects", "count"},
                             {"inuse_space", "bytes"}};
  } else {
    profile->sample_types = {{"objects", "count"}, {"space", "bytes"}};
  }
}

absl::Status AddHeapSample(const HeapRow& row, HeapLayout layout,
                           std::span<const uint64_t> addresses, Builder& builder) {
  std::array<int64_t, 4> values = {};
  size_t value_count = 0;
  int64_t mean_bytes = 0;
  const std::array<HeapPair, 2> pairs = {row.alloc, row.inuse};
  for (size_t i = layout.has_alloc ? 0 : 1; i < pairs.size(); ++i) {
    HeapPair pair = pairs[i];
    if (pair.count == 0 && pair.bytes != 0) {
      return absl::InvalidArgumentError(base::StrCat(pair.bytes, " bytes in 0 objects"));
    }
    if (pair.count != 0) {
      // -2^63 / -1 is the one quotient that does not fit.
      mean_bytes = pair.count == -1 ? SaturatingMultiply(pair.bytes, -1) : pair.bytes / pair.count;
      pair = layout.is_sampled ? Unsample(pair, builder.profile().period) : pair;
    }
    values[value_count++] = pair.count;
    values[value_count++] = pair.bytes;
  }
  builder.AddSample(addresses, std::span(values).first(value_count));
  builder.AddNumberLabel("bytes", mean_bytes);
  return absl::OkStatus();
}

bool IsHeapHeader(std::string_view line) {
  const size_t at = line.find(kHeaderStart);
  if (at == std::string_view::npos) {
    return false;
  }
  Cursor in(line.substr(at + kHeaderStart.size()));
  return ReadHeapRow(in).has_value();
}

absl::Status ReadHeapProfile(std::string_view bytes, Builder& builder) {
  Lines lines(bytes);
  lines.NextMeaningful();
  absl::StatusOr<Header> header = ReadHeader(lines.line());
  if (!header.ok()) {
    return lines.Error(base::Message(header.status()));
  }
  SetHeapTypes(header->layout, header->period, &builder.profile());
  SymbolComments symbols(builder);
  while (lines.Next()) {
    if (symbols.Take(lines.line()) || lines.line().empty()) {
      continue;
    }
    if (StartsMemoryMap(lines.line())) {
      break;
    }
    if (absl::Status added = ReadSample(lines, header->layout, builder); !added.ok()) {
      return lines.Error(base::Message(added));
    }
  }
  symbols.Finish();
  ReadMemoryMap(lines, &builder.profile(), &builder.warnings());
  return absl::OkStatus();
}

}  // namespace flarestack::codec::pprof::legacy
