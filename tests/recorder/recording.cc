// SPDX-License-Identifier: Apache-2.0
#include "recording.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>

#include "base/text/text.h"
#include "codec/registry.h"
#include "codec/testing/read_write.h"
#include "model/attribute_text.h"
#include "model/frame.h"

namespace flarestack::testing {
namespace {

std::string SampleAttribute(const model::Dictionary& dictionary, model::Slice attributes,
                            std::string_view key) {
  for (uint32_t i = attributes.begin; i < attributes.begin + attributes.count; ++i) {
    const model::Attribute& one = dictionary.attributes[dictionary.attribute_indices[i].value];
    if (dictionary.Text(one.key) == key)
      return model::AttributeText(dictionary, one.value);
  }
  return "";
}

std::map<std::string, std::string> SampleAttributes(const model::Dictionary& dictionary,
                                                    model::Slice attributes) {
  std::map<std::string, std::string> texts;
  for (uint32_t i = attributes.begin; i < attributes.begin + attributes.count; ++i) {
    const model::Attribute& one = dictionary.attributes[dictionary.attribute_indices[i].value];
    texts[std::string(dictionary.Text(one.key))] = model::AttributeText(dictionary, one.value);
  }
  return texts;
}

std::string ResourceAttribute(const model::Dictionary& dictionary, model::Slice nodes,
                              std::string_view key) {
  for (uint32_t i = nodes.begin; i < nodes.begin + nodes.count; ++i) {
    if (dictionary.Key(dictionary.nodes[i]) == key)
      return model::AttributeText(dictionary, dictionary.nodes[i].value);
  }
  return "";
}

bool HasBuildId(const model::Dictionary& dictionary, model::LocationIndex location) {
  const model::Mapping& mapping =
      dictionary.mappings[dictionary.locations[location.value].mapping.value];
  return !SampleAttribute(dictionary, mapping.attributes, "process.executable.build_id.gnu")
              .empty();
}

template <typename Entry>
std::vector<Entry> Part(const std::vector<Entry>& all, model::Slice slice) {
  return {all.begin() + slice.begin, all.begin() + slice.begin + slice.count};
}

RecordedSample SampleOf(const model::Batch& batch, const model::Sample& sample) {
  const model::Dictionary& dictionary = batch.dictionary;
  RecordedSample recorded = {
      .command = SampleAttribute(dictionary, sample.attributes, "thread.name"),
      .state = SampleAttribute(dictionary, sample.attributes, "off_cpu.state"),
      .weight = model::Weight(batch, sample),
      .values = Part(batch.values, sample.values),
      .attributes = SampleAttributes(dictionary, sample.attributes)};
  std::vector<model::Frame> frames = model::FramesOf(dictionary, sample.stack);
  std::reverse(frames.begin(), frames.end());
  for (const model::Frame& frame : frames) {
    const bool is_kernel = model::FrameType(dictionary, frame.location) == "kernel";
    (is_kernel ? recorded.kernel : recorded.user).push_back(model::FrameName(dictionary, frame));
    if (!is_kernel)
      recorded.has_build_id.push_back(HasBuildId(dictionary, frame.location));
  }
  return recorded;
}

constexpr int kEmulatedTimes = 10;

// "-F 499" becomes "-F 49".
std::vector<std::string> ForThisMachine(std::vector<std::string> flags) {
  for (size_t i = 0; IsEmulated() && i + 1 < flags.size(); ++i) {
    if (flags[i] == "-F")
      flags[i + 1] = base::StrCat(std::atoi(flags[i + 1].c_str()) / kEmulatedTimes);
  }
  return flags;
}

bool IsLate(const RecordedSample& sample) {
  return !sample.user.empty() && (sample.user.front() == "[truncated: unwind table not loaded]" ||
                                  sample.user.front() == "[truncated: no mapping]");
}

}  // namespace

bool IsEmulated() { return std::getenv("FLARESTACK_EMULATED") != nullptr; }

std::string Preamble() {
  return base::StrCat(R"(#define _GNU_SOURCE
#include <stdio.h>
#include <time.h>
#define NOINLINE __attribute__((noinline))
#define KEEP_FRAME __asm__ volatile("" ::: "memory")
static const double kSeconds = )",
                      IsEmulated() ? "5" : "0.5", R"(;
static volatile unsigned long sink;
static double Used(void) {
  struct timespec time;
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
  return (double)time.tv_sec + (double)time.tv_nsec * 1e-9;
}
static double Stolen(void) {
  unsigned long long ticks = 0;
  FILE* const file = fopen("/proc/stat", "r");
  if (file == 0)
    return 0;
  fscanf(file, "cpu %*u %*u %*u %*u %*u %*u %*u %llu", &ticks);
  fclose(file);
  return (double)ticks / 100;
}
/* The host of a virtual machine takes time that counts as used, and in which no clock ticks: a turn
   that takes this long does not count. */
static NOINLINE void Burn(double seconds) {
  double last = Used(), end = last + seconds, end_max = last + 40 * seconds;
  while (last < end && last < end_max) {
    for (int i = 0; i < 20000; ++i)
      sink = sink * 3 + (unsigned long)i;
    const double now = Used();
    if (now - last > 0.002)
      end += now - last;
    last = now;
  }
  KEEP_FRAME;
}
)");
}

std::string Compile(const TemporaryFolder& folder, const ProgramOptions& options) {
  const bool is_cpp = options.compiler.find("++") != std::string::npos;
  const std::string source = folder.Write(options.name + (is_cpp ? ".cc" : ".c"),
                                          base::StrCat(Preamble(), options.source));
  const std::string program = folder.File(options.name);
  const RunResult run = RunProgram(
      {"/bin/sh", "-c",
       base::StrCat(options.compiler, " -w -o ", program, " ", source, " ", options.flags)});
  EXPECT_EQ(run.exit_code, 0) << run.error;
  return program;
}

bool HasProgram(const std::string& name) {
  return RunProgram({"/bin/sh", "-c", "command -v " + name + " || exit 1"}).exit_code == 0;
}

bool RecordedSample::IsComplete() const {
  return !user.empty() && !user.front().starts_with("[truncated");
}

bool RecordedSample::IsBetweenPrograms() const {
  const auto is_between = [](const std::string& function) {
    return function == "do_exit" || function == "bprm_execve";
  };
  if (user == std::vector<std::string>{"[exec]"})
    return true;
  return user.empty() && std::any_of(kernel.begin(), kernel.end(), is_between);
}

std::vector<RecordedSample> ReadSamples(const std::string& path) {
  std::vector<RecordedSample> samples;
  const std::string bytes = ReadWhole(path);
  const codec::Reader* const reader = codec::FindReader(bytes);
  if (reader == nullptr) {
    ADD_FAILURE() << path << " is not a profile";
    return samples;
  }
  const auto batch = codec::testing::ReadOne(*reader, bytes);
  if (!batch.ok()) {
    ADD_FAILURE() << path << ": " << batch.status();
    return samples;
  }
  for (const model::Resource& resource : batch->resources) {
    for (const model::Scope& scope : Part(batch->scopes, resource.scopes)) {
      for (const model::Profile& profile : Part(batch->profiles, scope.profiles)) {
        for (const model::Sample& sample : Part(batch->samples, profile.samples)) {
          samples.push_back(SampleOf(*batch, sample));
          samples.back().type = batch->dictionary.Text(profile.sample_type.type);
          const auto attribute = [&](std::string_view key) {
            return ResourceAttribute(batch->dictionary, resource.attributes, key);
          };
          samples.back().pid = std::atoll(attribute("process.pid").c_str());
          samples.back().executable = attribute("process.executable.path");
          samples.back().service = base::StrCat(attribute("service.name"), " (",
                                                attribute("flarestack.service.name.rule"), ")");
          samples.back().runtime = base::StrCat(attribute("process.runtime.name"), " ",
                                                attribute("process.runtime.version"));
        }
      }
    }
  }
  return samples;
}

Share Recording::CompleteOf(std::string_view command) const {
  Share share;
  for (const RecordedSample& sample : samples) {
    if (sample.type != "samples" || sample.command != command || sample.IsBetweenPrograms())
      continue;
    share.all += sample.weight;
    if (sample.IsComplete())
      share.complete += sample.weight;
    else
      share.incomplete.push_back(StackText(sample));
  }
  return share;
}

int64_t Recording::CountWith(std::string_view command,
                             const std::vector<std::string>& functions) const {
  int64_t count = 0;
  for (const RecordedSample& sample : samples) {
    if (sample.type == "samples" && sample.command == command && HasInOrder(sample.user, functions))
      count += sample.weight;
  }
  return count;
}

Recording Record(const TemporaryFolder& folder, const std::vector<std::string>& flags,
                 const std::vector<std::string>& command, const RunOptions& options) {
  Recording recording;
  recording.path = folder.File("recorded.otlp");
  std::vector<std::string> words = {"record", "-n", "0", "-o", recording.path};
  for (const std::string& flag : ForThisMachine(flags))
    words.push_back(flag);
  words.push_back("--");
  words.insert(words.end(), command.begin(), command.end());
  recording.run = Flarestack(words, options);
  recording.samples = ReadSamples(recording.path);
  if (IsEmulated())
    std::erase_if(recording.samples, IsLate);
  return recording;
}

bool HasInOrder(const std::vector<std::string>& frames, const std::vector<std::string>& functions) {
  auto next = functions.begin();
  for (const std::string& frame : frames) {
    if (next != functions.end() && frame == *next)
      ++next;
  }
  return next == functions.end();
}

std::string_view UntilItRecords() {
  return R"(
while kill -0 $recorder && ! ls -l /proc/$recorder/fd 2>/dev/null | grep -q bpf_link; do :; done
)";
}

std::string StackText(const RecordedSample& sample) {
  std::string text = sample.command;
  for (const auto* part : {&sample.user, &sample.kernel}) {
    for (const std::string& frame : *part)
      base::StrAppend(&text, ";", frame);
  }
  return text;
}

}  // namespace flarestack::testing
