// SPDX-License-Identifier: Apache-2.0
#include "cli/record/runtime_survey.h"

#include <algorithm>
#include <memory>
#include <set>
#include <span>
#include <string_view>
#include <utility>

#include "base/status.h"
#include "base/text/text.h"
#include "model/attribute_text.h"
#include "model/frame.h"
#include "record/agent/recorder.h"

namespace flarestack::cli {
namespace {

using std::chrono::milliseconds;
using std::chrono::steady_clock;

constexpr uint32_t kFrequencyHz = 99;
constexpr milliseconds kStep{100};
constexpr milliseconds kWarmUp{1000};

void RunRecorder(record::agent::Recorder* recorder, milliseconds duration,
                 absl::FunctionRef<bool()> may_continue) {
  const auto begin = steady_clock::now();
  while (steady_clock::now() - begin < duration && may_continue())
    recorder->Step(kStep);
}

std::string Attribute(const model::Batch& batch, const model::Resource& resource,
                      std::string_view key) {
  const model::Dictionary& dictionary = batch.dictionary;
  const model::Slice& nodes = resource.attributes;
  for (uint32_t i = nodes.begin; i < nodes.begin + nodes.count; ++i) {
    if (dictionary.Key(dictionary.nodes[i]) == key)
      return model::AttributeText(dictionary, dictionary.nodes[i].value);
  }
  return "";
}

template <typename Entry>
std::span<const Entry> Part(const std::vector<Entry>& all, const model::Slice& slice) {
  return std::span(all).subspan(slice.begin, slice.count);
}

bool IsLanguage(std::string_view frame_type) {
  return frame_type == "cpython" || frame_type == "jvm" || frame_type == "v8js";
}

// "[truncated: too deep]" is "too deep"; empty for a complete stack.
std::string_view TruncationReason(std::string_view outermost) {
  constexpr std::string_view kBegin = "[truncated: ";
  if (!outermost.starts_with(kBegin) || !outermost.ends_with(']'))
    return {};
  return outermost.substr(kBegin.size(), outermost.size() - kBegin.size() - 1);
}

void CountSample(const model::Batch& batch, const model::Sample& sample, RuntimeShare* share) {
  const auto weight = static_cast<uint64_t>(std::max<int64_t>(model::Weight(batch, sample), 0));
  const std::vector<model::Frame> frames = model::FramesOf(batch.dictionary, sample.stack);
  share->samples += weight;
  std::string outermost;
  for (const model::Frame& frame : frames) {
    outermost = model::FrameName(batch.dictionary, frame);
    if (!IsLanguage(model::FrameType(batch.dictionary, frame.location)))
      continue;
    share->frames += weight;
    // A frame without a name has its address: <python 0x7f...>.
    share->frames_named += outermost.starts_with('<') && outermost.ends_with('>') &&
                                   outermost.find(" 0x") != std::string::npos
                               ? 0
                               : weight;
  }
  if (const std::string_view reason = TruncationReason(outermost); reason.empty())
    share->samples_complete += weight;
  else
    share->reasons[std::string(reason)] += weight;
}

}  // namespace

void CountRuntimes(const model::Batch& batch, RuntimeSurvey* survey) {
  std::map<std::string, RuntimeShare> shares;
  std::map<std::string, std::set<std::string>> processes;
  for (const model::Resource& resource : batch.resources) {
    std::string runtime = Attribute(batch, resource, "process.runtime.name");
    if (const std::string version = Attribute(batch, resource, "process.runtime.version");
        !version.empty())
      base::StrAppend(&runtime, " ", version);
    RuntimeShare& share = shares[runtime];
    processes[runtime].insert(Attribute(batch, resource, "process.pid"));
    for (const model::Scope& scope : Part(batch.scopes, resource.scopes)) {
      for (const model::Profile& profile : Part(batch.profiles, scope.profiles)) {
        if (batch.dictionary.Text(profile.sample_type.type) != "samples")
          continue;
        for (const model::Sample& sample : Part(batch.samples, profile.samples))
          CountSample(batch, sample, &share);
      }
    }
    share.processes = processes[runtime].size();
  }
  for (auto& [runtime, share] : shares) {
    survey->samples += share.samples;
    share.runtime = runtime;
    if (!runtime.empty())
      survey->runtimes.push_back(std::move(share));
  }
  std::ranges::stable_sort(survey->runtimes, std::ranges::greater(), &RuntimeShare::samples);
}

absl::StatusOr<RuntimeSurvey> SurveyRuntimes(milliseconds duration,
                                             absl::FunctionRef<bool()> may_continue) {
  record::agent::RecorderOptions options;
  options.frequency_hz = kFrequencyHz;
  FLARE_ASSIGN(const std::unique_ptr<record::agent::Recorder> recorder,
               record::agent::Recorder::Create(options));
  FLARE_RETURN_IF_ERROR(recorder->Begin());
  RunRecorder(recorder.get(), kWarmUp, may_continue);
  FLARE_RETURN_IF_ERROR(recorder->Take().status());
  const auto begin = steady_clock::now();
  RunRecorder(recorder.get(), duration, may_continue);
  RuntimeSurvey survey = {
      .duration = std::chrono::duration_cast<milliseconds>(steady_clock::now() - begin)};
  recorder->End();
  FLARE_ASSIGN(const model::Batch batch, recorder->Take());
  CountRuntimes(batch, &survey);
  survey.problems = recorder->stats().runtime_problems;
  return survey;
}

}  // namespace flarestack::cli
