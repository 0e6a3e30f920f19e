// SPDX-License-Identifier: Apache-2.0
#include "record/process/service/service_name.h"

#include <algorithm>
#include <utility>

#include "base/text/encoding.h"
#include "base/text/text.h"
#include "record/process/service/generic_name.h"
#include "record/process/service/script_name.h"

namespace flarestack::record::agent {
namespace {

constexpr size_t kNameBytesMax = 255;
constexpr std::string_view kMemfd = "/memfd:";
constexpr std::string_view kServiceNameKey = "service.name";

std::string Printable(std::string_view name) {
  std::string text = base::ToValidUtf8(name.substr(0, kNameBytesMax));
  while (text.size() > kNameBytesMax || !base::IsValidUtf8(text))
    text.pop_back();
  return text;
}

// Removes service.name from the attributes and returns it.
std::string TakeServiceName(std::vector<TextAttribute>* attributes) {
  const auto found =
      std::find_if(attributes->begin(), attributes->end(),
                   [](const TextAttribute& attribute) { return attribute.key == kServiceNameKey; });
  if (found == attributes->end())
    return {};
  std::string name = std::move(found->value);
  attributes->erase(found);
  return name;
}

std::string_view NameOfUnit(std::string_view unit) {
  constexpr std::string_view kService = ".service";
  return unit.ends_with(kService) ? unit.substr(0, unit.size() - kService.size()) : unit;
}

// The kernel has one thread per CPU, device and queue: kworker/3:1 is kworker.
std::string_view KindOfThread(std::string_view name) {
  const size_t slash = name.find('/');
  return slash == 0 ? name : name.substr(0, slash);
}

ServiceNameRule RuleOf(ApplicationRule rule) {
  switch (rule) {
    case ApplicationRule::kServed:
      return ServiceNameRule::kServedApplication;
    case ApplicationRule::kSpring:
      return ServiceNameRule::kSpringName;
    case ApplicationRule::kJarTitle:
      return ServiceNameRule::kJarTitle;
    case ApplicationRule::kPackage:
      return ServiceNameRule::kPackage;
    case ApplicationRule::kNone:
      break;
  }
  return ServiceNameRule::kScript;
}

std::string NameOfExecutable(std::string_view path) {
  std::string name = ExecutableName(path);
  return IsGenericName(name) ? QualifiedName(path) : name;
}

}  // namespace

std::string QualifiedScriptName(const ProcessTexts& texts) {
  const std::string_view path = ScriptPath(texts.executable, texts.command_line);
  std::string name = ScriptName(path);
  if (!IsGenericName(name))
    return name;
  return path.starts_with('/') ? QualifiedName(path)
                               : QualifiedName(base::StrCat(texts.working_directory, "/", path));
}

bool IsMemfd(std::string_view executable) { return executable.starts_with(kMemfd); }

std::string ExecutableName(std::string_view executable) {
  if (!IsMemfd(executable))
    return std::string(executable.substr(executable.rfind('/') + 1));
  // The name is free text: that of runc contains a path.
  const std::string_view name = executable.substr(kMemfd.size());
  return base::StrCat("memfd:", name.substr(0, name.find_first_of(":/")));
}

std::string_view NameOf(ServiceNameRule rule) {
  switch (rule) {
    case ServiceNameRule::kProcessContext:
      return "process context";
    case ServiceNameRule::kServiceNameVariable:
      return "OTEL_SERVICE_NAME";
    case ServiceNameRule::kResourceAttributesVariable:
      return "OTEL_RESOURCE_ATTRIBUTES";
    case ServiceNameRule::kSystemdUnit:
      return "systemd unit";
    case ServiceNameRule::kServedApplication:
      return "served application";
    case ServiceNameRule::kSpringName:
      return "spring.application.name";
    case ServiceNameRule::kJarTitle:
      return "Implementation-Title";
    case ServiceNameRule::kPackage:
      return "package.json";
    case ServiceNameRule::kScript:
      return "script";
    case ServiceNameRule::kStarter:
      return "starter";
    case ServiceNameRule::kExecutable:
      return "executable";
    case ServiceNameRule::kThreadName:
      return "thread name";
  }
  return "";
}

bool IsWeakerThanApplication(ServiceNameRule rule) { return rule >= ServiceNameRule::kScript; }

ServiceIdentity IdentifyService(const ServiceFacts& facts) {
  ServiceIdentity identity;
  const ProcessTexts& texts = facts.texts;
  identity.attributes =
      ParseResourceAttributes(FindVariable(texts.environment, "OTEL_RESOURCE_ATTRIBUTES"))
          .value_or(std::vector<TextAttribute>());
  const std::string attribute_name = TakeServiceName(&identity.attributes);
  const std::string script = QualifiedScriptName(texts);
  const std::string executable = NameOfExecutable(texts.executable);
  const std::pair<ServiceNameRule, std::string_view> candidates[] = {
      {ServiceNameRule::kProcessContext, facts.context_service_name},
      {ServiceNameRule::kServiceNameVariable, FindVariable(texts.environment, "OTEL_SERVICE_NAME")},
      {ServiceNameRule::kResourceAttributesVariable, attribute_name},
      {ServiceNameRule::kSystemdUnit, NameOfUnit(facts.systemd_unit)},
      {RuleOf(facts.application.rule), facts.application.name},
      {ServiceNameRule::kScript, script},
      {ServiceNameRule::kStarter, facts.starter},
      {ServiceNameRule::kExecutable, executable},
      {ServiceNameRule::kThreadName, KindOfThread(texts.thread_name)},
  };
  for (const auto& [rule, name] : candidates) {
    if (name.empty())
      continue;
    identity.rule = rule;
    identity.name = Printable(name);
    return identity;
  }
  identity.name = "unknown_service";
  return identity;
}

}  // namespace flarestack::record::agent
