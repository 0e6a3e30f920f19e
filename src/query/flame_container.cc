// SPDX-License-Identifier: Apache-2.0
#include "query/flame_container.h"

#include <bit>

#include "absl/container/flat_hash_map.h"
#include "base/byte_io.h"
#include "base/status.h"

namespace flarestack::query {
namespace {

constexpr std::string_view kMagic = "FLAM";
constexpr uint8_t kVersion = 1;
constexpr uint8_t kHasProbabilities = 1;
constexpr size_t kHeaderBytes = 8;
constexpr size_t kColumnsMax = 16;

class Encoder {
 public:
  std::string Encode(const Flame& flame) {
    std::string body;
    AppendString(flame.type, &body);
    AppendString(flame.unit, &body);
    base::AppendVarint(flame.path.size(), &body);
    for (const std::string& name : flame.path)
      AppendString(name, &body);
    base::AppendVarint(flame.frames.size(), &body);
    for (const TreeFrame& frame : flame.frames) {
      for (const std::string* text : {&frame.name, &frame.file, &frame.module, &frame.type})
        AppendString(*text, &body);
      base::AppendSigned(frame.line, &body);
      base::AppendVarint(frame.flags, &body);
    }
    AppendNodes(flame, &body);

    std::string out(kMagic);
    out.push_back(static_cast<char>(kVersion));
    out.push_back(static_cast<char>(flame.probabilities.empty() ? 0 : kHasProbabilities));
    out.push_back(static_cast<char>(flame.self.size()));
    out.push_back(0);
    base::AppendVarint(strings_.size(), &out);
    for (const std::string_view text : strings_)
      base::AppendBytes(text, &out);
    return out + body;
  }

 private:
  void AppendString(const std::string& text, std::string* out) {
    const auto [at, is_new] = numbers_.try_emplace(text, strings_.size());
    if (is_new)
      strings_.push_back(at->first);
    base::AppendVarint(at->second, out);
  }

  static void AppendNodes(const Flame& flame, std::string* out) {
    base::AppendVarint(flame.nodes.size(), out);
    uint32_t depth = 0;
    for (const Flame::Node& node : flame.nodes) {
      base::AppendSigned(int64_t{node.depth} - depth, out);
      depth = node.depth;
    }
    for (const Flame::Node& node : flame.nodes)
      base::AppendVarint(node.frame, out);
    for (const std::vector<int64_t>& column : flame.self) {
      for (const int64_t value : column)
        base::AppendSigned(value, out);
    }
    for (const Flame::Node& node : flame.nodes) {
      if ((flame.frames[node.frame].flags & TreeFrame::kFolded) != 0)
        base::AppendVarint(node.folded, out);
    }
    for (const float probability : flame.probabilities)
      base::AppendBigEndian(std::bit_cast<uint32_t>(probability), out);
  }

  absl::flat_hash_map<std::string, size_t> numbers_;
  std::vector<std::string> strings_;
};

class Decoder {
 public:
  explicit Decoder(std::string_view bytes) : in_(bytes.substr(kHeaderBytes)) {}

  absl::StatusOr<Flame> Decode(size_t columns, bool has_probabilities) {
    strings_.resize(in_.Count());
    for (std::string& text : strings_)
      text = in_.Bytes();
    flame_.type = String();
    flame_.unit = String();
    flame_.path.resize(in_.Count());
    for (std::string& name : flame_.path)
      name = String();
    flame_.frames.resize(in_.Count());
    for (TreeFrame& frame : flame_.frames) {
      for (std::string* text : {&frame.name, &frame.file, &frame.module, &frame.type})
        *text = String();
      frame.line = in_.Signed();
      frame.flags = in_.Varint32();
    }
    flame_.nodes.resize(in_.Count());
    ReadNodes(columns);
    if (has_probabilities)
      ReadProbabilities();
    if (!in_.AtEnd() || !is_sound_)
      return absl::InvalidArgumentError("flame graph: cut short or broken");
    return std::move(flame_);
  }

 private:
  const std::string& String() {
    static const std::string kEmpty;
    const uint64_t number = in_.Varint();
    if (number < strings_.size())
      return strings_[number];
    is_sound_ = false;
    return kEmpty;
  }

  // Preorder: a node is at most one below the one before it, and only the first is at the top.
  void ReadNodes(size_t columns) {
    int64_t depth = 0;
    for (size_t i = 0; i < flame_.nodes.size(); ++i) {
      const int64_t difference = in_.Signed();
      const bool is_sound = i == 0 ? difference == 0 : difference <= 1 && difference >= 1 - depth;
      is_sound_ &= is_sound;
      depth = is_sound ? depth + difference : 1;
      flame_.nodes[i].depth = static_cast<uint32_t>(depth);
    }
    for (Flame::Node& node : flame_.nodes) {
      node.frame = in_.Varint32();
      if (node.frame >= flame_.frames.size()) {
        is_sound_ = false;
        return;
      }
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

std::string EncodeFlame(const Flame& flame) { return Encoder().Encode(flame); }

absl::StatusOr<Flame> DecodeFlame(std::string_view bytes) {
  if (bytes.size() < kHeaderBytes || !bytes.starts_with(kMagic))
    return absl::InvalidArgumentError("not a flame graph");
  if (static_cast<uint8_t>(bytes[4]) != kVersion) {
    return absl::InvalidArgumentError(base::StrCat("flame graph of version ",
                                                   static_cast<int>(static_cast<uint8_t>(bytes[4])),
                                                   ", of which this program knows 1"));
  }
  const auto columns = static_cast<uint8_t>(bytes[6]);
  if (columns > kColumnsMax || (bytes[5] & ~kHasProbabilities) != 0 || bytes[7] != 0)
    return absl::InvalidArgumentError("flame graph: broken header");
  return Decoder(bytes).Decode(columns, (bytes[5] & kHasProbabilities) != 0);
}

}  // namespace flarestack::query
