// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "cli/ask/query_verbs.h"
#include "cli/command/command.h"
#include "cli/input/api_client.h"
#include "cli/output/report_format.h"

namespace flarestack::cli {

// Asks a server one question of its API, and shows the answer.
class QueryCommand : public Command {
 public:
  void Define(CLI::App* app) override;
  int Run() override;

 private:
  // A verb as the command line knows it.
  struct DefinedVerb {
    const QueryVerb* verb = nullptr;
    CLI::App* app = nullptr;
    std::vector<CLI::Option*> flags;  // in the order of the verb's own
  };

  void DefineCommon(CLI::App* app);
  DefinedVerb DefineVerb(CLI::App* app, const QueryVerb& verb);
  int Ask(const DefinedVerb& asked);
  std::string LinkFor(const QueryVerb& verb, const ApiQuestion& question) const;
  int ShowAnswer(const QueryVerb& verb, const QueryForm& form, Json answer);
  int WriteFile(ApiQuestion question);

  ApiClient client_{"http://127.0.0.1:4040"};
  std::vector<DefinedVerb> verbs_;
  std::vector<std::pair<const CLI::Option*, std::string>> common_;  // with the API's name of each
  const CLI::Option* limit_ = nullptr;
  std::string argument_;
  std::string link_;  // of the page that shows the answer
  std::string output_path_;
  std::string output_format_;
  bool is_strict_ = false;
  ReportFormat format_ = ReportFormat::kText;
};

}  // namespace flarestack::cli
