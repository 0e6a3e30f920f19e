// SPDX-License-Identifier: Apache-2.0
#include "base/counters.h"

#include "base/text/text.h"

namespace flarestack::base {

std::string LabelText(std::initializer_list<Counters::Label> labels) {
  if (labels.size() == 0)
    return "";
  std::string text = "{";
  for (const auto& [name, value] : labels) {
    if (text.size() > 1)
      text += ',';
    StrAppend(&text, name, "=\"");
    for (const char c : value) {
      if (c == '\n') {
        text += "\\n";
        continue;
      }
      if (c == '"' || c == '\\')
        text += '\\';
      text += c;
    }
    text += '"';
  }
  return text + "}";
}

void Counters::Add(std::string_view name, std::initializer_list<Label> labels, uint64_t count) {
  const std::string text = LabelText(labels);
  const MutexLock lock(mutex_);
  auto at = counts_.find(name);
  if (at == counts_.end())
    at = counts_.emplace(std::string(name), std::map<std::string, Count>()).first;
  const auto [entry, is_new] = at->second.try_emplace(text);
  if (is_new)
    entry->second.labels.assign(labels.begin(), labels.end());
  entry->second.value += count;
}

std::string_view Counters::Count::Label(std::string_view name) const {
  for (const auto& [key, text] : labels) {
    if (key == name)
      return text;
  }
  return {};
}

std::vector<Counters::Count> Counters::Find(std::string_view name) const {
  const MutexLock lock(mutex_);
  std::vector<Count> found;
  if (const auto at = counts_.find(name); at != counts_.end()) {
    for (const auto& [labels, count] : at->second)
      found.push_back(count);
  }
  return found;
}

std::string Counters::Text() const {
  const MutexLock lock(mutex_);
  std::string text;
  for (const auto& [name, by_labels] : counts_) {
    StrAppend(&text, "# TYPE ", name, " counter\n");
    for (const auto& [labels, count] : by_labels)
      StrAppend(&text, name, labels, " ", count.value, "\n");
  }
  return text;
}

}  // namespace flarestack::base
