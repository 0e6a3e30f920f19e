// SPDX-License-Identifier: Apache-2.0
//
// OTLP protobuf against libprotobuf in the same run, on the same bytes, taking turns so that a
// noisy neighbour hits both. Each line prints our speed, theirs, the ratio and the required ratio.
// Also measures files given as arguments.
#include <google/protobuf/arena.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "base/warnings.h"
#include "codec/otlp/layouts/protobuf_reader.h"
#include "codec/otlp/profiles/protobuf_writer.h"
#include "model/builder/batch_builder.h"
#include "model/builder/dictionary_merger.h"
#include "model/validation/validate.h"
#include "oracle/otlp_profiles.pb.h"
#include "sample_messages.h"

namespace flarestack::bench {
namespace {

namespace otlp = codec::otlp;
namespace wire = codec::wire;
using Clock = std::chrono::steady_clock;

// Keeps results of the measured code alive, so that the compiler cannot remove it.
uint64_t g_sink = 0;

double SecondsOf(const std::function<void()>& work, int repeats) {
  const auto start = Clock::now();
  for (int i = 0; i < repeats; ++i)
    work();
  return std::chrono::duration<double>(Clock::now() - start).count() / repeats;
}

struct Contest {
  const char* name;
  double ratio_min;
  std::function<void()> ours;
  std::function<void()> theirs;
};

// The best of several short turns: noise only ever adds time.
bool Run(const Contest& contest, size_t bytes) {
  constexpr int kTurns = 15;
  const int repeats = static_cast<int>(std::max<size_t>(1, (8u << 20) / bytes));
  double ours = 1e9;
  double theirs = 1e9;
  for (int turn = 0; turn < kTurns; ++turn) {
    ours = std::min(ours, SecondsOf(contest.ours, repeats));
    theirs = std::min(theirs, SecondsOf(contest.theirs, repeats));
  }
  const double megabytes = static_cast<double>(bytes) / 1e6;
  const double ratio = theirs / ours;
  std::printf("  %-34s %7.0f MB/s  libprotobuf %6.0f MB/s  ratio %5.2f  (budget %.1f) %s\n",
              contest.name, megabytes / ours, megabytes / theirs, ratio, contest.ratio_min,
              ratio >= contest.ratio_min ? "ok" : "MISSED");
  return ratio >= contest.ratio_min;
}

// Arena parse that reuses the first block, the fastest way in libprotobuf.
class ArenaParser {
 public:
  explicit ArenaParser(const std::string& bytes)
      : bytes_(bytes), block_(bytes.size() * 16 + (1 << 20)) {}
  void Parse() {
    google::protobuf::ArenaOptions options;
    options.initial_block = block_.data();
    options.initial_block_size = block_.size();
    google::protobuf::Arena arena(options);
    auto* message = google::protobuf::Arena::CreateMessage<oracle::ProfilesData>(&arena);
    if (!message->ParseFromString(bytes_))
      std::abort();
    g_sink += static_cast<uint64_t>(message->resource_profiles_size());
  }

 private:
  const std::string& bytes_;
  std::vector<char> block_;
};

void InternTables(const model::Dictionary& from, model::DictionaryBuilder* to) {
  model::DictionaryMerger merger(from, to);
  merger.NeedEverything();
  merger.Run();
  for (uint32_t i = 0; i < from.stacks.size(); ++i) {
    g_sink += merger.Map(model::StackIndex{i}).value;
  }
}

bool Measure(const std::string& name, const std::string& bytes) {
  const otlp::Limits limits;
  model::Batch batch;
  const auto layout = otlp::DecodeProtobuf(bytes, limits, &batch);
  if (!layout.ok()) {
    std::printf("%s: %s\n", name.c_str(), layout.status().ToString().c_str());
    return false;
  }
  std::printf("%s: %zu bytes, layout %s\n", name.c_str(), bytes.size(),
              std::string(LayoutName(*layout)).c_str());
  ArenaParser parser(bytes);
  const auto parse = [&] { parser.Parse(); };
  const auto decode = [&] {
    if (!otlp::DecodeProtobuf(bytes, limits, &batch).ok())
      std::abort();
    g_sink += batch.samples.size();
  };
  base::Warnings warnings;
  const auto validate = [&] {
    decode();
    if (!model::ValidateIndices(batch).ok())
      std::abort();
    model::RepairText(&batch, &warnings);
  };
  model::BatchBuilder warm;
  const auto intern = [&] {
    validate();
    InternTables(batch.dictionary, &warm.dictionary());
  };
  oracle::ProfilesData message;
  if (!message.ParseFromString(bytes))
    return false;
  std::string encoded;
  const auto encode_theirs = [&] {
    message.SerializeToString(&encoded);
    g_sink += encoded.size();
  };
  const auto encode_ours = [&] {
    wire::ReverseWriter out(otlp::EstimateProtobufBytes(batch));
    otlp::EncodeProtobuf(batch, &out);
    g_sink += out.size();
  };
  bool ok = Run({"decode", 4, decode, parse}, bytes.size());
  ok = Run({"decode, check UTF-8 and indices", 3, validate, parse}, bytes.size()) && ok;
  ok = Run({"the same, interned, warm dictionary", 2, intern, parse}, bytes.size()) && ok;
  ok = Run({"encode", 2, encode_ours, encode_theirs}, bytes.size()) && ok;
  return ok;
}

}  // namespace
}  // namespace flarestack::bench

int main(int argc, char** argv) {
  return flarestack::bench::MeasureMessages(argc, argv, flarestack::bench::Measure);
}
