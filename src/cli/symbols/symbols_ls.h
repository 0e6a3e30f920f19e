// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "cli/command/command.h"
#include "cli/input/api_client.h"

namespace flarestack::cli {

// `symbols ls`: what was pushed to a server, or which modules there have no names.
class SymbolsListCommand : public Command {
 public:
  void Define(CLI::App* app) override;
  int Run() override;

 private:
  int ListFiles() const;
  int ListMissing() const;

  bool is_missing_ = false;
  bool is_json_ = false;
  std::string selector_;
  std::string type_;
  std::string from_;
  std::string to_;
  ApiClient client_{"http://127.0.0.1:4040"};
};

}  // namespace flarestack::cli
