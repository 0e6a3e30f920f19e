// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/status.h"
#include "base/text/human_value.h"
#include "cli/command/command.h"
#include "cli/command/failure.h"
#include "cli/command/makers.h"
#include "cli/input/api_client.h"
#include "cli/output/json_fields.h"
#include "cli/symbols/symbol_file_flags.h"
#include "cli/terminal/terminal.h"
#include "elf/elf_outline.h"
#include "symbol/demangle/demangle.h"
#include "symbol/file_ids.h"
#include "symbol/table/symbol_table.h"

namespace flarestack::cli {
namespace {

// `symbols why`: the places searched for a file's symbols, in order, and the results.
class WhyCommand : public Command {
 public:
  void Define(CLI::App* app) override;
  int Run() override;

 private:
  // Shows a server's knowledge of a module, by build id or name.
  int AskServer() const;

  std::string path_;
  SymbolFileFlags files_;
  ApiClient client_;
};

std::string Count(uint64_t count) { return base::GroupDigits(static_cast<int64_t>(count)); }

void PrintIds(const symbol::Module& module) {
  fmt::print("ids\n");
  for (const symbol::FileId& id : module.ids)
    fmt::print("  {}\n", Printable(symbol::ToText(id)));
}

void PrintAttempts(const std::vector<symbol::Attempt>& attempts) {
  fmt::print("files\n");
  for (const symbol::Attempt& attempt : attempts) {
    fmt::print("  {} {}: {}\n", attempt.is_found ? '+' : '-', Printable(attempt.source),
               Printable(attempt.outcome));
  }
}

// Prints how much of the code each source covers, the best source first.
void PrintTable(const symbol::SymbolTable& table) {
  std::array<uint64_t, symbol::kQualityCount> ranges = {};
  table.VisitAll(
      [&ranges](const symbol::CodeAt& code) { ++ranges[static_cast<size_t>(code.quality())]; });
  fmt::print("known\n");
  for (size_t i = 0; i < ranges.size(); ++i) {
    if (ranges[i] > 0)
      fmt::print("  {} ranges of code from {}\n", Count(ranges[i]),
                 symbol::QualityName(static_cast<symbol::Quality>(i)));
  }
  fmt::print("  {} functions, in a table of {}\n", Count(table.function_count()),
             base::HumanValue(static_cast<int64_t>(table.bytes().size()), "bytes"));
}

// Splits "libshop.so!0x1f30", the form in which frames without a name are shown.
std::optional<uint64_t> TakeAddress(std::string* path) {
  constexpr std::string_view kMark = "!0x";
  const size_t mark = path->rfind(kMark);
  if (mark == std::string::npos)
    return std::nullopt;
  const std::string_view digits = std::string_view(*path).substr(mark + kMark.size());
  uint64_t address = 0;
  const auto [end, error] =
      std::from_chars(digits.data(), digits.data() + digits.size(), address, 16);
  if (error != std::errc() || end != digits.data() + digits.size())
    return std::nullopt;
  path->resize(mark);
  return address;
}

// Prints the table's entry for one address. If there is none, prints why and returns false.
bool PrintAddress(const symbol::SymbolTable& table, const std::string& path, uint64_t address) {
  fmt::print("{:#x}\n", address);
  symbol::CodeAt code;
  if (table.Find(address, &code) && !code.frames()[0].function.empty()) {
    for (const elf::SourceFrame& frame : code.frames()) {
      fmt::print(
          "  {}{}\n", Printable(symbol::Demangle(frame.function)),
          frame.file.empty() ? "" : fmt::format("  {}:{}", Printable(frame.file), frame.line));
    }
    fmt::print("  from {}, for {:#x} to {:#x}\n", symbol::QualityName(code.quality()), code.begin(),
               code.end());
    return true;
  }
  const auto outline = elf::ElfOutline::Read(path);
  const bool is_code =
      outline.ok() && std::any_of(outline->file().segments().begin(),
                                  outline->file().segments().end(), [&](const elf::Segment& one) {
                                    return one.is_executable() && address >= one.address &&
                                           address - one.address < one.memory_bytes;
                                  });
  fmt::print(
      "  {}\n",
      is_code
          ? "is code of this file, but no known function contains it: the symbols were stripped"
          : "is not code of this file: use a file address as in profiles, not a process address");
  return false;
}

constexpr uint64_t kResponseBytesMax = 16 << 20;

std::string TextIn(const Json& object, const char* name) {
  return Printable(TextOf(At(object, name)));
}

absl::StatusOr<Json> Get(const ApiClient& client, const ApiRequest& request) {
  FLARE_ASSIGN(const net::HttpResponse response, client.Get(request, kResponseBytesMax));
  Json json = Json::parse(response.body, nullptr, /*allow_exceptions=*/false);
  if (!json.is_object())
    return absl::UnavailableError("unexpected response from the server");
  return json;
}

bool IsNamed(const Json& module, std::string_view name) {
  const std::string path = TextIn(module, "module");
  return path == name || path.ends_with("/" + std::string(name)) || TextIn(module, "key") == name;
}

// Prints the attempts in order.
void PrintModule(const Json& module) {
  fmt::print("{}  {}  {}\n", TextIn(module, "id"), TextIn(module, "state"),
             TextIn(module, "module"));
  for (const Json& attempt : At(module, "attempts")) {
    fmt::print("  {} {}: {}\n", IsTrue(At(attempt, "found")) ? '+' : '-', TextIn(attempt, "source"),
               TextIn(attempt, "outcome"));
  }
}

}  // namespace

void WhyCommand::Define(CLI::App* app) {
  app->add_option("FILE", path_,
                  "program, library or debug file, or FILE!0xADDRESS as shown for unsymbolized "
                  "frames; with --server also a module name")
      ->required();
  files_.Define(app);
  client_.DefineFlags(app, "Server");
  app->footer(
      "Prints each lookup in order with its result. Exits with 3 when no symbols are found.\n\n"
      "Examples:\n"
      "  flarestack symbols why /usr/bin/python3\n"
      "  flarestack symbols why --symbol-path debug/ ./server\n"
      "  flarestack symbols why '/usr/bin/python3!0x1f30'\n"
      "  flarestack symbols why libshop.so --server http://127.0.0.1:4040");
}

int WhyCommand::Run() {
  const std::optional<uint64_t> address = TakeAddress(&path_);
  std::error_code error;
  if (!client_.url().empty() && !std::filesystem::exists(path_, error)) {
    const int code = AskServer();
    if (address.has_value())
      fmt::print(
          "{:#x}\n"
          "  cannot be looked up without the file; showing the module only\n",
          *address);
    return code;
  }
  const auto module = ModuleOfFile(path_);
  if (!module.ok())
    return Report({"cannot read the file", std::string(base::Message(module.status())),
                   "flarestack symbols why --help"},
                  kFailed);
  PrintIds(*module);
  std::vector<symbol::Attempt> attempts;
  const auto made = files_.FindTable(*module, &attempts);
  PrintAttempts(attempts);
  if (!made.ok()) {
    return Report({"no symbols for " + path_, std::string(base::Message(made.status())),
                   "set --symbol-path DIR, --debug-file FILE or --debuginfod URL"},
                  absl::IsNotFound(made.status()) ? kNothingFound : kFailed);
  }
  fmt::print("contents\n");
  for (const std::string& note : made->notes)
    fmt::print("  {}\n", Printable(note));
  const auto table = symbol::SymbolTable::Open(made->bytes);
  if (!table.ok())
    return ReportNoSymbols(path_, table.status());
  PrintTable(*table);
  if (address.has_value() && !PrintAddress(*table, path_, *address))
    return kNothingFound;
  return kSuccess;
}

// A name must be that of a module without symbols in the last day; a build id may be any.
int WhyCommand::AskServer() const {
  std::string key = path_;
  const auto health = Get(
      client_, {.path = "/symbols/health", .parameters = {{"from", "now-1d"}, {"limit", "1000"}}});
  if (!health.ok())
    return ReportApiFailure("cannot query the server", health.status());
  for (const Json& module : At(*health, "modules")) {
    if (!IsNamed(module, path_))
      continue;
    key = TextIn(module, "key");
    fmt::print("{}: {}\n  {}\n", TextIn(module, "module"), TextIn(module, "reason"),
               TextIn(module, "fix"));
    if (key.empty())
      return kSuccess;
    break;
  }
  const auto module = Get(client_, {.path = "/symbols/" + key});
  if (!module.ok())
    return ReportApiFailure("no symbols known for " + path_, module.status());
  PrintModule(*module);
  return TextIn(*module, "state") == "unknown" ? kNothingFound : kSuccess;
}

std::unique_ptr<Command> MakeSymbolsWhyCommand() { return std::make_unique<WhyCommand>(); }

}  // namespace flarestack::cli
