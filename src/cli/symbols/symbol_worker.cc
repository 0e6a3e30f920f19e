// SPDX-License-Identifier: Apache-2.0
#include <memory>
#include <string>
#include <vector>

#include "base/status.h"
#include "cli/command/command.h"
#include "cli/command/failure.h"
#include "cli/command/makers.h"
#include "symbol/worker/table_worker.h"

namespace flarestack::cli {
namespace {

// The process that symbol/worker/table_worker.h starts. Internal, so the help omits it.
class SymbolWorkerCommand : public Command {
 public:
  void Define(CLI::App* app) override;
  int Run() override;

 private:
  std::vector<std::string> words_;
};

}  // namespace

void SymbolWorkerCommand::Define(CLI::App* app) { app->add_option("ORDER", words_)->required(); }

int SymbolWorkerCommand::Run() {
  const auto order = symbol::OrderOf(words_);
  if (!order.ok()) {
    return Report({"this command is internal", std::string(base::Message(order.status())),
                   "flarestack help symbols"},
                  kUsage);
  }
  symbol::RunTableWorker(*order);
}

std::unique_ptr<Command> MakeSymbolWorkerCommand() {
  return std::make_unique<SymbolWorkerCommand>();
}

}  // namespace flarestack::cli
