// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <memory>
#include <utility>

#include "base/event_log.h"
#include "base/status.h"
#include "cli/command/failure.h"
#include "cli/command/makers.h"
#include "cli/record/agent_flags.h"
#include "cli/serve/serve_command.h"
#include "record/agent/agent.h"
#include "record/agent/agent_metrics.h"
#include "record/agent/metrics_sender.h"
#include "server/server.h"

namespace flarestack::cli {
namespace {

class UpCommand : public ServeCommand {
 public:
  void Define(CLI::App* app) override;
  int Run() override;

 protected:
  void OnReady(server::Server* server) override;
  void BeforeStop() override;

 private:
  AgentFlags flags_;
  base::EventLog log_;  // of the agent
  std::unique_ptr<record::agent::Agent> agent_;
  std::unique_ptr<record::agent::MetricsSender> metrics_;  // reads from the agent
};

}  // namespace

void UpCommand::Define(CLI::App* app) {
  ServeCommand::Define(app);
  flags_.Define(app, AgentFlags::Symbols::kOfTheCommand);
  app->footer(
      "Runs the server of `flarestack serve` and the recorder of `flarestack agent` in one "
      "process,\n"
      "profiling every process on this host. Without the privileges to record, it runs only the\n"
      "server and reports what is missing.\n\n"
      "Examples:\n"
      "  sudo flarestack up\n"
      "  sudo flarestack up -F 99 --data-dir /srv/flarestack\n"
      "  flarestack query services");
}

int UpCommand::Run() {
  if (const auto options = flags_.Read(); !options.ok()) {
    return Report(
        {"invalid flags", std::string(base::Message(options.status())), "flarestack help up"},
        kUsage);
  }
  return ServeCommand::Run();
}

// If the recorder fails, the server keeps running and still receives data from others.
void UpCommand::OnReady(server::Server* server) {
  auto options = flags_.Read();
  absl::Status status = options.status();
  if (options.ok()) {
    options->log = &log_;
    // The server symbolizes on read, so that older data gets names too.
    auto agent = record::agent::Agent::Start(*options, [server](record::agent::NamedBatch named) {
      return server->IngestLocal(&named.batch);
    });
    status = agent.status();
    if (agent.ok())
      agent_ = *std::move(agent);
  }
  if (status.ok()) {
    metrics_ = std::make_unique<record::agent::MetricsSender>(record::agent::MetricsSenderOptions{
        .read = [this] { return record::agent::AgentMetrics(agent_->stats(), nullptr); },
        .output =
            [server](const std::string& request, std::chrono::milliseconds) {
              return server->IngestLocalMetrics(request).ok();
            }});
    fmt::print("  recording  every process on this host\n");
    return;
  }
  std::fflush(stdout);
  Report({"this host is not recorded", std::string(base::Message(status)), "flarestack doctor"},
         kNoPrivilege);
}

void UpCommand::BeforeStop() {
  if (agent_ != nullptr)
    agent_->Stop();
  if (metrics_ != nullptr)
    metrics_->Stop();
}

std::unique_ptr<Command> MakeUpCommand() { return std::make_unique<UpCommand>(); }

}  // namespace flarestack::cli
