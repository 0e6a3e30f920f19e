// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <charconv>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "base/file/file.h"
#include "base/status.h"
#include "cli/command/command.h"
#include "cli/command/failure.h"
#include "cli/command/makers.h"
#include "cli/output/report_format.h"
#include "cli/symbols/symbol_file_flags.h"
#include "cli/terminal/terminal.h"
#include "symbol/demangle/demangle.h"
#include "symbol/file_ids.h"
#include "symbol/name_style.h"
#include "symbol/table/symbol_table.h"

namespace flarestack::cli {
namespace {

// `symbols addr2line`: functions and lines at addresses of a file.
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

constexpr uint64_t kInputBytesMax = uint64_t{256} << 20;
constexpr std::string_view kSpace = " \t\r\n";

std::optional<uint64_t> AddressOf(std::string_view word) {
  const bool is_hex = word.starts_with("0x") || word.starts_with("0X");
  if (is_hex)
    word.remove_prefix(2);
  uint64_t address = 0;
  const char* const end = word.data() + word.size();
  const auto [rest, error] = std::from_chars(word.data(), end, address, is_hex ? 16 : 10);
  if (error != std::errc() || rest != end)
    return std::nullopt;
  return address;
}

absl::Status AddAddress(std::string_view word, std::vector<uint64_t>* addresses) {
  const std::optional<uint64_t> address = AddressOf(word);
  if (!address.has_value()) {
    return absl::InvalidArgumentError(
        base::StrCat("\"", word.substr(0, 100),
                     "\" is not an address: use 0x and hexadecimal digits, or decimal digits"));
  }
  addresses->push_back(*address);
  return absl::OkStatus();
}

std::string Place(const elf::SourceFrame& frame) {
  if (frame.file.empty())
    return "";
  return frame.line == 0 ? base::StrCat("  ", frame.file)
                         : base::StrCat("  ", frame.file, ":", frame.line);
}

}  // namespace

void Addr2lineCommand::Define(CLI::App* app) {
  app->add_option("FILE", path_, "a program, library or debug file")->required();
  app->add_option("ADDRESS", words_,
                  "file addresses as printed by nm and objdump, in hexadecimal (0x...) or decimal; "
                  "- reads standard input")
      ->required();
  files_.Define(app);
  DefineFormat(app, &format_);
  app->add_flag("--json", is_json_, "same as --format json");
  CLI::Option* const raw = app->add_flag("--raw-names", has_raw_names_, "mangled names");
  app->add_flag("--no-arguments", has_no_arguments_, "names without function arguments")
      ->excludes(raw);
  app->add_flag("--no-templates", has_no_templates_,
                "names without function and template arguments")
      ->excludes(raw);
  app->footer(
      "Inlined functions are listed above the function they were inlined into. Exits with 3 when "
      "no\n"
      "address can be resolved.\n\n"
      "Examples:\n"
      "  flarestack symbols addr2line ./server 0x4a3f20 0x4a3f58\n"
      "  flarestack symbols addr2line --json --no-templates ./server - < addresses.txt\n"
      "  flarestack symbols addr2line --symbol-path debug/ /usr/bin/server 0x4a3f20");
}

absl::StatusOr<std::vector<uint64_t>> Addr2lineCommand::Addresses() const {
  std::vector<uint64_t> addresses;
  for (const std::string& word : words_) {
    if (word != base::kStandardStream) {
      FLARE_RETURN_IF_ERROR(AddAddress(word, &addresses));
      continue;
    }
    FLARE_ASSIGN(const std::string input, base::ReadFile(word, kInputBytesMax));
    const std::string_view text = input;
    size_t begin = text.find_first_not_of(kSpace);
    while (begin != std::string_view::npos) {
      const size_t end = std::min(text.find_first_of(kSpace, begin), text.size());
      FLARE_RETURN_IF_ERROR(AddAddress(text.substr(begin, end - begin), &addresses));
      begin = text.find_first_not_of(kSpace, end);
    }
  }
  return addresses;
}

std::string Addr2lineCommand::Name(std::string_view raw) const {
  if (has_raw_names_)
    return std::string(raw);
  symbol::NameStyle style = symbol::NameStyle::kFull;
  if (has_no_arguments_)
    style = symbol::NameStyle::kSimple;
  if (has_no_templates_)
    style = symbol::NameStyle::kNoTemplates;
  return symbol::ShortenName(symbol::Demangle(raw), style);
}

std::string Addr2lineCommand::Text(const symbol::SymbolTable& table,
                                   const std::vector<uint64_t>& addresses) const {
  std::string text;
  table.FindAll(addresses, [&](size_t index, const symbol::CodeAt& code) {
    const std::string address = base::Hex(addresses[index]);
    if (code.frames().empty())
      base::StrAppend(&text, address, "  ?\n");
    bool is_first = true;
    for (const elf::SourceFrame& frame : code.frames()) {
      const std::string name = frame.function.empty() ? "?" : Name(frame.function);
      base::StrAppend(&text, is_first ? address : std::string(address.size(), ' '),
                      is_first ? "  " : "    inlined into ", Printable(name),
                      Printable(Place(frame)), "\n");
      is_first = false;
    }
  });
  return text;
}

ReportRows Addr2lineCommand::Rows(const symbol::SymbolTable& table,
                                  const std::vector<uint64_t>& addresses) const {
  ReportRows rows({"address", "depth", "function", "file", "line", "column", "quality"});
  table.FindAll(addresses, [&](size_t index, const symbol::CodeAt& code) {
    int64_t depth = 0;
    for (const elf::SourceFrame& frame : code.frames()) {
      rows.Add({base::Hex(addresses[index]), depth++, Name(frame.function), std::string(frame.file),
                int64_t{frame.line}, int64_t{frame.column},
                std::string(symbol::QualityName(code.quality()))});
    }
  });
  return rows;
}

nlohmann::ordered_json Addr2lineCommand::Json(const symbol::SymbolTable& table,
                                              const std::vector<uint64_t>& addresses) const {
  nlohmann::ordered_json json = {{"schema", "flarestack.symbols.addr2line/1"}, {"file", path_}};
  json["build_id"] = symbol::IdText(table.ids(), symbol::IdKind::kGnu);
  nlohmann::ordered_json& list = json["addresses"] = nlohmann::ordered_json::array();
  table.FindAll(addresses, [&](size_t index, const symbol::CodeAt& code) {
    nlohmann::ordered_json entry = {{"address", base::Hex(addresses[index])}};
    if (!code.frames().empty())
      entry["quality"] = symbol::QualityName(code.quality());
    nlohmann::ordered_json& frames = entry["frames"] = nlohmann::ordered_json::array();
    for (const elf::SourceFrame& frame : code.frames()) {
      frames.push_back({{"function", Name(frame.function)},
                        {"file", std::string(frame.file)},
                        {"line", frame.line},
                        {"column", frame.column}});
    }
    list.push_back(std::move(entry));
  });
  return json;
}

int Addr2lineCommand::Run() {
  const auto addresses = Addresses();
  if (!addresses.ok())
    return Report({"cannot read the addresses", std::string(base::Message(addresses.status())),
                   "flarestack symbols addr2line --help"},
                  kUsage);
  const auto module = ModuleOfFile(path_);
  if (!module.ok())
    return Report({"cannot read the file", std::string(base::Message(module.status())),
                   "flarestack symbols addr2line --help"},
                  kFailed);
  std::vector<symbol::Attempt> attempts;
  const auto made = files_.FindTable(*module, &attempts);
  if (!made.ok())
    return ReportNoSymbols(path_, made.status());
  const auto table = symbol::SymbolTable::Open(made->bytes);
  if (!table.ok())
    return ReportNoSymbols(path_, table.status());
  if (is_json_ || format_ == ReportFormat::kJson)
    fmt::print("{}", JsonText(Json(*table, *addresses)));
  else if (format_ == ReportFormat::kText)
    fmt::print("{}", Text(*table, *addresses));
  else
    fmt::print("{}", Rows(*table, *addresses).In(format_));
  bool is_any_known = false;
  table->FindAll(*addresses, [&](size_t, const symbol::CodeAt& code) {
    is_any_known |= !code.frames().empty();
  });
  return is_any_known ? kSuccess : kNothingFound;
}

std::unique_ptr<Command> MakeSymbolsAddr2lineCommand() {
  return std::make_unique<Addr2lineCommand>();
}

}  // namespace flarestack::cli
