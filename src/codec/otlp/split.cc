// SPDX-License-Identifier: Apache-2.0
#include "codec/otlp/split.h"

#include <optional>
#include <string>

#include "base/check.h"
#include "base/status.h"
#include "base/text/text.h"
#include "model/signal.h"

namespace flarestack::codec::otlp {
namespace {

using base::StrCat;

constexpr std::string_view kByteOrderMark = "\xEF\xBB\xBF";

// The length of the JSON object at the start of `text`, up to its closing brace. Ignores braces
// inside strings. Returns nullopt if the object is not closed.
std::optional<size_t> ObjectLength(std::string_view text) {
  size_t depth = 0;
  bool in_string = false;
  for (size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    if (in_string) {
      if (c == '\\') {
        ++i;
      } else if (c == '"') {
        in_string = false;
      }
    } else if (c == '"') {
      in_string = true;
    } else if (c == '{') {
      ++depth;
    } else if (c == '}' && --depth == 0) {
      return i + 1;
    }
  }
  return std::nullopt;
}

std::string_view SkipSpace(std::string_view text) {
  const size_t start = text.find_first_not_of(" \t\r\n");
  return start == std::string_view::npos ? std::string_view() : text.substr(start);
}

}  // namespace

uint32_t FrameLength(std::string_view bytes) {
  uint32_t length = 0;
  for (size_t i = 0; i < kFrameHeaderBytes; ++i)
    length = length << 8 | static_cast<uint8_t>(bytes[i]);
  return length;
}

absl::Status ForEachFrame(std::string_view bytes, TakeMessage take) {
  size_t offset = 0;
  for (size_t frame = 0; offset < bytes.size(); ++frame) {
    const std::string_view rest = bytes.substr(offset);
    const std::string at = StrCat("message ", frame, " at byte ", offset);
    if (rest.size() < kFrameHeaderBytes) {
      return absl::InvalidArgumentError(StrCat(at, ": its length is truncated"));
    }
    const size_t length = FrameLength(rest);
    if (length > rest.size() - kFrameHeaderBytes) {
      return absl::InvalidArgumentError(StrCat(at, ": ", length, " bytes announced, ",
                                               rest.size() - kFrameHeaderBytes,
                                               " left in the file"));
    }
    if (const absl::Status status = take(rest.substr(kFrameHeaderBytes, length)); !status.ok()) {
      return base::WithContext(at, status);
    }
    offset += kFrameHeaderBytes + length;
  }
  return absl::OkStatus();
}

std::string_view CompleteFrames(std::string_view bytes) {
  size_t end = 0;
  while (bytes.size() - end >= kFrameHeaderBytes) {
    const std::string_view rest = bytes.substr(end);
    const size_t length = FrameLength(rest);
    if (length > rest.size() - kFrameHeaderBytes)
      break;
    end += kFrameHeaderBytes + length;
  }
  return bytes.substr(0, end);
}

void AppendFrame(std::string_view message, std::string* out) {
  FLARE_CHECK(message.size() <= UINT32_MAX, message.size());
  for (size_t i = kFrameHeaderBytes; i-- > 0;)
    out->push_back(static_cast<char>(message.size() >> (8 * i)));
  out->append(message);
}

std::string_view SkipJsonSpace(std::string_view bytes) {
  if (bytes.starts_with(kByteOrderMark))
    bytes.remove_prefix(kByteOrderMark.size());
  return SkipSpace(bytes);
}

// A line feed and a brace can also start a protobuf message whose first resource has 123 bytes. In
// JSON, a name or the closing brace follows, and text contains no control characters.
bool LooksLikeJson(std::string_view bytes) {
  const std::string_view object = SkipJsonSpace(bytes);
  if (!object.starts_with("{") || !bytes.starts_with("\n{"))
    return object.starts_with("{");
  const std::string_view member = SkipJsonSpace(object.substr(1));
  return member.starts_with("}") ||
         (member.size() > 1 && member[0] == '"' && static_cast<unsigned char>(member[1]) >= ' ');
}

absl::Status ForEachJsonObject(std::string_view bytes, TakeMessage take, TakeOther take_other) {
  std::string_view rest = SkipJsonSpace(bytes);
  bool has_profiles = false;
  std::optional<model::Signal> other;
  for (size_t position = 0; !rest.empty(); ++position) {
    const std::string at =
        StrCat("JSON object ", position, " at byte ", rest.data() - bytes.data());
    if (!rest.starts_with("{"))
      return absl::InvalidArgumentError(StrCat(at, ": expected {"));
    const auto length = ObjectLength(rest);
    const std::string_view object = rest.substr(0, length.value_or(rest.size()));
    rest = SkipSpace(rest.substr(object.size()));
    if (const model::Signal signal = SignalOfJson(object); signal != model::Signal::kProfiles) {
      other = signal;
      take_other(signal);
      continue;
    }
    has_profiles = true;
    if (object.find("\"resourceProfiles\"") == std::string_view::npos &&
        object.find("\"resource_profiles\"") == std::string_view::npos && length.has_value()) {
      return absl::InvalidArgumentError(
          StrCat(at, ": no member resourceProfiles, so this is not OTLP/JSON profiles"));
    }
    if (const absl::Status status = take(object); !status.ok())
      return base::WithContext(at, status);
  }
  return other && !has_profiles ? OtherSignalError(*other) : absl::OkStatus();
}

}  // namespace flarestack::codec::otlp
