// SPDX-License-Identifier: Apache-2.0
#include "store/chunk/column.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cstring>
#include <optional>
#include <string_view>

#include "base/compress/compress.h"

namespace flarestack::store {
namespace {

// The first byte of a column.
constexpr char kVarints = 0;
constexpr char kSymbols = 1;
constexpr char kAllZero = 2;

// For shorter columns, the header of the compressed data costs more than compression saves.
constexpr size_t kSymbolsFrom = 512;

// A zstd block decompresses to at most 128 KiB and takes at least 3 bytes.
constexpr size_t kExpansionMax = 65'536;

// 0 to 3 are their own symbols. The symbol of a larger number encodes its bit width and its second
// highest bit.
uint8_t SymbolOf(uint64_t number) {
  if (number < 4)
    return static_cast<uint8_t>(number);
  const auto width = static_cast<uint32_t>(std::bit_width(number));
  return static_cast<uint8_t>(2 * (width - 1) + (number >> (width - 2) & 1));
}
constexpr uint8_t kSymbolsEnd = 128;

constexpr uint32_t BitsBelow(uint8_t symbol) { return std::max(symbol / 2u, 1u) - 1; }

constexpr uint64_t LeastOf(uint8_t symbol) {
  return symbol < 4 ? symbol : uint64_t{2u | (symbol & 1u)} << BitsBelow(symbol);
}

// LeastOf and BitsBelow as a table, because readers look them up for every number.
struct SymbolShape {
  uint64_t least = 0;
  uint32_t bits = 0;  // below the two highest
};
constexpr auto kShapes = [] {
  std::array<SymbolShape, kSymbolsEnd> shapes;
  for (uint32_t symbol = 0; symbol < kSymbolsEnd; ++symbol) {
    const auto at = static_cast<uint8_t>(symbol);
    shapes[symbol] = {.least = LeastOf(at), .bits = BitsBelow(at)};
  }
  return shapes;
}();

// Writes the lowest bit first.
class BitWriter {
 public:
  explicit BitWriter(std::string* out) : out_(*out) {}
  ~BitWriter() {
    if (count_ > 0)
      out_.push_back(static_cast<char>(bits_));
  }
  BitWriter(const BitWriter&) = delete;
  BitWriter& operator=(const BitWriter&) = delete;

  void Add(uint64_t bits, uint32_t count) {
    for (uint32_t done = 0; done < count;) {
      const uint32_t taken = std::min(8 - count_, count - done);
      bits_ |= (bits >> done & ((1u << taken) - 1)) << count_;
      done += taken;
      count_ += taken;
      if (count_ == 8) {
        out_.push_back(static_cast<char>(bits_));
        bits_ = 0;
        count_ = 0;
      }
    }
  }

 private:
  std::string& out_;
  uint64_t bits_ = 0;
  uint32_t count_ = 0;  // of bits_, below 8
};

static_assert(std::endian::native == std::endian::little);

class BitReader {
 public:
  explicit BitReader(std::string_view bytes) : bytes_(bytes) {}

  // At least `count` bits must be left.
  uint64_t Take(uint32_t count) {
    // A 64-bit word has at least this many bits left, whichever bit of its first byte is next.
    constexpr uint32_t kCountMax = 57;
    if (count > kCountMax) {
      const uint64_t low = Take(32);
      return low | Take(count - 32) << 32;
    }
    const uint64_t bits = WordAt(at_ / 8) >> at_ % 8 & ((uint64_t{1} << count) - 1);
    at_ += count;
    return bits;
  }

 private:
  uint64_t WordAt(size_t byte) const {
    uint64_t word = 0;
    if (bytes_.size() - byte >= sizeof(word)) [[likely]]
      std::memcpy(&word, bytes_.data() + byte, sizeof(word));
    else
      std::memcpy(&word, bytes_.data() + byte, bytes_.size() - byte);
    return word;
  }

  std::string_view bytes_;
  size_t at_ = 0;  // the next bit
};

// Per-thread buffers: columns are many and short-lived.
struct Scratch {
  std::string symbols;
  std::string frame;
};
Scratch& ThreadsScratch() {
  thread_local Scratch scratch;
  return scratch;
}

void AppendSymbols(std::span<const uint64_t> numbers, std::string* out) {
  Scratch& scratch = ThreadsScratch();
  scratch.symbols.resize(numbers.size());
  for (size_t i = 0; i < numbers.size(); ++i)
    scratch.symbols[i] = static_cast<char>(SymbolOf(numbers[i]));
  if (base::ZstdQuickly(scratch.symbols, &scratch.frame)) {
    base::AppendBytes(scratch.frame, out);
  } else {
    out->push_back(0);
    *out += scratch.symbols;
  }
  BitWriter bits(out);
  for (const uint64_t number : numbers)
    bits.Add(number, BitsBelow(SymbolOf(number)));
}

struct Symbols {
  std::string_view symbols;  // one per number
  std::string_view bits;     // the lower bits of all numbers
};

// Returns nullopt if the bytes cannot encode `count` numbers.
std::optional<Symbols> TakeSymbols(base::ByteReader& in, size_t count) {
  const std::string_view frame = in.Bytes();
  std::string_view symbols;
  if (frame.empty()) {
    symbols = in.Take(count);
  } else {
    if (count / kExpansionMax > frame.size())
      return {};
    std::string& expanded = ThreadsScratch().symbols;
    expanded.resize(count);
    if (!base::UnzstdInto(frame, expanded))
      return {};
    symbols = expanded;
  }
  if (!in.ok() || symbols.size() != count)
    return {};
  uint64_t bit_count = 0;
  uint8_t highest = 0;
  for (const char c : symbols) {
    const auto symbol = static_cast<uint8_t>(c);
    bit_count += BitsBelow(symbol);
    highest = std::max(highest, symbol);
  }
  if (highest >= kSymbolsEnd)
    return {};
  const std::string_view bits = in.Take((bit_count + 7) / 8);
  if (!in.ok())
    return {};
  return Symbols{.symbols = symbols, .bits = bits};
}

bool ReadSymbols(base::ByteReader& in, size_t count, std::vector<uint64_t>* numbers) {
  const std::optional<Symbols> taken = TakeSymbols(in, count);
  if (!taken.has_value())
    return false;
  numbers->resize(count);
  BitReader bits(taken->bits);
  uint64_t* out = numbers->data();
  for (const char symbol : taken->symbols) {
    const SymbolShape& shape = kShapes[static_cast<uint8_t>(symbol)];
    *out++ = shape.least | bits.Take(shape.bits);
  }
  return true;
}

}  // namespace

void AppendColumn(std::span<const uint64_t> numbers, std::string* out) {
  if (std::ranges::all_of(numbers, [](uint64_t number) { return number == 0; })) {
    out->push_back(kAllZero);
  } else if (numbers.size() < kSymbolsFrom) {
    out->push_back(kVarints);
    for (const uint64_t number : numbers)
      base::AppendVarint(number, out);
  } else {
    out->push_back(kSymbols);
    AppendSymbols(numbers, out);
  }
}

bool IsAllZero(const base::ByteReader& in) { return in.rest().starts_with(kAllZero); }

bool ReadColumn(base::ByteReader& in, size_t count, std::vector<uint64_t>* numbers) {
  const std::string_view form = in.Take(1);
  if (form == std::string_view(&kAllZero, 1)) {
    numbers->assign(count, 0);
    return true;
  }
  if (form == std::string_view(&kSymbols, 1))
    return ReadSymbols(in, count, numbers);
  if (form != std::string_view(&kVarints, 1) || count > in.rest().size())
    return false;
  numbers->resize(count);
  for (uint64_t& number : *numbers)
    number = in.Varint();
  return in.ok();
}

bool SkipColumn(base::ByteReader& in, size_t count) {
  if (IsAllZero(in))
    return in.Take(1).size() == 1;
  if (in.rest().starts_with(kSymbols))
    return in.Take(1).size() == 1 && TakeSymbols(in, count).has_value();
  std::vector<uint64_t> few;
  return ReadColumn(in, count, &few);
}

}  // namespace flarestack::store
