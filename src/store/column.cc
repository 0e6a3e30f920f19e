// SPDX-License-Identifier: Apache-2.0
#include "store/column.h"

#include <algorithm>
#include <bit>
#include <string_view>

#include "base/compress.h"

namespace flarestack::store {
namespace {

// The first byte of a column.
constexpr char kVarints = 0;
constexpr char kSymbols = 1;
constexpr char kAllZero = 2;

// Below, the head of what is compressed costs more than it saves.
constexpr size_t kSymbolsFrom = 512;

// A block of zstd is at most 128 KiB and takes at least 3 bytes.
constexpr size_t kExpansionMax = 65'536;

// 0 to 3 are their own symbols; above, a symbol tells how many bits a number has and what the
// second of them is.
uint8_t SymbolOf(uint64_t number) {
  if (number < 4)
    return static_cast<uint8_t>(number);
  const auto width = static_cast<uint32_t>(std::bit_width(number));
  return static_cast<uint8_t>(2 * (width - 1) + (number >> (width - 2) & 1));
}
constexpr uint8_t kSymbolsEnd = 128;

uint32_t BitsBelow(uint8_t symbol) { return symbol < 4 ? 0 : symbol / 2u - 1; }

uint64_t LeastOf(uint8_t symbol) {
  return symbol < 4 ? symbol : uint64_t{2u | (symbol & 1u)} << BitsBelow(symbol);
}

// The lowest bit first.
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

class BitReader {
 public:
  explicit BitReader(std::string_view bytes) : bytes_(bytes) {}

  // There must be so many.
  uint64_t Take(uint32_t count) {
    uint64_t bits = 0;
    for (uint32_t done = 0; done < count;) {
      const uint32_t taken = std::min(8 - used_, count - done);
      const auto byte = static_cast<uint8_t>(bytes_[at_]);
      bits |= uint64_t{(byte >> used_) & ((1u << taken) - 1)} << done;
      done += taken;
      used_ += taken;
      if (used_ == 8) {
        used_ = 0;
        ++at_;
      }
    }
    return bits;
  }

 private:
  std::string_view bytes_;
  size_t at_ = 0;
  uint32_t used_ = 0;  // bits of the byte at `at_`
};

// What is being put together, by thread: columns are many and short-lived.
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

bool ReadSymbols(base::ByteReader& in, size_t count, std::vector<uint64_t>* numbers) {
  const std::string_view frame = in.Bytes();
  std::string_view symbols;
  if (frame.empty()) {
    symbols = in.Take(count);
  } else {
    if (count / kExpansionMax > frame.size())
      return false;
    std::string& expanded = ThreadsScratch().symbols;
    expanded.resize(count);
    if (!base::UnzstdInto(frame, expanded))
      return false;
    symbols = expanded;
  }
  if (!in.ok() || symbols.size() != count)
    return false;
  uint64_t bit_count = 0;
  for (const char symbol : symbols) {
    if (static_cast<uint8_t>(symbol) >= kSymbolsEnd)
      return false;
    bit_count += BitsBelow(static_cast<uint8_t>(symbol));
  }
  const std::string_view bytes = in.Take((bit_count + 7) / 8);
  if (!in.ok())
    return false;
  numbers->resize(count);
  BitReader bits(bytes);
  for (size_t i = 0; i < count; ++i) {
    const auto symbol = static_cast<uint8_t>(symbols[i]);
    (*numbers)[i] = LeastOf(symbol) | bits.Take(BitsBelow(symbol));
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

}  // namespace flarestack::store
