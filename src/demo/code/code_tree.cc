// SPDX-License-Identifier: Apache-2.0
#include "demo/code/code_tree.h"

#include <charconv>
#include <utility>

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

// Cuts off and returns the text after the last `separator`; empty if there is none.
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

// Cuts off and returns the first line of `text`.
std::string_view TakeLine(std::string_view* text) {
  const size_t end = text->find('\n');
  const std::string_view line = text->substr(0, end);
  *text = end == std::string_view::npos ? std::string_view() : text->substr(end + 1);
  return line;
}

class TreeReader {
 public:
  TreeReader(std::string_view type, const CodePieces& pieces) : type_(type), pieces_(pieces) {}

  void Read(std::string_view line) {
    const size_t depth = line.find_first_not_of(' ');
    if (depth == std::string_view::npos)
      return;
    FLARE_CHECK(depth <= ends_.size());
    ends_.resize(depth);
    path_.resize(depth == 0 ? 0 : ends_.back());
    line.remove_prefix(depth);
    const std::string_view digits = CutTail(&line, " * ");
    const double weight = digits.empty() ? 0 : ParseNumber<uint32_t>(digits);
    if (line.starts_with('+')) {
      Graft(pieces_.at(line.substr(1)), weight);
    } else {
      path_.push_back(ParseFrame(line, path_.empty() ? type_ : path_.back().type));
      if (weight > 0)
        AddStack(path_, weight);
    }
    ends_.push_back(path_.size());
  }

  CodeTree Finish() && {
    if (tree_.stacks.empty())
      AddStack(path_, 1);
    FLARE_CHECK(!tree_.stacks.front().root_first.empty());
    return std::move(tree_);
  }

 private:
  void Graft(const CodeTree& piece, double weight) {
    if (weight == 0) {
      FLARE_CHECK(piece.stacks.size() == 1);
      Append(piece.stacks.front(), &path_);
      return;
    }
    for (const WeightedStack& stack : piece.stacks) {
      std::vector<Frame> whole = path_;
      Append(stack, &whole);
      AddStack(std::move(whole), weight * stack.weight / piece.weight);
    }
  }

  static void Append(const WeightedStack& stack, std::vector<Frame>* frames) {
    frames->insert(frames->end(), stack.root_first.begin(), stack.root_first.end());
  }

  void AddStack(std::vector<Frame> root_first, double weight) {
    tree_.stacks.push_back({.root_first = std::move(root_first), .weight = weight});
    tree_.weight += weight;
  }

  std::string_view type_;
  const CodePieces& pieces_;
  CodeTree tree_;
  std::vector<Frame> path_;
  std::vector<size_t> ends_;  // by depth in the text: the number of frames on the path
};

}  // namespace

const WeightedStack& CodeTree::Pick(Random* random) const {
  double at = random->Unit() * weight;
  for (const WeightedStack& stack : stacks) {
    if (at < stack.weight)
      return stack;
    at -= stack.weight;
  }
  return stacks.back();
}

CodeTree ParseCodeTree(std::string_view text, std::string_view type, const CodePieces& pieces) {
  TreeReader reader(type, pieces);
  while (!text.empty())
    reader.Read(TakeLine(&text));
  return std::move(reader).Finish();
}

void AddPieces(std::string_view text, std::string_view type, CodePieces* pieces) {
  constexpr std::string_view kMark = "\n= ";
  size_t at = text.find(kMark);
  while (at != std::string_view::npos) {
    const size_t end = text.find(kMark, at + 1);
    std::string_view piece = text.substr(at + kMark.size(), end - at - kMark.size());
    const std::string_view name = TakeLine(&piece);
    FLARE_CHECK(pieces->emplace(name, ParseCodeTree(piece, type, *pieces)).second);
    at = end;
  }
}

}  // namespace flarestack::demo
