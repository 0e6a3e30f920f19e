// SPDX-License-Identifier: Apache-2.0
#include "server/api/signals/log_facets.h"

#include <algorithm>
#include <utility>
#include <vector>

#include "absl/strings/ascii.h"
#include "query/traces/span_tree.h"

namespace flarestack::server::api {
namespace {

constexpr size_t kPatternBytesMax = 120;
constexpr size_t kValuesTracked = 1000;
constexpr size_t kHexDigitsMin = 8;

bool IsWord(char letter) {
  return absl::ascii_isalnum(static_cast<unsigned char>(letter)) || letter == '_';
}
bool IsDigit(char letter) { return letter >= '0' && letter <= '9'; }
bool IsHex(char letter) { return absl::ascii_isxdigit(static_cast<unsigned char>(letter)); }

// Length of the number at the start of `text`; 0 if there is none. Digits may be separated by dots,
// commas and colons: 1,234.5 and 10:00:03 are one number each.
size_t NumberBytes(std::string_view text) {
  const size_t hex = static_cast<size_t>(std::ranges::find_if_not(text, IsHex) - text.begin());
  if (hex >= kHexDigitsMin)
    return hex;
  if (text.empty() || !IsDigit(text[0]))
    return 0;
  size_t end = 1;
  for (size_t i = 1; i < text.size(); ++i) {
    if (IsDigit(text[i]))
      end = i + 1;
    else if (text[i] != '.' && text[i] != ',' && text[i] != ':')
      break;
  }
  return end;
}

// Cuts the text to kPatternBytesMax without splitting a UTF-8 character.
std::string_view Prefix(std::string_view text) {
  if (text.size() <= kPatternBytesMax)
    return text;
  size_t end = kPatternBytesMax;
  while (end > 0 && (static_cast<unsigned char>(text[end]) & 0xC0) == 0x80)
    --end;
  return text.substr(0, end);
}

}  // namespace

size_t SeverityLine(const model::LogRecord& record) {
  const auto number = static_cast<int32_t>(record.severity_number);
  return number < 1 || number > 24 ? 0 : static_cast<size_t>((number + 3) / 4);
}

std::string LogPattern(std::string_view body) {
  const std::string_view text = Prefix(body);
  std::string pattern;
  for (size_t i = 0; i < text.size();) {
    const bool is_start = i == 0 || !IsWord(text[i - 1]);
    const size_t bytes = is_start ? NumberBytes(text.substr(i)) : 0;
    pattern += bytes == 0 ? text[i] : '#';
    i += std::max<size_t>(bytes, 1);
  }
  return pattern;
}

void LogFacets::Counts::Add(std::string_view value, uint64_t count) {
  auto found = values.find(value);
  if (found == values.end()) {
    if (values.size() >= kValuesTracked) {
      untracked += count;
      return;
    }
    found = values.emplace(value, 0).first;
  }
  found->second += count;
}

Json LogFacets::Counts::ToJson(size_t limit) const {
  std::vector<std::pair<std::string_view, uint64_t>> rows(values.begin(), values.end());
  std::ranges::stable_sort(rows, [](const auto& a, const auto& b) { return a.second > b.second; });
  Json listed = Json::array();
  uint64_t other = untracked;
  for (const auto& [value, count] : rows) {
    if (listed.size() < limit)
      listed.push_back({{"value", value}, {"count", count}});
    else
      other += count;
  }
  return {{"values", std::move(listed)}, {"other", other}};
}

void LogFacets::Add(const model::LogBatch& batch) {
  for (const model::Resource& resource : batch.resources) {
    uint64_t count = 0;
    for (const model::ItemScope& scope : model::In(batch.scopes, resource.scopes))
      count += scope.items.count;
    if (count > 0)
      services_.Add(query::ServiceName(batch, resource), count);
  }
  for (const model::LogRecord& record : batch.log_records) {
    ++severities_[SeverityLine(record)];
    if (record.body.kind == model::AnyValue::Kind::kString)
      patterns_.Add(LogPattern(record.body.text), 1);
  }
}

Json LogFacets::ToJson(size_t limit) const {
  Json severities = Json::array();
  for (size_t line = severities_.size(); line-- > 0;) {
    if (severities_[line] > 0) {
      severities.push_back(
          {{"value", line == 0 ? std::string_view("none") : kSeverityNames[line - 1]},
           {"count", severities_[line]}});
    }
  }
  return {{"services", services_.ToJson(limit)},
          {"severities", {{"values", std::move(severities)}, {"other", 0}}},
          {"patterns", patterns_.ToJson(limit)}};
}

}  // namespace flarestack::server::api
