// SPDX-License-Identifier: Apache-2.0
#include "check/json_findings.h"

#include "base/text/text.h"

namespace flarestack::check {
namespace {

using base::StrCat;

// Spells "resourceProfiles[0].schemaUrl" as in the schema, so that paths of all formats look alike.
std::string InSnakeCase(std::string_view path) {
  std::string text;
  for (const char c : path) {
    if (c >= 'A' && c <= 'Z') {
      text += '_';
      text += static_cast<char>(c - 'A' + 'a');
    } else {
      text += c;
    }
  }
  return text;
}

struct Id {
  Rule rule;
  size_t digits;
};

Id IdOf(std::string_view name) {
  if (name == "profileId")
    return {.rule = Rule::kProfileId, .digits = 32};
  return {.rule = Rule::kLinkIdLength, .digits = name == "traceId" ? size_t{32} : size_t{16}};
}

}  // namespace

// Building the path is the expensive part, and every member of a message may have a finding.
void JsonFindings::Add(Rule rule, MakePath path, Collector::MakeMessage message) {
  const std::string text = findings_.keeps(rule) ? InSnakeCase(path()) : "";
  findings_.Add(rule, root_.Field(text), message);
}

void JsonFindings::OnUnknownMember(std::string_view name, MakePath path) {
  Add(Rule::kUnknownField, path,
      [&] { return StrCat("unknown member ", Quote(name), "; readers skip it"); });
}

void JsonFindings::OnUnreadableId(std::string_view name, std::string_view text, MakePath path) {
  const Id id = IdOf(name);
  Add(id.rule, path, [&] {
    return StrCat(Quote(text), " is not an id; OTLP/JSON has ", id.digits, " hexadecimal digits");
  });
}

}  // namespace flarestack::check
