// SPDX-License-Identifier: Apache-2.0
#include "query/flame/flame_container.h"

#include <algorithm>
#include <bit>
#include <numeric>

#include "absl/container/flat_hash_map.h"
#include "base/byte_reader.h"
#include "base/helper_pool.h"
#include "base/status.h"

namespace flarestack::query {
namespace {

constexpr std::string_view kMagic = "FLAM";
constexpr uint8_t kVersion = 1;
constexpr uint8_t kHasProbabilities = 1;
constexpr size_t kHeaderBytes = 8;
constexpr size_t kColumnsMax = 16;

// Limit for decoded text: a few bytes can claim a long shared prefix.
constexpr size_t kTextBytesMax = 128 << 20;

// The distinct texts of a flame graph, sorted: neighbours share a prefix, and only the rest is
// stored. AppendNext follows the order of Add, so each text is looked up once.
class Texts {
 public:
  explicit Texts(size_t frame_count) {
    known_.reserve(frame_count);
    texts_.reserve(frame_count);
    uses_.reserve(frame_count * 4);
  }

  void Add(std::string_view text) {
    // Consecutive frames often share a file or binary, or have none.
    if (!uses_.empty() && texts_[uses_.back()] == text) {
      uses_.push_back(uses_.back());
      return;
    }
    const auto [at, is_new] = known_.try_emplace(text, static_cast<uint32_t>(texts_.size()));
    if (is_new)
      texts_.push_back(text);
    uses_.push_back(at->second);
  }

  // Appends all texts. Call after the last Add.
  void AppendAll(std::string* out) {
    std::vector<uint32_t> order(texts_.size());
    std::iota(order.begin(), order.end(), 0);
    std::ranges::sort(order, {}, [&](uint32_t i) { return texts_[i]; });
    numbers_.resize(order.size());
    base::AppendVarint(order.size(), out);
    std::string_view before;
    for (uint32_t i = 0; i < order.size(); ++i) {
      numbers_[order[i]] = i;
      const std::string_view text = texts_[order[i]];
      const auto differ = std::mismatch(text.begin(), text.end(), before.begin(), before.end());
      const auto shared = static_cast<size_t>(differ.first - text.begin());
      base::AppendVarint(shared, out);
      base::AppendBytes(text.substr(shared), out);
      before = text;
    }
  }

  void AppendNext(std::string* out) { base::AppendVarint(numbers_[uses_[next_++]], out); }

 private:
  absl::flat_hash_map<std::string_view, uint32_t> known_;
  std::vector<std::string_view> texts_;  // in the order they were added
  std::vector<uint32_t> numbers_;        // sorted position of each text
  std::vector<uint32_t> uses_;
  size_t next_ = 0;
};

class Encoder {
 public:
  explicit Encoder(const Flame& flame) : flame_(flame), texts_(flame.frames.size()) {}

  std::string Encode() {
    std::string out(kMagic);
    out.push_back(static_cast<char>(kVersion));
    out.push_back(static_cast<char>(flame_.probabilities.empty() ? 0 : kHasProbabilities));
    out.push_back(static_cast<char>(flame_.self.size()));
    out.push_back(0);
    std::string nodes;
    base::ParallelFor(2, [&](size_t part) {
      if (part == 0)
        AppendTextsAndFrames(&out);
      else
        AppendNodes(&nodes);
      return absl::OkStatus();
    }).IgnoreError();  // it cannot fail
    out += nodes;
    return out;
  }

 private:
  static constexpr auto kFrameTexts = {&TreeFrame::name, &TreeFrame::file, &TreeFrame::module,
                                       &TreeFrame::type};

  // In the order of the container.
  void ForEachText(auto take) const {
    take(flame_.type);
    take(flame_.unit);
    for (const std::string& name : flame_.path)
      take(name);
    for (const auto text : kFrameTexts) {
      for (const TreeFrame& frame : flame_.frames)
        take(frame.*text);
    }
  }

  void AppendTextsAndFrames(std::string* out) {
    ForEachText([&](std::string_view text) { texts_.Add(text); });
    texts_.AppendAll(out);
    texts_.AppendNext(out);  // the type
    texts_.AppendNext(out);  // the unit
    base::AppendVarint(flame_.path.size(), out);
    for (size_t i = 0; i < flame_.path.size(); ++i)
      texts_.AppendNext(out);
    AppendFrames(out);
  }

  void AppendFrames(std::string* out) {
    base::AppendVarint(flame_.frames.size(), out);
    for (size_t i = 0; i < flame_.frames.size() * kFrameTexts.size(); ++i)
      texts_.AppendNext(out);
    for (const TreeFrame& frame : flame_.frames)
      base::AppendSigned(frame.line, out);
    for (const TreeFrame& frame : flame_.frames)
      base::AppendVarint(frame.flags, out);
  }

  void AppendNodes(std::string* out) const {
    base::AppendVarint(flame_.nodes.size(), out);
    uint32_t depth = 0;
    for (const Flame::Node& node : flame_.nodes) {
      base::AppendSigned(int64_t{node.depth} - depth, out);
      depth = node.depth;
    }
    uint64_t next = 0;  // frames are numbered by first use, so this is the most frequent value
    for (const Flame::Node& node : flame_.nodes) {
      base::AppendVarint(node.frame == next ? 0 : uint64_t{node.frame} + 1, out);
      next = std::max(next, uint64_t{node.frame} + 1);
    }
    for (const std::vector<int64_t>& column : flame_.self) {
      for (const int64_t value : column)
        base::AppendSigned(value, out);
    }
    for (const Flame::Node& node : flame_.nodes) {
      if ((flame_.frames[node.frame].flags & TreeFrame::kFolded) != 0)
        base::AppendVarint(node.folded, out);
    }
    for (const float probability : flame_.probabilities)
      base::AppendBigEndian(std::bit_cast<uint32_t>(probability), out);
  }

  const Flame& flame_;
  Texts texts_;
};

class Decoder {
 public:
  explicit Decoder(std::string_view bytes) : in_(bytes.substr(kHeaderBytes)) {}

  absl::StatusOr<Flame> Decode(size_t columns, bool has_probabilities) {
    ReadTexts();
    flame_.type = String();
    flame_.unit = String();
    flame_.path.resize(in_.Count());
    for (std::string& name : flame_.path)
      name = String();
    ReadFrames();
    flame_.nodes.resize(in_.Count());
    ReadNodes(columns);
    if (has_probabilities)
      ReadProbabilities();
    if (!in_.AtEnd() || !is_sound_)
      return absl::InvalidArgumentError("flame graph: truncated or corrupt");
    return std::move(flame_);
  }

 private:
  void ReadTexts() {
    strings_.resize(in_.Count());
    std::string_view before;
    size_t bytes = 0;
    for (std::string& text : strings_) {
      const uint64_t shared = in_.Varint();
      const std::string_view rest = in_.Bytes();
      is_sound_ &= shared <= before.size() && bytes <= kTextBytesMax;
      if (!is_sound_)
        return;
      text.assign(before.substr(0, shared));
      text.append(rest);
      bytes += text.size();
      before = text;
    }
  }

  void ReadFrames() {
    flame_.frames.resize(in_.Count());
    for (const auto text :
         {&TreeFrame::name, &TreeFrame::file, &TreeFrame::module, &TreeFrame::type}) {
      for (TreeFrame& frame : flame_.frames)
        frame.*text = String();
    }
    for (TreeFrame& frame : flame_.frames)
      frame.line = in_.Signed();
    for (TreeFrame& frame : flame_.frames)
      frame.flags = in_.Varint32();
  }

  const std::string& String() {
    static const std::string kEmpty;
    const uint64_t number = in_.Varint();
    if (number < strings_.size())
      return strings_[number];
    is_sound_ = false;
    return kEmpty;
  }

  // Preorder: a node is at most one level below its predecessor, and only the first has depth 0.
  void ReadNodes(size_t columns) {
    int64_t depth = 0;
    for (size_t i = 0; i < flame_.nodes.size(); ++i) {
      const int64_t difference = in_.Signed();
      const bool is_sound = i == 0 ? difference == 0 : difference <= 1 && difference >= 1 - depth;
      is_sound_ &= is_sound;
      depth = is_sound ? depth + difference : 1;
      flame_.nodes[i].depth = static_cast<uint32_t>(depth);
    }
    uint64_t next = 0;
    for (Flame::Node& node : flame_.nodes) {
      const uint64_t coded = in_.Varint();
      const uint64_t frame = coded == 0 ? next : coded - 1;
      if (frame >= flame_.frames.size()) {
        is_sound_ = false;
        return;
      }
      node.frame = static_cast<uint32_t>(frame);
      next = std::max(next, frame + 1);
    }
    flame_.self.resize(columns);
    for (std::vector<int64_t>& column : flame_.self) {
      column.resize(flame_.nodes.size());
      for (int64_t& value : column)
        value = in_.Signed();
    }
    for (Flame::Node& node : flame_.nodes) {
      if ((flame_.frames[node.frame].flags & TreeFrame::kFolded) != 0)
        node.folded = in_.Varint32();
    }
  }

  void ReadProbabilities() {
    flame_.probabilities.resize(flame_.nodes.size());
    for (float& probability : flame_.probabilities) {
      probability = std::bit_cast<float>(in_.BigEndian<uint32_t>());
      is_sound_ &= probability >= 0 && probability <= 1;
    }
  }

  base::ByteReader in_;
  Flame flame_;
  std::vector<std::string> strings_;
  bool is_sound_ = true;
};

}  // namespace

std::string EncodeFlame(const Flame& flame) { return Encoder(flame).Encode(); }

absl::StatusOr<Flame> DecodeFlame(std::string_view bytes) {
  if (bytes.size() < kHeaderBytes || !bytes.starts_with(kMagic))
    return absl::InvalidArgumentError("not a flame graph");
  if (static_cast<uint8_t>(bytes[4]) != kVersion) {
    return absl::InvalidArgumentError(base::StrCat("flame graph of version ",
                                                   static_cast<int>(static_cast<uint8_t>(bytes[4])),
                                                   ", this program supports version 1"));
  }
  const auto columns = static_cast<uint8_t>(bytes[6]);
  if (columns > kColumnsMax || (bytes[5] & ~kHasProbabilities) != 0 || bytes[7] != 0)
    return absl::InvalidArgumentError("flame graph: corrupt header");
  return Decoder(bytes).Decode(columns, (bytes[5] & kHasProbabilities) != 0);
}

}  // namespace flarestack::query
