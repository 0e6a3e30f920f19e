// SPDX-License-Identifier: Apache-2.0
//
// For any bytes, a check never crashes and gives the same result twice. A message without index
// findings also passes the index validation of the readers.
#include <string>

#include "base/check.h"
#include "check/check.h"
#include "codec/otlp/layouts/protobuf_reader.h"
#include "model/validation/validate.h"

namespace check = flarestack::check;
namespace model = flarestack::model;
namespace otlp = flarestack::codec::otlp;

namespace {

constexpr check::CheckOptions kOptions = {.findings_per_rule = 3,
                                          .now_unix_nano = 1'700'000'000'000'000'000,
                                          .limits = {.bytes_max = 1 << 22}};

std::string Text(const check::Report& report) {
  std::string text;
  for (const check::RuleFindings& rule : report.rules) {
    text += check::Info(rule.rule).id;
    text += std::to_string(rule.count);
    for (const check::Finding& finding : rule.kept)
      text += finding.path + ":" + finding.message + "\n";
  }
  return text;
}

bool HasIndexFinding(const check::Report& report) {
  for (const check::RuleFindings& rule : report.rules) {
    const std::string_view id = check::Info(rule.rule).id;
    if (id.ends_with("-index-range") || id == "table-empty" || id == "dictionary-missing")
      return true;
  }
  return false;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const std::string bytes(reinterpret_cast<const char*>(data), size);
  const auto file = check::CheckBytes(bytes, kOptions);
  if (file.ok()) {
    const auto again = check::CheckBytes(bytes, kOptions);
    FLARE_CHECK(again.ok() && Text(file->report) == Text(again->report));
  }
  (void)check::CheckResponse(bytes, kOptions).status();
  const otlp::Limits limits = {
      .table_entries_max = 1 << 16, .samples_max = 1 << 16, .list_elements_max = 1 << 18};
  model::Batch batch;
  if (!otlp::DecodeProtobuf(bytes, limits, &batch, otlp::ReservedEntries::kAsSent).ok())
    return 0;
  const check::Report report = check::Check(batch, kOptions);
  FLARE_CHECK(HasIndexFinding(report) != model::ValidateIndices(batch).ok(), Text(report));
  return 0;
}
