// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "cli/command/command.h"
#include "cli/output/report_format.h"
#include "cli/symbols/symbol_files.h"
#include "symbol/table/symbol_table.h"

namespace flarestack::cli {

// `symbols addr2line`: what stands at addresses of a file.
class Addr2lineCommand : public Command {
 public:
  void Define(CLI::App* app) override;
  int Run() override;

 private:
  absl::StatusOr<std::vector<uint64_t>> Addresses() const;
  std::string Name(std::string_view raw) const;
  std::string Text(const symbol::SymbolTable& table, const std::vector<uint64_t>& addresses) const;
  ReportRows Rows(const symbol::SymbolTable& table, const std::vector<uint64_t>& addresses) const;
  nlohmann::ordered_json Json(const symbol::SymbolTable& table,
                              const std::vector<uint64_t>& addresses) const;

  std::string path_;
  std::vector<std::string> words_;
  SymbolFileFlags files_;
  ReportFormat format_ = ReportFormat::kText;
  bool is_json_ = false;
  bool has_raw_names_ = false;
  bool has_no_arguments_ = false;
  bool has_no_templates_ = false;
};

}  // namespace flarestack::cli
