// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>

#include "cli/record/agent_flags.h"
#include "cli/serve/serve.h"
#include "record/agent/agent.h"
#include "record/agent/metrics_sender.h"

namespace flarestack::cli {

class UpCommand : public ServeCommand {
 public:
  void Define(CLI::App* app) override;
  int Run() override;

 protected:
  void OnReady(server::Server* server) override;
  void BeforeStop() override;

 private:
  AgentFlags flags_;
  std::unique_ptr<record::agent::Agent> agent_;
  std::unique_ptr<record::agent::MetricsSender> metrics_;  // reads the agent
};

}  // namespace flarestack::cli
