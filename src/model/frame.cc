// SPDX-License-Identifier: Apache-2.0
#include "model/frame.h"

#include "base/text/text.h"

namespace flarestack::model {

std::vector<Frame> FramesOf(const Dictionary& dictionary, StackIndex stack) {
  std::vector<Frame> frames;
  for (const LocationIndex index :
       In(dictionary.location_indices, dictionary.stacks[stack.value].locations)) {
    const Location& location = dictionary.locations[index.value];
    if (location.lines.empty()) {
      frames.push_back({.location = index, .function = {}, .filename = {}});
      continue;
    }
    const auto lines = In(dictionary.lines, location.lines);
    for (size_t i = 0; i < lines.size(); ++i) {
      const Function& function = dictionary.functions[lines[i].function.value];
      frames.push_back({.location = index,
                        .function = lines[i].function,
                        .filename = dictionary.Text(function.filename),
                        .line = lines[i].line,
                        .column = lines[i].column,
                        .is_inlined = i + 1 < lines.size()});
    }
  }
  return frames;
}

std::string_view FrameType(const Dictionary& dictionary, LocationIndex location) {
  const Slice attributes = dictionary.locations[location.value].attributes;
  for (const AttributeIndex index : In(dictionary.attribute_indices, attributes)) {
    const Attribute& attribute = dictionary.attributes[index.value];
    if (dictionary.Text(attribute.key) == "profile.frame.type" &&
        dictionary.IsString(attribute.value))
      return dictionary.String(attribute.value);
  }
  return {};
}

bool IsInternalFrame(const Dictionary& dictionary, LocationIndex location) {
  const Slice attributes = dictionary.locations[location.value].attributes;
  for (const AttributeIndex index : In(dictionary.attribute_indices, attributes)) {
    const Attribute& attribute = dictionary.attributes[index.value];
    if (attribute.value.kind == AnyValue::Kind::kBool && attribute.value.bool_value &&
        dictionary.Text(attribute.key) == kInternalFrameKey)
      return true;
  }
  return false;
}

std::string_view ModuleName(const Dictionary& dictionary, const Frame& frame) {
  const MappingIndex mapping = dictionary.locations[frame.location.value].mapping;
  const std::string_view path = dictionary.Text(dictionary.mappings[mapping.value].filename);
  const size_t slash = path.rfind('/');
  return slash == std::string_view::npos ? path : path.substr(slash + 1);
}

std::optional<uint64_t> FunctionAddress(const Dictionary& dictionary, LocationIndex location) {
  const Slice attributes = dictionary.locations[location.value].attributes;
  for (const AttributeIndex index : In(dictionary.attribute_indices, attributes)) {
    const Attribute& attribute = dictionary.attributes[index.value];
    if (attribute.value.kind == AnyValue::Kind::kInt &&
        dictionary.Text(attribute.key) == kFunctionAddressKey)
      return static_cast<uint64_t>(attribute.value.int_value);
  }
  return std::nullopt;
}

std::string FrameName(const Dictionary& dictionary, const Frame& frame) {
  const Function& function = dictionary.functions[frame.function.value];
  // Compare the text, not the index: a table may contain the empty text twice.
  for (const StringIndex name : {function.name, function.system_name}) {
    if (const std::string_view text = dictionary.Text(name); !text.empty())
      return std::string(text);
  }
  const uint64_t address = dictionary.locations[frame.location.value].address;
  const std::string_view module = ModuleName(dictionary, frame);
  if (const auto function_address = FunctionAddress(dictionary, frame.location);
      function_address.has_value() && !module.empty())
    return base::StrCat(module, "!", base::Hex(*function_address), "+");
  if (!module.empty())
    return base::StrCat(module, "!", base::Hex(address));
  if (address != 0)
    return base::Hex(address);
  return "[unknown]";
}

}  // namespace flarestack::model
