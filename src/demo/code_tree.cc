// SPDX-License-Identifier: Apache-2.0
#include "demo/code_tree.h"

#include <charconv>

#include "base/check.h"

namespace flarestack::demo {
namespace {

template <typename T>
T ParseNumber(std::string_view digits) {
  T number = 0;
  const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), number);
  FLARE_CHECK(error == std::errc() && end == digits.data() + digits.size());
  return number;
}

// What stands behind the last `separator`, which is cut off; empty where there is none.
std::string_view CutTail(std::string_view* text, std::string_view separator) {
  const size_t at = text->rfind(separator);
  if (at == std::string_view::npos)
    return {};
  const std::string_view tail = text->substr(at + separator.size());
  *text = text->substr(0, at);
  return tail;
}

Frame ParseFrame(std::string_view text, std::string_view type) {
  Frame frame;
  frame.type = type;
  if (text.starts_with('[')) {
    const size_t end = text.find("] ");
    FLARE_CHECK(end != std::string_view::npos);
    frame.type = text.substr(1, end - 1);
    text.remove_prefix(end + 2);
  }
  frame.is_inlined = text.starts_with('~');
  if (frame.is_inlined)
    text.remove_prefix(1);
  frame.file = CutTail(&text, " @ ");
  frame.line = ParseNumber<int64_t>(CutTail(&frame.file, ":"));
  frame.function = text;
  FLARE_CHECK(!frame.function.empty() && !frame.file.empty());
  return frame;
}

}  // namespace

const WeightedStack& CodeTree::Pick(Random* random) const {
  uint64_t at = random->Below(weight);
  for (const WeightedStack& stack : stacks) {
    if (at < stack.weight)
      return stack;
    at -= stack.weight;
  }
  return stacks.back();
}

CodeTree ParseCodeTree(std::string_view text, std::string_view type) {
  CodeTree tree;
  std::vector<Frame> path;
  while (!text.empty()) {
    const size_t end = text.find('\n');
    std::string_view line = text.substr(0, end);
    text = end == std::string_view::npos ? std::string_view() : text.substr(end + 1);
    const size_t depth = line.find_first_not_of(' ');
    if (depth == std::string_view::npos)
      continue;
    FLARE_CHECK(depth <= path.size());
    line.remove_prefix(depth);
    const std::string_view weight = CutTail(&line, " * ");
    path.resize(depth);
    path.push_back(ParseFrame(line, path.empty() ? type : path.back().type));
    if (!weight.empty()) {
      tree.stacks.push_back({.root_first = path, .weight = ParseNumber<uint64_t>(weight)});
      tree.weight += tree.stacks.back().weight;
    }
  }
  FLARE_CHECK(tree.weight > 0);
  return tree;
}

}  // namespace flarestack::demo
