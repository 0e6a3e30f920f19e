// SPDX-License-Identifier: Apache-2.0
#include "sdk/export/dictionary.h"

#include <algorithm>

#include "sdk/export/sha256.h"
#include "sdk/memory_at.h"

namespace flarestack::sdk {
namespace {

std::string_view WhyTruncated(WalkEnd end) {
  switch (end) {
    case WalkEnd::kTooDeep:
      return "[truncated: too deep]";
    case WalkEnd::kUnreadable:
      return "[truncated: frame unreadable]";
    case WalkEnd::kNoRule:
      return "[truncated: no unwind information]";
    case WalkEnd::kComplete:
      break;
  }
  return "";
}

// The vDSO is the only module that has no file.
std::string HashOf(const Module& module) {
  if (module.path != kVdsoPath)
    return HtlHashOf(module.path);
  return HtlHashOfImage({MemoryAt<char>(module.begin), module.end - module.begin});
}

std::string_view AsText(std::span<const uint8_t> bytes) {
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

}  // namespace

uint32_t Dictionary::Table::Add(const ProtoWriter& entry) {
  const auto [place, is_new] =
      numbers_.try_emplace(entry.bytes(), static_cast<uint32_t>(entries_.size()));
  if (is_new) {
    entries_.push_back(entry.bytes());
    bytes_ += entry.bytes().size() + 2;
  }
  return place->second;
}

void Dictionary::Table::WriteTo(int field, ProtoWriter* message) const {
  for (const std::string& entry : entries_)
    message->Bytes(field, entry);
}

Dictionary::Dictionary() { String(""); }

uint32_t Dictionary::String(std::string_view text) {
  const auto [place, is_new] =
      string_numbers_.try_emplace(std::string(text), static_cast<uint32_t>(strings_.size()));
  if (is_new) {
    strings_.emplace_back(text);
    bytes_ += text.size() + 2;
  }
  return place->second;
}

uint32_t Dictionary::Attribute(std::string_view key, const ProtoWriter& value) {
  ProtoWriter attribute;
  attribute.Varint(1, String(key));
  attribute.Message(2, value);
  return attributes_.Add(attribute);
}

uint32_t Dictionary::TextAttribute(std::string_view key, std::string_view value) {
  ProtoWriter any;
  any.Bytes(1, value);
  return Attribute(key, any);
}

uint32_t Dictionary::NumberAttribute(std::string_view key, int64_t value) {
  ProtoWriter any;
  any.Varint(3, static_cast<uint64_t>(value));
  return Attribute(key, any);
}

uint32_t Dictionary::Link(const OwnContext& context) {
  if (!context.has_span)
    return 0;
  ProtoWriter link;
  link.Bytes(1, AsText(context.trace_id));
  link.Bytes(2, AsText(context.span_id));
  return links_.Add(link);
}

uint32_t Dictionary::Mapping(const Module& module) {
  const auto [place, is_new] = known_mappings_.try_emplace(&module);
  if (!is_new)
    return place->second;
  std::vector<uint32_t> ids;
  if (!module.gnu_build_id.empty())
    ids.push_back(TextAttribute("process.executable.build_id.gnu", module.gnu_build_id));
  if (const std::string hash = HashOf(module); !hash.empty())
    ids.push_back(TextAttribute("process.executable.build_id.htlhash", hash));
  ProtoWriter mapping;
  mapping.Varint(1, module.code_begin);
  mapping.Varint(2, module.code_end);
  mapping.Varint(3, module.code_offset);
  mapping.Varint(4, String(module.path));
  mapping.PackedVarints(5, ids);
  return place->second = mappings_.Add(mapping);
}

uint32_t Dictionary::Note(std::string_view text) {
  ProtoWriter function;
  function.Varint(1, String(text));
  ProtoWriter line;
  line.Varint(1, functions_.Add(function));
  ProtoWriter location;
  location.Message(3, line);
  return locations_.Add(location);
}

uint32_t Dictionary::Location(uintptr_t pc, bool is_return_address) {
  const uintptr_t address = pc - (is_return_address ? 1 : 0);
  const auto [place, is_new] = known_locations_.try_emplace(address);
  if (!is_new)
    return place->second;
  const std::vector<uint32_t> types = {TextAttribute("profile.frame.type", "native")};
  ProtoWriter location;
  if (const Module* const module = FindModule(address); module != nullptr) {
    location.Varint(1, Mapping(*module));
    location.Varint(2, address - module->bias);
  } else {  // generated code: its address means nothing outside of the process
    location.Varint(2, address);
    ProtoWriter function;
    function.Varint(1, String("[jit]"));
    ProtoWriter line;
    line.Varint(1, functions_.Add(function));
    location.Message(3, line);
  }
  location.PackedVarints(4, types);
  return place->second = locations_.Add(location);
}

uint32_t Dictionary::Stack(std::span<const uintptr_t> frames, size_t skipped, WalkEnd end) {
  std::vector<uint32_t> locations;
  locations.reserve(frames.size() + 1);
  for (size_t i = skipped; i < frames.size(); ++i)
    locations.push_back(Location(frames[i], i > 0));
  if (const std::string_view why = WhyTruncated(end); !why.empty())
    locations.push_back(Note(why));
  return AddStack(locations);
}

uint32_t Dictionary::NoteStack(std::string_view text) { return AddStack({Note(text)}); }

uint32_t Dictionary::AddStack(const std::vector<uint32_t>& locations) {
  ProtoWriter stack;
  stack.PackedVarints(1, locations);
  return stacks_.Add(stack);
}

const Module* Dictionary::FindModule(uintptr_t address) const {
  const auto next = std::ranges::upper_bound(modules_, address, {},
                                             [](const auto& module) { return module->begin; });
  if (next == modules_.begin())
    return nullptr;
  const Module* const module = std::prev(next)->get();
  return address < module->end ? module : nullptr;
}

void Dictionary::UseModules(std::vector<std::shared_ptr<const Module>> modules) {
  // Mappings are known by the address of their module, which must not be used again.
  kept_.insert(kept_.end(), modules_.begin(), modules_.end());
  modules_ = std::move(modules);
  known_locations_.clear();
}

size_t Dictionary::bytes() const {
  return bytes_ + attributes_.bytes() + links_.bytes() + mappings_.bytes() + functions_.bytes() +
         locations_.bytes() + stacks_.bytes();
}

void Dictionary::WriteTo(ProtoWriter* message) const {
  mappings_.WriteTo(1, message);
  locations_.WriteTo(2, message);
  functions_.WriteTo(3, message);
  links_.WriteTo(4, message);
  for (const std::string& text : strings_)
    message->Bytes(5, text);
  attributes_.WriteTo(6, message);
  stacks_.WriteTo(7, message);
}

}  // namespace flarestack::sdk
