// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>
#include <unistd.h>

#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/file/file.h"
#include "base/status.h"
#include "base/warnings.h"
#include "cli/command/command.h"
#include "cli/command/failure.h"
#include "cli/command/makers.h"
#include "cli/command/usage_error.h"
#include "cli/flags/byte_limit.h"
#include "cli/flags/filter_flags.h"
#include "cli/input/inputs.h"
#include "cli/input/symbolize_flags.h"
#include "cli/output/batch_output.h"
#include "cli/terminal/progress.h"
#include "codec/format/format.h"
#include "codec/input_collector.h"
#include "codec/registry.h"
#include "query/stacks/stack_set_batch.h"
#include "server/ui/formats.h"
#include "server/ui/html_writer.h"

namespace flarestack::cli {
namespace {

class ConvertCommand : public Command {
 public:
  void Define(CLI::App* app) override;
  int Run() override;

 private:
  int CheckFlags(const codec::Writer& writer) const;
  std::string TitleFor(const codec::Writer& writer) const;
  int Filtered(model::Batch* batch) const;
  int ReadInputs(codec::InputCollector* inputs, Progress* progress) const;

  std::vector<std::string> paths_;
  std::string from_;
  std::string to_;
  std::string sample_type_;
  std::string title_;
  std::string progress_ = "auto";
  uint64_t bytes_max_ = codec::InputLimits{}.bytes_max;
  bool aggregate_ = false;
  SymbolizeFlags symbolize_;
  FilterFlags filters_;
  base::Warnings warnings_;
};

// The formats for the help text, from the registry.
std::string FormatHelp() {
  std::string text =
      "Input formats, detected by content or set by --from, optionally gzip or zstd compressed:\n";
  for (const codec::Reader* reader : codec::Readers()) {
    text += fmt::format("  {:<14}{}\n", reader->name, reader->summary);
  }
  text += "\nOutput formats, chosen by extension or --to:\n";
  for (const codec::Writer* writer : server::Writers()) {
    std::string extensions;
    for (const std::string_view extension : writer->extensions)
      extensions += " " + std::string(extension);
    text += fmt::format("  {:<14}{} ({})\n", writer->name, writer->summary, extensions.substr(1));
  }
  return text;
}

}  // namespace

void ConvertCommand::Define(CLI::App* app) {
  app->add_option("PATH", paths_, "inputs, then the output; - is standard input or output")
      ->required()
      ->expected(2, -1);
  AddInputFormat(app, &from_);
  app->add_option("--to", to_, "output format: " + server::WriterNames());
  app->add_option("--type", sample_type_,
                  "sample type for formats that hold only one, such as cpu or cpu/nanoseconds");
  app->add_option("--title", title_, "title of a flame graph (svg, html, speedscope)");
  app->add_flag("--aggregate", aggregate_,
                "pprof: drop timestamps and merge samples that differ only in them");
  symbolize_.Define(app);
  filters_.Define(app, FilterUse::kFile);
  AddByteLimit(app, &bytes_max_);
  app->add_option("--progress", progress_, "auto, plain or none")
      ->check(OneOf({"auto", "plain", "none"}));
  app->footer(
      FormatHelp() +
      "\nExamples:\n"
      "  flarestack convert cpu.pb.gz cpu.otlp              pprof to OTLP\n"
      "  flarestack convert a.pb.gz b.pb.gz merged.pb.gz    merge two profiles\n"
      "  flarestack convert --type alloc_space heap.pb.gz heap.svg\n"
      "  flarestack convert heap.pb.gz heap.html            a self-contained page\n"
      "  flarestack convert --only parse cpu.pb.gz parse.svg\n"
      "  perf script | flarestack convert - flame.svg\n"
      "  flarestack convert --symbolize host.otlp host.svg  with symbols from this machine\n"
      "  flarestack convert profile.otlp - --to folded | head");
}

int ConvertCommand::Run() {
  const std::string out_path = paths_.back();
  paths_.pop_back();
  const codec::Writer* writer = ChooseWriter(to_, out_path);
  if (writer == nullptr)
    return kUsage;
  if (out_path == base::kStandardStream && writer->is_binary && isatty(STDOUT_FILENO) != 0) {
    return Report({fmt::format("{} is binary and standard output is a terminal", writer->name),
                   "binary output would garble the terminal",
                   fmt::format("redirect with > out{}", writer->extensions[0])},
                  kUsage);
  }
  if (const int code = CheckFlags(*writer); code != kSuccess)
    return code;
  if (const int code = RejectRepeatedStandardInput(paths_); code != kSuccess)
    return code;
  const std::string out_name = out_path == base::kStandardStream ? "standard output" : out_path;
  const model::Batch* batch = nullptr;
  codec::InputCollector inputs(LimitsOf(bytes_max_, from_), &warnings_);
  {
    Progress progress(ProgressModeFrom(progress_));
    if (const int code = ReadInputs(&inputs, &progress); code != kSuccess)
      return code;
    auto finished = inputs.Finish();
    if (!finished.ok()) {
      return Report({"cannot merge the inputs", std::string(base::Message(finished.status())), ""},
                    kFailed);
    }
    if (symbolize_.is_on())
      symbolize_.Apply(*finished, &progress, &warnings_);
    if (const int code = Filtered(*finished); code != kSuccess)
      return code;
    batch = *finished;
    progress.Step("writing " + out_name);
    const codec::WriteOptions options = {.sample_type = sample_type_,
                                         .title = TitleFor(*writer),
                                         .aggregate = aggregate_,
                                         .plain = !filters_.empty(),
                                         .warnings = &warnings_};
    if (const int code = WriteBatch(*batch, *writer, options, out_path); code != kSuccess)
      return code;
  }
  PrintWarnings(warnings_);
  if (isatty(STDERR_FILENO) != 0) {
    const auto count = [](size_t number, std::string_view noun) {
      return fmt::format("{} {}{}", number, noun, number == 1 ? "" : "s");
    };
    fmt::print(stderr, "wrote {} as {}: {}, {}\n", out_name, writer->name,
               count(batch->profiles.size(), "profile"), count(batch->samples.size(), "sample"));
  }
  return kSuccess;
}

// Filtered stacks keep names, files, lines and modules, but lose addresses and attributes.
int ConvertCommand::Filtered(model::Batch* batch) const {
  if (filters_.empty())
    return kSuccess;
  query::Filter filter;
  std::vector<std::string> steps;
  if (const int code = filters_.Parse(&filter, &steps); code != kSuccess)
    return code;
  auto filtered = query::FilterBatch(*batch, filter);
  if (!filtered.ok())
    return Report({"cannot filter", std::string(base::Message(filtered.status())), ""}, kFailed);
  if (filtered->profiles.empty()) {
    return Report({"nothing to write", "the filters removed all stacks", "use fewer filters"},
                  kNothingFound);
  }
  *batch = *std::move(filtered);
  return kSuccess;
}

// An HTML page may be sent to others, so it gets a title.
std::string ConvertCommand::TitleFor(const codec::Writer& writer) const {
  if (!title_.empty() || &writer != &server::kHtmlWriter || paths_[0] == base::kStandardStream)
    return title_;
  const std::string name = std::filesystem::path(paths_[0]).filename().string();
  return paths_.size() == 1 ? name : fmt::format("{} and {} more", name, paths_.size() - 1);
}

// Rejects flags that do not apply to the output format instead of ignoring them.
int ConvertCommand::CheckFlags(const codec::Writer& writer) const {
  if (!sample_type_.empty() && !writer.takes_sample_type) {
    return Report({fmt::format("--type has no effect on {}", writer.name),
                   "this format holds all sample types of the input", "omit --type"},
                  kUsage);
  }
  if (aggregate_ && !writer.takes_aggregate) {
    return Report({fmt::format("--aggregate has no effect on {}", writer.name),
                   "it only affects timestamps in pprof output", "omit --aggregate"},
                  kUsage);
  }
  return kSuccess;
}

int ConvertCommand::ReadInputs(codec::InputCollector* inputs, Progress* progress) const {
  for (size_t i = 0; i < paths_.size(); ++i) {
    const std::string name = InputName(paths_[i]);
    progress->Step(fmt::format("reading {} ({} of {})", name, i + 1, paths_.size()));
    auto bytes = base::ReadFile(paths_[i], bytes_max_);
    absl::Status status = bytes.status();
    if (bytes.ok())
      status = inputs->Add(*std::move(bytes)).status();
    if (status.ok())
      continue;
    const std::string why(base::Message(status));
    const bool is_limit = why.find(std::to_string(bytes_max_)) != std::string::npos;
    return Report(
        {"cannot read " + name, why,
         is_limit ? "raise --max-bytes if you trust the file" : "flarestack help convert"},
        kFailed);
  }
  return kSuccess;
}

std::unique_ptr<Command> MakeConvertCommand() { return std::make_unique<ConvertCommand>(); }

}  // namespace flarestack::cli
