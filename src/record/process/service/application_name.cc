// SPDX-License-Identifier: Apache-2.0
#include "record/process/service/application_name.h"

#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <span>
#include <utility>

#include "base/status.h"
#include "base/text/text.h"
#include "record/process/service/generic_name.h"
#include "record/process/service/jar_manifest.h"
#include "record/process/service/otel_variables.h"
#include "record/process/service/package_name.h"
#include "record/process/service/script_name.h"

namespace flarestack::record::agent {
namespace {

using Words = std::span<const std::string_view>;

constexpr size_t kPackageBytesMax = 1 << 20;
constexpr int kParentFoldersMax = 16;

std::string_view BaseName(std::string_view path) { return path.substr(path.rfind('/') + 1); }

// Returns the value of the first option that is in `names`, as "--app shop" or "--app=shop".
std::string_view OptionValue(Words words, std::initializer_list<std::string_view> names) {
  for (size_t i = 0; i < words.size(); ++i) {
    for (const std::string_view name : names) {
      if (words[i] == name && i + 1 < words.size())
        return words[i + 1];
      if (words[i].size() > name.size() && words[i].starts_with(name) &&
          words[i][name.size()] == '=')
        return words[i].substr(name.size() + 1);
    }
  }
  return {};
}

// ---- Python ------------------------------------------------------------------------------------

// "shop.wsgi", "_app2".
bool IsModule(std::string_view text) {
  constexpr std::string_view kDigits = "0123456789";
  bool begins = true;
  for (const char c : text) {
    const bool is_letter = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
    const bool is_digit = kDigits.find(c) != std::string_view::npos;
    if (c == '.' ? begins : !is_letter && (begins || !is_digit))
      return false;
    begins = c == '.';
  }
  return !text.empty() && !begins;
}

// "shop.wsgi:app", but not "localhost:8000".
bool IsModuleWithObject(std::string_view text) {
  const size_t colon = text.find(':');
  if (colon == std::string_view::npos || !IsModule(text.substr(0, colon)))
    return false;
  const std::string_view object = text.substr(colon + 1);
  return IsModule(object.substr(0, object.find('(')));
}

// What a server of Python applications was asked to serve. The meaning of all its options is not
// known, so the form decides.
std::string_view FindServed(Words arguments) {
  const auto with_object = std::ranges::find_if(arguments, IsModuleWithObject);
  if (with_object != arguments.end())
    return *with_object;
  // "gunicorn -w 4 shop.wsgi" serves the object called application.
  if (arguments.empty() || !IsModule(arguments.back()))
    return {};
  const bool is_value = arguments.size() > 1 && arguments[arguments.size() - 2].starts_with('-') &&
                        arguments[arguments.size() - 2].find('=') == std::string_view::npos;
  return is_value ? std::string_view() : arguments.back();
}

// shop.wsgi:app is shop; a module such as main gets the folder it runs in.
std::string ServedName(std::string_view served, std::string_view working_directory) {
  std::string_view module = served.substr(0, served.find(':'));
  module = BaseName(module);
  if (module.ends_with(".py"))
    module.remove_suffix(3);
  for (size_t dot = module.rfind('.');
       dot != std::string_view::npos && IsGenericName(module.substr(dot + 1));
       dot = module.rfind('.'))
    module = module.substr(0, dot);
  return IsGenericName(module) ? QualifiedName(base::StrCat(working_directory, "/", module))
                               : std::string(module);
}

// With setproctitle, gunicorn replaces its command line: "gunicorn: worker [shop.wsgi:app]".
std::string_view ServedInTitle(std::string_view title) {
  if (!title.starts_with("gunicorn: "))
    return {};
  const size_t begin = title.find('[');
  const size_t end = title.find(']');
  return begin == std::string_view::npos || end == std::string_view::npos || end < begin
             ? std::string_view()
             : title.substr(begin + 1, end - begin - 1);
}

ApplicationName FindPythonName(const ScriptCall& call, const ProcessTexts& texts) {
  constexpr std::array<std::string_view, 6> kServers = {"gunicorn", "uvicorn", "hypercorn",
                                                        "daphne",   "granian", "waitress-serve"};
  std::string_view served = ServedInTitle(texts.command_line);
  const std::string_view script = BaseName(call.script);
  const Words arguments(call.arguments);
  if (std::ranges::find(kServers, script) != kServers.end()) {
    served = FindServed(arguments);
  } else if (script == "flask") {
    served = OptionValue(arguments, {"--app", "-A"});
    if (served.empty())
      served = FindVariable(texts.environment, "FLASK_APP");
  }
  if (served.empty())
    return {};
  return {.rule = ApplicationRule::kServed, .name = ServedName(served, texts.working_directory)};
}

// ---- Java --------------------------------------------------------------------------------------

absl::StatusOr<std::string> ReadAt(int fd, uint64_t offset, size_t bytes) {
  std::string text(bytes, '\0');
  size_t filled = 0;
  while (filled < bytes) {
    const ssize_t got =
        pread(fd, text.data() + filled, bytes - filled, static_cast<off_t>(offset + filled));
    if (got < 0 && errno == EINTR)
      continue;
    if (got < 0)
      return absl::ErrnoToStatus(errno, "cannot read");
    if (got == 0)
      break;
    filled += static_cast<size_t>(got);
  }
  text.resize(filled);
  return text;
}

absl::StatusOr<uint64_t> SizeOf(const base::Descriptor& file) {
  struct stat about = {};
  if (fstat(file.get(), &about) != 0)
    return absl::ErrnoToStatus(errno, "cannot read");
  return static_cast<uint64_t>(about.st_size);
}

absl::StatusOr<std::string> JarTitle(const std::string& path, OpenFileOfProcess open) {
  FLARE_ASSIGN(const base::Descriptor jar, open(path));
  FLARE_ASSIGN(const uint64_t bytes, SizeOf(jar));
  FLARE_ASSIGN(const std::string manifest,
               ReadJarManifest(bytes, [&](uint64_t offset, size_t count) {
                 return ReadAt(jar.get(), offset, count);
               }));
  return ManifestValue(manifest, "Implementation-Title");
}

std::string AbsolutePath(std::string_view path, const ProcessTexts& texts) {
  return path.starts_with('/') ? std::string(path)
                               : base::StrCat(texts.working_directory, "/", path);
}

ApplicationName FindJavaName(const ScriptCall& call, const ProcessTexts& texts,
                             OpenFileOfProcess open) {
  // In the order in which Spring looks.
  std::string_view spring = OptionValue(call.arguments, {"--spring.application.name"});
  if (spring.empty())
    spring = OptionValue(call.options, {"-Dspring.application.name"});
  if (spring.empty())
    spring = FindVariable(texts.environment, "SPRING_APPLICATION_NAME");
  if (!spring.empty())
    return {.rule = ApplicationRule::kSpring, .name = std::string(spring)};
  if (!call.script.ends_with(".jar"))
    return {};
  std::string title = JarTitle(AbsolutePath(call.script, texts), open).value_or("");
  if (title.empty() || IsGenericName(title))
    return {};
  return {.rule = ApplicationRule::kJarTitle, .name = std::move(title)};
}

// ---- Node.js -----------------------------------------------------------------------------------

absl::StatusOr<std::string> ReadPackageName(const std::string& path, OpenFileOfProcess open) {
  FLARE_ASSIGN(const base::Descriptor file, open(path));
  FLARE_ASSIGN(const std::string text, ReadAt(file.get(), 0, kPackageBytesMax));
  return PackageName(text);
}

ApplicationName FindNodeName(const ScriptCall& call, const ProcessTexts& texts,
                             OpenFileOfProcess open) {
  if (call.script.empty())
    return {};
  std::string path = AbsolutePath(call.script, texts);
  // A program such as next is a package too, but belongs to the one that has it installed.
  path = path.substr(0, path.find("/node_modules/"));
  for (int i = 0; i < kParentFoldersMax; ++i) {
    std::string name = ReadPackageName(path + "/package.json", open).value_or("");
    if (!name.empty() && !IsGenericName(name))
      return {.rule = ApplicationRule::kPackage, .name = std::move(name)};
    if (!name.empty() || path.empty())
      break;
    path.resize(path.rfind('/'));
  }
  return {};
}

}  // namespace

ApplicationName FindApplicationName(const ProcessTexts& texts, OpenFileOfProcess open) {
  const ScriptCall call = ParseScriptCall(texts.executable, texts.command_line);
  if (call.interpreter == "python")
    return FindPythonName(call, texts);
  if (call.interpreter == "java")
    return FindJavaName(call, texts, open);
  if (call.interpreter == "node")
    return FindNodeName(call, texts, open);
  return {};
}

}  // namespace flarestack::record::agent
