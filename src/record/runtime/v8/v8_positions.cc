// SPDX-License-Identifier: Apache-2.0
#include "record/runtime/v8/v8_positions.h"

namespace flarestack::record::runtime {
namespace {

// Seven bits per byte, least significant first.
class Numbers {
 public:
  explicit Numbers(std::string_view bytes) : bytes_(bytes) {}

  bool at_end() const { return bytes_.empty(); }
  bool ok() const { return ok_; }

  uint64_t Unsigned() {
    uint64_t value = 0;
    for (unsigned shift = 0; shift < 64; shift += 7) {
      if (bytes_.empty()) {
        ok_ = false;
        return 0;
      }
      const auto byte = static_cast<uint8_t>(bytes_.front());
      bytes_.remove_prefix(1);
      value |= uint64_t{byte & 0x7fu} << shift;
      if (byte < 0x80)
        return value;
    }
    ok_ = false;
    return 0;
  }

  int64_t Signed() {  // zig-zag
    const uint64_t value = Unsigned();
    return static_cast<int64_t>(value >> 1) ^ -static_cast<int64_t>(value & 1);
  }

 private:
  std::string_view bytes_;
  bool ok_ = true;
};

constexpr uint8_t kWide = 0;
constexpr uint8_t kExtraWide = 1;
constexpr uint8_t kDebugBreakWide = 2;
constexpr uint8_t kDebugBreakExtraWide = 3;

// The length of the bytecode at an offset, with its prefix. 0 if it is not valid.
size_t BytecodeLength(std::string_view bytecodes, size_t offset,
                      const std::vector<uint8_t>& sizes) {
  const size_t count = sizes.size() / 3;
  size_t scale = 0;
  size_t prefix = 0;
  auto bytecode = static_cast<uint8_t>(bytecodes[offset]);
  if (bytecode == kWide || bytecode == kDebugBreakWide)
    scale = 1;
  else if (bytecode == kExtraWide || bytecode == kDebugBreakExtraWide)
    scale = 2;
  if (scale != 0) {
    prefix = 1;
    if (offset + 1 >= bytecodes.size())
      return 0;
    bytecode = static_cast<uint8_t>(bytecodes[offset + 1]);
  }
  return bytecode < count ? prefix + sizes[scale * count + bytecode] : 0;
}

uint64_t ReadDistance(Numbers* numbers, V8PositionFormat format) {
  constexpr int kFlagBits = 2;
  if (format == V8PositionFormat::kFlags)
    return numbers->Unsigned() >> kFlagBits;
  const int64_t step = numbers->Signed();
  return static_cast<uint64_t>(step >= 0 ? step : -(step + 1));
}

}  // namespace

std::optional<V8Position> DecodeV8Position(uint64_t raw) {
  constexpr uint64_t kOffsetMask = (1 << 30) - 1;
  constexpr uint64_t kInliningMask = (1 << 16) - 1;
  if ((raw & 1) != 0)
    return std::nullopt;  // in a file of V8 itself
  const auto offset = static_cast<int32_t>((raw >> 1) & kOffsetMask) - 1;
  const auto inlining = static_cast<int32_t>((raw >> 31) & kInliningMask) - 1;
  if (offset < 0)
    return std::nullopt;
  return V8Position{.script_offset = offset, .inlining = inlining};
}

std::optional<V8Position> FindV8Position(std::string_view table, uint64_t offset,
                                         V8PositionFormat format) {
  Numbers numbers(table);
  std::optional<V8Position> found;
  uint64_t next_offset = 0;  // one more than that of the entry: offsets count from -1
  uint64_t raw = 0;
  while (!numbers.at_end()) {
    const uint64_t distance = ReadDistance(&numbers, format);
    raw += static_cast<uint64_t>(numbers.Signed());
    if (!numbers.ok())
      break;
    next_offset += distance;
    if (next_offset > offset + 1)
      break;
    found = DecodeV8Position(raw);
  }
  return found;
}

std::optional<uint64_t> FindV8BytecodeOffset(const V8BaselineQuery& query) {
  Numbers lengths(query.table);
  uint64_t code_end = lengths.Unsigned();  // of the entry of the function
  if (!lengths.ok())
    return std::nullopt;
  if (query.code_offset <= code_end)
    return 0;
  size_t next = 0;
  while (next < query.bytecodes.size() && !lengths.at_end()) {
    const size_t current = next;
    code_end += lengths.Unsigned();
    if (!lengths.ok())
      return std::nullopt;
    if (query.code_offset <= code_end)
      return current;
    const size_t length = BytecodeLength(query.bytecodes, current, query.bytecode_sizes);
    if (length == 0)
      return std::nullopt;
    next = current + length;
  }
  return std::nullopt;
}

}  // namespace flarestack::record::runtime
