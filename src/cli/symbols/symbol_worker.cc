// SPDX-License-Identifier: Apache-2.0
#include "cli/symbols/symbol_worker.h"

#include "base/status.h"
#include "cli/command/failure.h"
#include "symbol/worker/table_worker_process.h"

namespace flarestack::cli {

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

}  // namespace flarestack::cli
