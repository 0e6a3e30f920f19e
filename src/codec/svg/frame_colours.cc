// SPDX-License-Identifier: Apache-2.0
#include "codec/svg/frame_colours.h"

#include <algorithm>
#include <map>
#include <set>

#include "base/hash.h"
#include "base/text/text.h"

namespace flarestack::codec::svg {
namespace {

constexpr uint64_t kShades = 4;
constexpr uint64_t kPlainShades = 6;
constexpr std::array<std::string_view, 3> kLightness = {"a", "b", "c"};

// Languages with a hue of their own. The classes are those of the style sheet.
struct Language {
  std::string_view type;
  std::string_view style_class;
};

constexpr Language kLanguages[] = {
    {"beam", "be"}, {"cpython", "py"}, {"cuda", "cu"},   {"dotnet", "dn"},
    {"go", "go"},   {"jvm", "jv"},     {"luajit", "lj"}, {"perl", "pl"},
    {"php", "ph"},  {"ruby", "rb"},    {"v8js", "js"},
};

FrameKind KindOf(std::string_view type) {
  if (type == "kernel") {
    return FrameKind::kKernel;
  }
  if (type.empty() || type == "unknown") {
    return FrameKind::kUnknown;
  }
  if (type == "native" || type == "rust") {
    return FrameKind::kNative;
  }
  return FrameKind::kRuntime;
}

std::string_view LetterOf(FrameKind kind) {
  switch (kind) {
    case FrameKind::kKernel:
      return "k";
    case FrameKind::kNative:
      return "n";
    case FrameKind::kRuntime:
      return "r";
    case FrameKind::kUnknown:
      return "u";
    case FrameKind::kPlain:
      return "p";
  }
  return "p";
}

std::string_view LabelOf(FrameKind kind) {
  switch (kind) {
    case FrameKind::kKernel:
      return "kernel";
    case FrameKind::kNative:
      return "native code";
    case FrameKind::kRuntime:
      return "other";
    case FrameKind::kUnknown:
      return "type unknown";
    case FrameKind::kPlain:
      return "";
  }
  return "";
}

// Returns nullptr if the type has no hue of its own.
const Language* FindLanguage(std::string_view type) {
  const auto found = std::ranges::find(kLanguages, type, &Language::type);
  return found == std::end(kLanguages) ? nullptr : found;
}

// Kind, shade and language, without the lightness.
std::string ClassesOf(std::string_view type, uint64_t shade) {
  std::string classes = base::StrCat(LetterOf(KindOf(type)), shade);
  if (const Language* language = FindLanguage(type); language != nullptr) {
    base::StrAppend(&classes, " ", language->style_class);
  }
  return classes;
}

}  // namespace

FrameColours::FrameColours(const model::CallTree& tree) {
  std::set<std::string_view> languages;
  std::map<FrameKind, std::set<std::string_view>> types_of_kind;  // of all others
  for (size_t i = 1; i < tree.frames.size(); ++i) {
    const std::string& type = tree.frames[i].type;
    has_types_ = has_types_ || !type.empty();
    if (FindLanguage(type) != nullptr) {
      languages.insert(type);
    } else {
      types_of_kind[KindOf(type)].insert(type);
    }
  }
  if (!has_types_ || types_of_kind.size() + languages.size() < 2) {
    return;
  }
  for (const std::string_view type : languages) {
    legend_.push_back({.style_class = ClassesOf(type, 0), .label = std::string(type)});
  }
  for (const auto& [kind, types] : types_of_kind) {
    std::string label(LabelOf(kind));
    if (kind == FrameKind::kRuntime) {
      label.append(" (");
      for (const std::string_view type : types) {
        base::StrAppend(&label, type == *types.begin() ? "" : ", ", type);
      }
      label.push_back(')');
    }
    legend_.push_back({.style_class = base::StrCat(LetterOf(kind), 0), .label = std::move(label)});
  }
}

std::string FrameColours::ClassOf(const model::CallFrame& frame) const {
  // The lightness depends on the name, which separates neighbouring boxes.
  const uint64_t name_hash = base::Hash64(frame.name);
  const std::string_view lightness = kLightness[name_hash / kPlainShades % kLightness.size()];
  if (!has_types_) {
    return base::StrCat(LetterOf(FrameKind::kPlain), name_hash % kPlainShades, " ", lightness);
  }
  const std::string_view shaded_by = frame.module.empty() ? frame.name : frame.module;
  return base::StrCat(ClassesOf(frame.type, base::Hash64(shaded_by) % kShades), " ", lightness);
}

}  // namespace flarestack::codec::svg
