// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include "base/clock.h"
#include "base/file/file.h"
#include "base/status.h"
#include "cli/ask/query_verbs.h"
#include "cli/command/command.h"
#include "cli/command/failure.h"
#include "cli/command/makers.h"
#include "cli/input/api_client.h"
#include "cli/input/page_link.h"
#include "cli/input/stack_source.h"
#include "cli/output/report_format.h"
#include "cli/terminal/terminal.h"
#include "codec/input_collector.h"
#include "net/http/http_target.h"
#include "server/ui/formats.h"

namespace flarestack::cli {
namespace {

// Sends one request to the API of a server, and prints the response.
class QueryCommand : public Command {
 public:
  void Define(CLI::App* app) override;
  int Run() override;

 private:
  // A verb with its command-line options.
  struct DefinedVerb {
    const QueryVerb* verb = nullptr;
    CLI::App* app = nullptr;
    std::vector<CLI::Option*> flags;  // in the order of the verb's flags
  };

  void DefineCommon(CLI::App* app);
  DefinedVerb DefineVerb(CLI::App* app, const QueryVerb& verb);
  int RunVerb(const DefinedVerb& defined);
  std::string LinkFor(const QueryVerb& verb, const ApiRequest& request) const;
  int ShowResponse(const QueryVerb& verb, const QueryForm& form, Json answer);
  int WriteFile(ApiRequest request);

  ApiClient client_{"http://127.0.0.1:4040"};
  std::vector<DefinedVerb> verbs_;
  // with the API parameter of each
  std::vector<std::pair<const CLI::Option*, std::string>> common_;
  const CLI::Option* limit_ = nullptr;
  std::string argument_;
  std::string link_;  // to the page that shows the response
  std::string output_path_;
  std::string output_format_;
  bool is_strict_ = false;
  ReportFormat format_ = ReportFormat::kText;
};

// The first line of an error. The server's message below it has the details.
std::string WhatFailed(const QueryVerb& verb, const std::string& url) {
  return fmt::format("no {} from {}", verb.name, url);
}

}  // namespace

void QueryCommand::DefineCommon(CLI::App* app) {
  constexpr char kGroup[] = "Common flags";
  client_.DefineFlags(app, kGroup);
  const auto add = [&](const char* flag, const char* parameter, const char* type_name,
                       const std::string& help) {
    const CLI::Option* option =
        app->add_option(flag, help)->type_name(type_name)->expected(1)->group(kGroup);
    common_.emplace_back(option, parameter);
  };
  add("-q,--query", "q", "SELECTOR", "selector, such as '{service.name=\"cart\"}'");
  add("--type", "type", "TYPE", "profile type, such as cpu");
  add("--from", "from", "TIME", "start time, such as now-1h or 2026-03-01T12:30:00Z");
  add("--to", "to", "TIME", "end time");
  limit_ = app->add_option("-n,--limit", "maximum rows, or lines of a chart")
               ->type_name("N")
               ->expected(1)
               ->group(kGroup);
  app->add_flag("--strict", is_strict_, "exit with 7 on a partial result")->group(kGroup);
  DefineFormat(app, &format_);
}

QueryCommand::DefinedVerb QueryCommand::DefineVerb(CLI::App* app, const QueryVerb& verb) {
  CLI::App* const sub = app->add_subcommand(std::string(verb.name), std::string(verb.summary));
  sub->fallthrough();  // flags common to all verbs may appear anywhere
  DefinedVerb defined = {.verb = &verb, .app = sub, .flags = {}};
  if (!verb.argument_name.empty()) {
    sub->add_option(std::string(verb.argument_name), argument_, std::string(verb.argument_help))
        ->required(verb.plain.path.empty());
  }
  for (const QueryFlag& flag : verb.flags) {
    const std::string help(flag.help);
    CLI::Option* option = nullptr;
    if (flag.type_name.empty()) {
      option = sub->add_flag(std::string(flag.flag), help);
    } else {
      option = sub->add_option(std::string(flag.flag), help)
                   ->type_name(std::string(flag.type_name))
                   ->allow_extra_args(false)
                   ->expected(1);
      if (flag.may_repeat)
        option->multi_option_policy(CLI::MultiOptionPolicy::TakeAll);
    }
    defined.flags.push_back(option);
  }
  if (verb.plain.table == nullptr && !verb.plain.path.empty()) {
    sub->add_option("-o,--output", output_path_, "output file; - is standard output")
        ->type_name("FILE")
        ->required();
    sub->add_option("--to-format", output_format_,
                    "one of " + server::WriterNames() + " (default: by file extension)")
        ->type_name("FORMAT");
  }
  sub->footer(
      "For common flags such as --server, -q and --from: flarestack help query\n\n"
      "Example:\n"
      "  " +
      std::string(verb.example));
  return defined;
}

void QueryCommand::Define(CLI::App* app) {
  app->require_subcommand(1);
  DefineCommon(app);
  std::string examples;
  for (const QueryVerb& verb : QueryVerbs()) {
    verbs_.push_back(DefineVerb(app, verb));
    examples += "\n  " + std::string(verb.example);
  }
  app->footer(
      "The server is http://127.0.0.1:4040 unless --server or FLARESTACK_SERVER is set.\n"
      "flarestack query VERB --help lists the flags of a verb.\n\n"
      "Examples:" +
      examples);
}

int QueryCommand::Run() {
  const auto defined =
      std::ranges::find_if(verbs_, [](const DefinedVerb& each) { return each.app->parsed(); });
  return defined == verbs_.end() ? static_cast<int>(kUsage) : RunVerb(*defined);
}

// A link to the page that shows the response, or empty. Pages and the API use the same parameter
// names.
std::string QueryCommand::LinkFor(const QueryVerb& verb, const ApiRequest& request) const {
  if (verb.page.empty())
    return "";
  PageLink link = {.server = client_.url(), .page = std::string(verb.page)};
  std::map<std::string, std::string>& values = link.state.values;
  const bool is_of_one = link.page.size() > 1 && link.page.ends_with('/');
  if (is_of_one)
    link.page += net::PercentEncode(argument_);
  else if (!argument_.empty())
    values["metric"] = argument_;
  if (!is_of_one && verb.page != "/" && verb.page != "/health")
    values.insert({{"from", "now-1h"}, {"to", "now"}});
  static const std::set<std::string_view> kOfAnswer = {"limit", "topk", "cursor", "step", "format",
                                                       "agg",   "rate", "name",   "top",  "detail"};
  for (const auto& [name, value] : request.parameters) {
    if (name == "f")
      link.state.steps.push_back(value);
    else if (name == "by" && !values["by"].empty())
      values["by"] += "," + value;
    else if (!kOfAnswer.contains(name) || (name == "name" && argument_.empty()))
      values[name] = value;
  }
  for (const char* time : {"from", "to"}) {
    if (const auto found = values.find(time); found != values.end())
      found->second = FrozenTime(found->second, base::NowNanos());
  }
  return FormatPageLink(link);
}

int QueryCommand::RunVerb(const DefinedVerb& defined) {
  const QueryVerb& verb = *defined.verb;
  const QueryForm& form = argument_.empty() ? verb.plain : verb.with_argument;
  ApiRequest request = {.path = std::string(form.path)};
  if (!argument_.empty() && form.argument_parameter.empty())
    request.path += net::PercentEncode(argument_);
  else
    request.Add(std::string(form.argument_parameter), argument_);
  // Flags that do not apply are sent anyway; the server rejects them.
  const auto add = [&](const CLI::Option* option, std::string_view parameter) {
    for (const std::string& value : option->results())
      request.parameters.emplace_back(parameter, value);
  };
  for (const auto& [option, parameter] : common_)
    add(option, parameter);
  add(limit_, form.limit_parameter);
  for (size_t i = 0; i < defined.flags.size(); ++i) {
    const QueryFlag& flag = verb.flags[i];
    if (flag.type_name.empty() && defined.flags[i]->count() > 0)
      request.parameters.emplace_back(flag.parameter, "1");
    else
      add(defined.flags[i], flag.parameter);
  }
  link_ = LinkFor(verb, request);
  if (form.table == nullptr)
    return WriteFile(std::move(request));
  auto answer = GetJson(client_, request);
  if (!answer.ok())
    return ReportApiFailure(WhatFailed(verb, client_.url()), answer.status());
  return ShowResponse(verb, form, *std::move(answer));
}

int QueryCommand::ShowResponse(const QueryVerb& verb, const QueryForm& form, Json answer) {
  const bool is_for_people = format_ == ReportFormat::kText || format_ == ReportFormat::kMarkdown;
  const QueryTable table =
      form.table(answer, is_for_people ? TableFor::kPeople : TableFor::kPrograms);
  const std::string missing = MissingOf(answer);
  Emptiness why = EmptinessOf(answer, "--");
  if (why.reason.empty() && table.empty())
    why.reason = "the server has no matching data";
  if (format_ == ReportFormat::kJson) {
    Json json = {{"schema", fmt::format("flarestack.query.{}/1", verb.name)}};
    json.update(answer);
    if (!link_.empty())
      json["link"] = link_;
    Show(JsonText(json));
  } else if (why.reason.empty()) {
    Show(format_ == ReportFormat::kText ? table.Text(TerminalWidth(), QueryTable::Style::kTerminal)
                                        : table.In(format_));
  }
  if (!missing.empty())
    fmt::print(stderr, "warning: partial result: {}\n", Printable(missing));
  if (!why.reason.empty())
    return Report({WhatFailed(verb, client_.url()), why.reason, why.next}, kNothingFound);
  PrintLink(link_);
  return !missing.empty() && is_strict_ ? kPartial : kSuccess;
}

int QueryCommand::WriteFile(ApiRequest request) {
  const codec::Writer* writer = output_format_.empty() ? server::FindWriterForPath(output_path_)
                                                       : server::FindWriter(output_format_);
  if (writer == nullptr) {
    return Report({"unknown output format",
                   output_format_.empty() ? "the file name has no known extension"
                                          : fmt::format("unknown format \"{}\"", output_format_),
                   "--to-format with one of " + server::WriterNames()},
                  kUsage);
  }
  if (output_path_ == base::kStandardStream && writer->is_binary && isatty(STDOUT_FILENO) != 0) {
    return Report({fmt::format("{} is binary and standard output is a terminal", writer->name),
                   "binary output would garble the terminal", "use -o FILE"},
                  kUsage);
  }
  request.Add("format", std::string(writer->name));
  const auto response = client_.Get(request, codec::InputLimits{}.bytes_max);
  if (!response.ok())
    return ReportApiFailure("no profiles from " + client_.url(), response.status());
  auto file = base::OutputFile::Create(output_path_);
  absl::Status status = file.status();
  if (status.ok())
    status = file->Write(response->body);
  if (status.ok())
    status = file->Commit();
  if (!status.ok())
    return Report({"cannot write " + output_path_, std::string(base::Message(status)), ""},
                  kFailed);
  return PrintLink(link_);
}

std::unique_ptr<Command> MakeQueryCommand() { return std::make_unique<QueryCommand>(); }

}  // namespace flarestack::cli
