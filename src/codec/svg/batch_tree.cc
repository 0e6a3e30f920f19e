// SPDX-License-Identifier: Apache-2.0
#include "codec/svg/batch_tree.h"

#include <vector>

#include "base/status.h"
#include "codec/format/stack_table.h"
#include "model/frame.h"

namespace flarestack::codec::svg {
namespace {

// The maximum number of frames visited, over all stacks: a small message can repeat long stacks
// with many inlined frames.
constexpr uint64_t kFramesMax = uint64_t{1} << 28;

class TreeMaker {
 public:
  explicit TreeMaker(const model::Dictionary& dictionary)
      : dictionary_(dictionary), frames_of_location_(dictionary.locations.size()) {}

  absl::Status Add(const model::StackWeight& sum) {
    stack_.clear();
    const model::Slice locations = dictionary_.stacks[sum.stack.value].locations;
    for (uint32_t i = locations.end(); i-- > locations.begin;) {
      const std::vector<model::CallFrameId>& frames = FramesOf(dictionary_.location_indices[i]);
      walked_ += frames.size();
      if (walked_ > kFramesMax) {
        return absl::ResourceExhaustedError(
            base::StrCat("the stacks have more than ", kFramesMax, " frames"));
      }
      stack_.insert(stack_.end(), frames.begin(), frames.end());
    }
    if (stack_.empty()) {
      stack_.push_back(builder_.Frame({.name = std::string(kNoStack)}));
    }
    return builder_.Add(stack_, sum.weight);
  }

  model::CallTree Finish() && { return std::move(builder_).Finish(); }

 private:
  // The functions at one location, physical caller first.
  const std::vector<model::CallFrameId>& FramesOf(model::LocationIndex index) {
    std::vector<model::CallFrameId>& ids = frames_of_location_[index.value];
    if (!ids.empty()) {
      return ids;
    }
    const auto lines = model::In(dictionary_.lines, dictionary_.locations[index.value].lines);
    const std::string_view type = model::FrameType(dictionary_, index);
    const auto add = [&](model::FunctionIndex function) {
      const model::Frame frame = {.location = index, .function = function, .filename = {}};
      std::string name = model::FrameName(dictionary_, frame);
      ids.push_back(builder_.Frame({.name = name.empty() ? std::string(kUnknownFrame) : name,
                                    .module = std::string(model::ModuleName(dictionary_, frame)),
                                    .type = std::string(type)}));
    };
    if (lines.empty()) {
      add({});
    }
    for (size_t i = lines.size(); i-- > 0;) {
      add(lines[i].function);
    }
    return ids;
  }

  const model::Dictionary& dictionary_;
  model::CallTreeBuilder builder_;
  std::vector<std::vector<model::CallFrameId>> frames_of_location_;
  std::vector<model::CallFrameId> stack_;  // scratch
  uint64_t walked_ = 0;
};

}  // namespace

absl::StatusOr<model::CallTree> BatchTree(const model::Batch& batch,
                                          const model::SampleTypeView& type,
                                          base::Warnings* warnings) {
  TreeMaker maker(batch.dictionary);
  for (const model::StackWeight& sum : model::SumByStack(batch, type)) {
    if (sum.weight < 0) {
      warnings->Add("stack of negative weight omitted", base::StrCat(sum.weight));
      continue;
    }
    FLARE_RETURN_IF_ERROR(maker.Add(sum));
  }
  return std::move(maker).Finish();
}

}  // namespace flarestack::codec::svg
