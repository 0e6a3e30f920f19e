// SPDX-License-Identifier: Apache-2.0
#include "codec/speedscope/speedscope_writer.h"

#include <algorithm>
#include <array>
#include <limits>
#include <tuple>

#include "absl/container/flat_hash_map.h"
#include "base/saturating.h"
#include "base/status.h"
#include "base/text/encoding.h"
#include "codec/format/piece_writer.h"
#include "codec/format/stack_table.h"
#include "model/frame.h"
#include "model/sample_type.h"

namespace flarestack::codec::speedscope {
namespace {

// The maximum number of frame references in the file, over all profiles: a small message may repeat
// long stacks very often.
constexpr uint64_t kFrameReferencesMax = uint64_t{1} << 27;
constexpr std::string_view kSchema = "https://www.speedscope.app/file-format-schema.json";
constexpr std::array<std::string_view, 1> kExtensions = {".speedscope.json"};
constexpr std::array<std::string_view, 5> kUnits = {"nanoseconds", "microseconds", "milliseconds",
                                                    "seconds", "bytes"};

std::string_view UnitOf(std::string_view unit) {
  return std::ranges::find(kUnits, unit) != kUnits.end() ? unit : "none";
}

// shared.frames: each (name, file, line, column) once.
class FrameTable {
 public:
  explicit FrameTable(const model::Dictionary& dictionary)
      : dictionary_(dictionary), frames_of_location_(dictionary.locations.size()) {}

  // Root first. Returns kResourceExhausted if the file would grow out of proportion to its input.
  absl::StatusOr<std::vector<uint32_t>> Stack(model::StackIndex stack) {
    const auto locations =
        model::In(dictionary_.location_indices, dictionary_.stacks[stack.value].locations);
    std::vector<uint32_t> frames;
    for (size_t i = locations.size(); i-- > 0;) {
      const std::vector<uint32_t>& part = FramesOfLocation(locations[i]);
      references_ += part.size();
      if (references_ > kFrameReferencesMax) {
        return absl::ResourceExhaustedError(
            base::StrCat("the stacks have more than ", kFrameReferencesMax, " frames"));
      }
      frames.insert(frames.end(), part.begin(), part.end());
    }
    return frames;
  }

  // The elements of the array, as JSON.
  const std::string& json() const { return json_; }

 private:
  using Key = std::tuple<std::string, std::string_view, int64_t, int64_t>;

  const std::vector<uint32_t>& FramesOfLocation(model::LocationIndex index) {
    std::vector<uint32_t>& frames = frames_of_location_[index.value];
    if (!frames.empty()) {
      return frames;
    }
    const auto lines = model::In(dictionary_.lines, dictionary_.locations[index.value].lines);
    if (lines.empty()) {
      frames.push_back(Intern({.location = index, .function = {}, .filename = {}}));
    }
    for (size_t i = lines.size(); i-- > 0;) {
      const model::Function& function = dictionary_.functions[lines[i].function.value];
      frames.push_back(Intern({.location = index,
                               .function = lines[i].function,
                               .filename = dictionary_.Text(function.filename),
                               .line = lines[i].line,
                               .column = lines[i].column}));
    }
    return frames;
  }

  uint32_t Intern(const model::Frame& frame) {
    std::string name = model::FrameName(dictionary_, frame);
    if (name.empty()) {
      name = kUnknownFrame;
    }
    const auto next = static_cast<uint32_t>(ids_.size());
    const auto [it, added] =
        ids_.try_emplace(Key(std::move(name), frame.filename, frame.line, frame.column), next);
    if (added) {
      json_.append(next == 0 ? "\n{\"name\":" : ",\n{\"name\":");
      base::AppendJsonString(std::get<0>(it->first), &json_);
      if (!frame.filename.empty()) {
        json_.append(",\"file\":");
        base::AppendJsonString(frame.filename, &json_);
      }
      if (frame.line > 0) {
        base::StrAppend(&json_, ",\"line\":", frame.line);
      }
      if (frame.line > 0 && frame.column > 0) {
        base::StrAppend(&json_, ",\"col\":", frame.column);
      }
      json_.push_back('}');
    }
    return it->second;
  }

  const model::Dictionary& dictionary_;
  std::vector<std::vector<uint32_t>> frames_of_location_;
  absl::flat_hash_map<Key, uint32_t> ids_;
  std::string json_;
  uint64_t references_ = 0;
};

struct SampledProfile {
  std::string name;
  std::string_view unit;
  std::vector<std::vector<uint32_t>> stacks;  // root first, in the order of first appearance
  std::vector<int64_t> weights;
};

absl::StatusOr<SampledProfile> MakeProfile(const model::Batch& batch,
                                           const model::SampleTypeView& type,
                                           const WriteOptions& options, FrameTable* frames) {
  SampledProfile profile = {.name = base::StrCat(type.type, "/", type.unit),
                            .unit = UnitOf(type.unit),
                            .stacks = {},
                            .weights = {}};
  absl::flat_hash_map<std::vector<uint32_t>, size_t> positions;
  for (const model::StackWeight& sum : model::SumByStack(batch, type)) {
    if (sum.weight < 0) {
      options.warnings->Add("stack of negative weight omitted", base::StrCat(sum.weight));
      continue;
    }
    FLARE_ASSIGN(std::vector<uint32_t> stack, frames->Stack(sum.stack));
    const auto [it, added] = positions.try_emplace(std::move(stack), profile.weights.size());
    if (added) {
      profile.weights.push_back(0);
    }
    int64_t& weight = profile.weights[it->second];
    weight = base::SaturatingAdd(weight, sum.weight);
  }
  profile.stacks.resize(profile.weights.size());
  for (auto it = positions.begin(); it != positions.end();) {
    auto entry = positions.extract(it++);
    profile.stacks[entry.mapped()] = std::move(entry.key());
  }
  return profile;
}

std::string JsonString(std::string_view text) {
  std::string out;
  base::AppendJsonString(text, &out);
  return out;
}

absl::Status WriteProfile(const SampledProfile& profile, PieceWriter* out) {
  int64_t end = 0;
  for (const int64_t weight : profile.weights) {
    end = base::SaturatingAdd(end, weight);
  }
  FLARE_RETURN_IF_ERROR(out->Append("\n{\"type\":\"sampled\",\"name\":", JsonString(profile.name),
                                    ",\"unit\":\"", profile.unit,
                                    "\",\"startValue\":0,\"endValue\":", end, ",\n\"samples\":["));
  for (size_t i = 0; i < profile.stacks.size(); ++i) {
    FLARE_RETURN_IF_ERROR(out->Append(i == 0 ? "[" : ",["));
    for (size_t j = 0; j < profile.stacks[i].size(); ++j) {
      FLARE_RETURN_IF_ERROR(out->Append(j == 0 ? "" : ",", profile.stacks[i][j]));
    }
    FLARE_RETURN_IF_ERROR(out->Append("]"));
  }
  FLARE_RETURN_IF_ERROR(out->Append("],\n\"weights\":["));
  for (size_t i = 0; i < profile.weights.size(); ++i) {
    FLARE_RETURN_IF_ERROR(out->Append(i == 0 ? "" : ",", profile.weights[i]));
  }
  return out->Append("]}");
}

absl::Status Write(const model::Batch& batch, const WriteOptions& options, WriteBytes write) {
  std::vector<model::SampleTypeView> types = model::ListSampleTypes(batch);
  if (!options.sample_type.empty()) {
    FLARE_ASSIGN(model::SampleTypeView type, model::SelectSampleType(batch, options.sample_type));
    types = {std::move(type)};
  }
  FrameTable frames(batch.dictionary);
  std::vector<SampledProfile> profiles;
  for (const model::SampleTypeView& type : types) {
    FLARE_ASSIGN(SampledProfile profile, MakeProfile(batch, type, options, &frames));
    profiles.push_back(std::move(profile));
  }
  PieceWriter out(write);
  FLARE_RETURN_IF_ERROR(out.Append("{\"$schema\":\"", kSchema,
                                   "\",\n\"exporter\":\"flarestack\",\n\"name\":",
                                   JsonString(options.title.empty() ? "flarestack" : options.title),
                                   ",\n\"activeProfileIndex\":0,\n\"shared\":{\"frames\":[",
                                   frames.json(), "\n]},\n\"profiles\":["));
  for (size_t i = 0; i < profiles.size(); ++i) {
    FLARE_RETURN_IF_ERROR(out.Append(i == 0 ? "" : ","));
    FLARE_RETURN_IF_ERROR(WriteProfile(profiles[i], &out));
  }
  FLARE_RETURN_IF_ERROR(out.Append("\n]}\n"));
  return out.Flush();
}

}  // namespace

const Writer kSpeedscopeWriter = {
    .name = "speedscope",
    .summary = "JSON for speedscope, one profile per sample type",
    .extensions = kExtensions,
    .holds_one_sample_type = false,
    .write = Write,
};

}  // namespace flarestack::codec::speedscope
