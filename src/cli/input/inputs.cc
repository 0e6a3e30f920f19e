// SPDX-License-Identifier: Apache-2.0
#include "cli/input/inputs.h"

#include <algorithm>

#include "base/file/file.h"
#include "base/status.h"
#include "base/text/text.h"
#include "cli/command/failure.h"
#include "codec/registry.h"

namespace flarestack::cli {

std::string InputName(const std::string& path) {
  return path == base::kStandardStream ? "standard input" : path;
}

int RejectRepeatedStandardInput(std::span<const std::string> paths) {
  if (std::ranges::count(paths, base::kStandardStream) < 2)
    return kSuccess;
  return Report({"standard input is given twice", "it can be read only once", "give it once"},
                kUsage);
}

std::string InputFormats() {
  std::string names;
  for (const codec::Reader* reader : codec::Readers())
    base::StrAppend(&names, names.empty() ? "" : ", ", reader->name);
  return names;
}

void AddInputFormat(CLI::App* app, std::string* format) {
  const auto reject = [](const std::string& name) -> std::string {
    if (codec::FindReaderByName(name) != nullptr)
      return "";
    return base::StrCat("unknown format \"", name, "\"; known formats: ", InputFormats());
  };
  app->add_option("--from", *format,
                  "format of the inputs: " + InputFormats() + " (default: detected by content)")
      ->type_name("FORMAT")
      ->check(CLI::Validator(reject, "", "format"));
}

codec::InputLimits LimitsOf(uint64_t bytes_max, const std::string& format) {
  return {.bytes_max = bytes_max, .reader = codec::FindReaderByName(format)};
}

std::optional<query::Pattern> ReadPattern(const std::string& regex, const std::string& what,
                                          int* code) {
  auto pattern = query::Pattern::Make(regex);
  if (pattern.ok())
    return *std::move(pattern);
  *code = Report(
      {what, std::string(base::Message(pattern.status())), "fix the regular expression and retry"},
      kUsage);
  return std::nullopt;
}

}  // namespace flarestack::cli
