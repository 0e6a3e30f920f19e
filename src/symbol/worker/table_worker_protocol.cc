// SPDX-License-Identifier: Apache-2.0
#include "symbol/worker/table_worker_protocol.h"

#include <algorithm>
#include <array>
#include <charconv>

#include "base/byte_reader.h"
#include "base/status.h"
#include "base/text/encoding.h"
#include "base/text/text.h"

namespace flarestack::symbol {
namespace {

constexpr size_t kWordCount = 8;
constexpr size_t kTextBytesMax = 4096;
constexpr size_t kNotesMax = 50;
constexpr uint64_t kCodeMax = 16;  // kUnauthenticated

std::array<uint64_t, kWordCount> NumbersOf(const WorkerOrder& order) {
  return {order.has_executable,
          order.has_debug_file,
          order.has_supplementary,
          order.needs_filter,
          static_cast<uint64_t>(order.parent),
          order.limits.memory_bytes,
          order.limits.cpu_seconds,
          order.limits.file_bytes};
}

std::string_view Cut(std::string_view text) { return text.substr(0, kTextBytesMax); }

// Text for display and for JSON must be valid, no matter which file it came from.
std::string Text(std::string_view bytes) { return base::ToValidUtf8(Cut(bytes)); }

}  // namespace

bool operator==(const WorkerOrder& one, const WorkerOrder& other) {
  return NumbersOf(one) == NumbersOf(other);
}

std::vector<std::string> ToWords(const WorkerOrder& order) {
  std::vector<std::string> words;
  for (const uint64_t number : NumbersOf(order))
    words.push_back(base::StrCat(number));
  return words;
}

absl::StatusOr<WorkerOrder> OrderOf(std::span<const std::string> words) {
  if (words.size() != kWordCount)
    return absl::InvalidArgumentError(
        base::StrCat(words.size(), " numbers, expected ", kWordCount));
  std::array<uint64_t, kWordCount> numbers = {};
  for (size_t i = 0; i < kWordCount; ++i) {
    const char* const end = words[i].data() + words[i].size();
    const auto [rest, error] = std::from_chars(words[i].data(), end, numbers[i]);
    if (error != std::errc() || rest != end)
      return absl::InvalidArgumentError(base::StrCat("\"", words[i], "\" is not a number"));
  }
  return WorkerOrder{
      .has_executable = numbers[0] != 0,
      .has_debug_file = numbers[1] != 0,
      .has_supplementary = numbers[2] != 0,
      .needs_filter = numbers[3] != 0,
      .parent = static_cast<pid_t>(numbers[4]),
      .limits = {.memory_bytes = numbers[5], .cpu_seconds = numbers[6], .file_bytes = numbers[7]}};
}

std::string Encode(const WorkerReport& report) {
  std::string bytes;
  base::AppendVarint(static_cast<uint64_t>(report.status.code()), &bytes);
  base::AppendBytes(Cut(base::Message(report.status)), &bytes);
  base::AppendBytes(Cut(report.warning), &bytes);
  const size_t note_count = std::min(report.notes.size(), kNotesMax);
  base::AppendVarint(note_count, &bytes);
  for (size_t i = 0; i < note_count; ++i)
    base::AppendBytes(Cut(report.notes[i]), &bytes);
  return bytes;
}

absl::StatusOr<WorkerReport> DecodeReport(std::string_view bytes) {
  base::ByteReader in(bytes);
  WorkerReport report;
  const uint64_t code = in.Varint();
  const std::string_view message = in.Bytes();
  report.warning = Text(in.Bytes());
  const size_t note_count = in.Count();
  if (code > kCodeMax || note_count > kNotesMax)
    return absl::InvalidArgumentError("the report is malformed");
  for (size_t i = 0; i < note_count; ++i)
    report.notes.push_back(Text(in.Bytes()));
  if (!in.AtEnd())
    return absl::InvalidArgumentError("the report is truncated or has trailing bytes");
  report.status = absl::Status(static_cast<absl::StatusCode>(code), Text(message));
  return report;
}

}  // namespace flarestack::symbol
