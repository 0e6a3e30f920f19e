// SPDX-License-Identifier: Apache-2.0
#include "base/compress/deflate_end.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstring>
#include <span>
#include <vector>

namespace flarestack::base {
namespace {

constexpr unsigned kCodeBitsMax = 15;
constexpr size_t kLiteralsMax = 288;
constexpr size_t kDistancesMax = 32;
constexpr unsigned kEndOfBlock = 256;

enum class Kind : uint8_t { kInvalid, kLiteral, kEnd, kMatch, kDistance, kLength };

// The meaning of a code, reduced to the facts needed to find the end.
struct alignas(4) Entry {
  Kind kind = Kind::kInvalid;
  uint8_t bits = 0;    // of the code and its extra bits
  uint8_t symbol = 0;  // of a code length
};

class Bits {
 public:
  explicit Bits(std::string_view bytes) : bytes_(bytes) {}

  // Returns at least 57 of the next bits, zero past the end.
  uint64_t Peek() const {
    const size_t at = position_ / 8;
    uint64_t word = 0;
    if (at + sizeof(word) <= bytes_.size()) [[likely]] {
      std::memcpy(&word, bytes_.data() + at, sizeof(word));
    } else if (at < bytes_.size()) {
      std::memcpy(&word, bytes_.data() + at, bytes_.size() - at);
    }
    return word >> (position_ % 8);
  }
  void Skip(uint64_t count) { position_ += count; }
  uint32_t Take(unsigned count) {
    const auto value = static_cast<uint32_t>(Peek() & ((uint64_t{1} << count) - 1));
    Skip(count);
    return value;
  }
  void AlignToByte() { position_ = (position_ + 7) / 8 * 8; }

  uint64_t position() const { return position_; }
  bool is_past_end() const { return position_ > uint64_t{bytes_.size()} * 8; }

 private:
  std::string_view bytes_;
  uint64_t position_ = 0;
};

unsigned Reversed(unsigned code, unsigned bits) {
  unsigned reversed = 0;
  for (unsigned i = 0; i < bits; ++i)
    reversed |= (code >> i & 1) << (bits - 1 - i);
  return reversed;
}

// The codes of one alphabet, looked up by the next bits of the data.
class CodeTable {
 public:
  // `entry_of(symbol)` returns the meaning of a symbol; Build adds the length of its code to its
  // bits. Returns false if there are more codes than fit.
  template <typename EntryOf>
  bool Build(std::span<const uint8_t> lengths, EntryOf entry_of) {
    std::array<unsigned, kCodeBitsMax + 1> counts = {};
    for (const uint8_t length : lengths)
      ++counts[length];
    counts[0] = 0;
    index_bits_ = kCodeBitsMax;
    while (index_bits_ > 1 && counts[index_bits_] == 0)
      --index_bits_;
    std::array<unsigned, kCodeBitsMax + 1> next = {};
    for (unsigned bits = 1; bits <= index_bits_; ++bits) {
      next[bits] = (next[bits - 1] + counts[bits - 1]) << 1;
      if (next[bits] + counts[bits] > 1U << bits)
        return false;
    }
    entries_.assign(size_t{1} << index_bits_, Entry{});
    for (unsigned symbol = 0; symbol < lengths.size(); ++symbol) {
      const unsigned bits = lengths[symbol];
      if (bits == 0)
        continue;
      Entry entry = entry_of(symbol);
      entry.bits = static_cast<uint8_t>(entry.bits + bits);
      for (size_t at = Reversed(next[bits]++, bits); at < entries_.size(); at += size_t{1} << bits)
        entries_[at] = entry;
    }
    return true;
  }

  Entry Find(uint64_t bits) const { return entries_[bits & (entries_.size() - 1)]; }

 private:
  unsigned index_bits_ = 0;
  std::vector<Entry> entries_;
};

Entry LiteralEntry(unsigned symbol) {
  if (symbol < kEndOfBlock)
    return {.kind = Kind::kLiteral};
  if (symbol == kEndOfBlock)
    return {.kind = Kind::kEnd};
  constexpr unsigned kLongest = 285;
  if (symbol > kLongest)
    return {};
  const bool has_extra = symbol >= 265 && symbol < kLongest;
  return {.kind = Kind::kMatch, .bits = static_cast<uint8_t>(has_extra ? (symbol - 261) / 4 : 0)};
}

Entry DistanceEntry(unsigned symbol) {
  constexpr unsigned kDistanceCodes = 30;
  if (symbol >= kDistanceCodes)
    return {};
  return {.kind = Kind::kDistance, .bits = static_cast<uint8_t>(symbol < 4 ? 0 : symbol / 2 - 1)};
}

Entry LengthEntry(unsigned symbol) {
  return {.kind = Kind::kLength, .symbol = static_cast<uint8_t>(symbol)};
}

class Scanner {
 public:
  explicit Scanner(std::string_view bytes) : bits_(bytes) {}

  std::optional<DeflateEnd> Run() {
    DeflateEnd found;
    bool is_last = false;
    while (!is_last) {
      found.last_block_bit = bits_.position();
      is_last = bits_.Take(1) != 0;
      if (!SkipBlock(bits_.Take(2)) || bits_.is_past_end())
        return std::nullopt;
    }
    found.end_bit = bits_.position();
    return found;
  }

 private:
  bool SkipBlock(uint32_t type) {
    switch (type) {
      case 0:
        return SkipStored();
      case 1:
        return ReadFixedCodes() && SkipSymbols();
      case 2:
        return ReadCodes() && SkipSymbols();
      default:
        return false;
    }
  }

  bool SkipStored() {
    bits_.AlignToByte();
    const uint32_t length = bits_.Take(16);
    const uint32_t complement = bits_.Take(16);
    bits_.Skip(uint64_t{length} * 8);
    return (length ^ complement) == 0xffff;
  }

  bool ReadFixedCodes() {
    std::array<uint8_t, kLiteralsMax> lengths;
    std::fill_n(lengths.begin(), 144, uint8_t{8});
    std::fill_n(lengths.begin() + 144, 112, uint8_t{9});
    std::fill_n(lengths.begin() + 256, 24, uint8_t{7});
    std::fill_n(lengths.begin() + 280, 8, uint8_t{8});
    std::array<uint8_t, kDistancesMax> distances;
    distances.fill(5);
    return literals_.Build(lengths, LiteralEntry) && distances_.Build(distances, DistanceEntry);
  }

  bool ReadCodes() {
    const size_t literal_count = bits_.Take(5) + 257;
    const size_t distance_count = bits_.Take(5) + 1;
    const size_t length_count = bits_.Take(4) + 4;
    if (literal_count > kLiteralsMax)
      return false;
    constexpr uint8_t kOrder[] = {16, 17, 18, 0, 8, 7, 9, 6, 10, 5, 11, 4, 12, 3, 13, 2, 14, 1, 15};
    std::array<uint8_t, std::size(kOrder)> code_lengths = {};
    for (size_t i = 0; i < length_count; ++i)
      code_lengths[kOrder[i]] = static_cast<uint8_t>(bits_.Take(3));
    CodeTable codes;
    std::array<uint8_t, kLiteralsMax + kDistancesMax> lengths = {};
    const std::span<uint8_t> all(lengths.data(), literal_count + distance_count);
    return codes.Build(code_lengths, LengthEntry) && ReadLengths(codes, all) &&
           literals_.Build(all.first(literal_count), LiteralEntry) &&
           distances_.Build(all.subspan(literal_count), DistanceEntry);
  }

  // A length, or a run: 16 repeats the last length, 17 and 18 are zeros.
  bool ReadLengths(const CodeTable& codes, std::span<uint8_t> lengths) {
    size_t at = 0;
    while (at < lengths.size()) {
      const Entry code = codes.Find(bits_.Peek());
      if (code.kind != Kind::kLength || bits_.is_past_end())
        return false;
      bits_.Skip(code.bits);
      if (code.symbol < 16) {
        lengths[at++] = code.symbol;
        continue;
      }
      if (code.symbol == 16 && at == 0)
        return false;
      const uint8_t repeated = code.symbol == 16 ? lengths[at - 1] : uint8_t{0};
      const size_t count = code.symbol == 16   ? 3 + bits_.Take(2)
                           : code.symbol == 17 ? 3 + bits_.Take(3)
                                               : 11 + bits_.Take(7);
      if (count > lengths.size() - at)
        return false;
      std::fill_n(lengths.begin() + static_cast<std::ptrdiff_t>(at), count, repeated);
      at += count;
    }
    return true;
  }

  bool SkipSymbols() {
    while (!bits_.is_past_end()) {
      SkipLiterals();
      // A match has at most 48 bits, so one Peek() covers it.
      const uint64_t next = bits_.Peek();
      const Entry symbol = literals_.Find(next);
      if (symbol.kind == Kind::kLiteral)
        continue;
      if (symbol.kind == Kind::kEnd) {
        bits_.Skip(symbol.bits);
        return true;
      }
      const Entry distance = distances_.Find(next >> symbol.bits);
      if (symbol.kind != Kind::kMatch || distance.kind != Kind::kDistance)
        return false;
      bits_.Skip(uint64_t{symbol.bits} + distance.bits);
    }
    return false;
  }

  // Skips as many literals as one Peek() covers.
  void SkipLiterals() {
    constexpr int kLiteralsAtOnce = 3;
    uint64_t next = bits_.Peek();
    uint64_t bits = 0;
    for (int i = 0; i < kLiteralsAtOnce; ++i) {
      const Entry symbol = literals_.Find(next);
      if (symbol.kind != Kind::kLiteral)
        break;
      next >>= symbol.bits;
      bits += symbol.bits;
    }
    bits_.Skip(bits);
  }

  Bits bits_;
  CodeTable literals_;
  CodeTable distances_;
};

}  // namespace

std::optional<DeflateEnd> FindDeflateEnd(std::string_view bytes) { return Scanner(bytes).Run(); }

}  // namespace flarestack::base
