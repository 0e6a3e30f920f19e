// SPDX-License-Identifier: Apache-2.0
#include "sdk/unwind/cfi_compiler.h"

#include <algorithm>
#include <array>
#include <optional>

#include "sdk/unwind/cfi_reader.h"

namespace flarestack::sdk {
namespace {

#if defined(__x86_64__)
constexpr uint64_t kFramePointer = 6;
constexpr uint64_t kStackPointer = 7;
#else
constexpr uint64_t kFramePointer = 29;
constexpr uint64_t kStackPointer = 31;
#endif

// What a function's CFI says at one address.
struct Rules {
  CfaRule cfa = CfaRule::kNone;
  int64_t cfa_offset = 0;
  int16_t return_address = kLostRegister;
  int16_t frame_pointer = kSameRegister;
};

struct Cie {
  uintptr_t place = 0;
  uint64_t code_align = 1;
  int64_t data_align = 1;
  uint64_t return_register = 0;
  uint8_t pointer_encoding = 0;
  bool has_augmentation_data = false;
  bool is_signal_frame = false;
  CfiReader instructions = CfiReader(0, 0);
};

// A CIE or FDE: its bytes behind the length.
struct Entry {
  uintptr_t id_place = 0;
  uint32_t id = 0;
  CfiReader content = CfiReader(0, 0);
};

std::optional<Entry> ReadEntry(CfiReader* reader) {
  uint64_t length = reader->Fixed<uint32_t>();
  if (length == 0xffffffff)
    length = reader->Fixed<uint64_t>();
  if (length == 0 || reader->failed())
    return std::nullopt;
  Entry entry;
  entry.content = reader->Part(length);
  entry.id_place = entry.content.at();
  entry.id = entry.content.Fixed<uint32_t>();
  if (reader->failed() || entry.content.failed())
    return std::nullopt;
  return entry;
}

bool ReadAugmentation(CfiReader* content, const std::array<char, 8>& letters, Cie* cie) {
  CfiReader data(0, 0);
  for (size_t i = 0; i < letters.size() && letters[i] != 0; ++i) {
    switch (letters[i]) {
      case 'z':
        cie->has_augmentation_data = true;
        data = content->Part(content->Unsigned());
        break;
      case 'R':
        cie->pointer_encoding = data.Fixed<uint8_t>();
        break;
      case 'L':
        data.Fixed<uint8_t>();
        break;
      case 'P': {
        const auto encoding = data.Fixed<uint8_t>();
        data.Pointer(encoding & 0x7f, 0);
        break;
      }
      case 'S':
        cie->is_signal_frame = true;
        break;
      case 'B':  // return addresses are signed with the second key
        break;
      default:
        return false;
    }
  }
  return !data.failed();
}

std::optional<Cie> ReadCie(uintptr_t place, uintptr_t end) {
  CfiReader reader(place, end);
  auto entry = ReadEntry(&reader);
  if (!entry.has_value() || entry->id != 0)
    return std::nullopt;
  CfiReader& content = entry->content;
  const auto version = content.Fixed<uint8_t>();
  std::array<char, 8> letters = {};
  for (size_t i = 0;; ++i) {
    const auto letter = content.Fixed<char>();
    if (letter == 0)
      break;
    if (i + 1 >= letters.size())
      return std::nullopt;
    letters[i] = letter;
  }
  Cie cie;
  cie.place = place;
  cie.code_align = content.Unsigned();
  cie.data_align = content.Signed();
  cie.return_register = version == 1 ? content.Fixed<uint8_t>() : content.Unsigned();
  if (content.failed() || !ReadAugmentation(&content, letters, &cie))
    return std::nullopt;
  cie.instructions = content;
  return cie;
}

// Runs the CFA program of one function and emits a row at each change.
class FunctionCompiler {
 public:
  FunctionCompiler(const Cie& cie, uintptr_t base, std::vector<UnwindRow>* rows)
      : cie_(cie), base_(base), rows_(*rows) {}

  void Compile(uintptr_t begin, uintptr_t end, CfiReader instructions) {
    if (cie_.is_signal_frame) {
      rules_ = {.cfa = CfaRule::kSignalFrame};
      Emit(begin);
      return;
    }
#if defined(__aarch64__)
    rules_.return_address = kSameRegister;
#endif
    address_ = begin;
    Run(cie_.instructions, end);
    initial_ = rules_;
    Run(instructions, end);
    Emit(address_);
  }

 private:
  void Run(CfiReader instructions, uintptr_t end) {
    while (!instructions.is_at_end() && address_ < end)
      Step(&instructions);
  }

  void Step(CfiReader* in) {
    const auto code = in->Fixed<uint8_t>();
    const uint64_t low = code & 0x3f;
    switch (code & 0xc0) {
      case 0x40:
        return Advance(low);
      case 0x80:
        return SetSaved(low, static_cast<int64_t>(in->Unsigned()) * cie_.data_align);
      case 0xc0:
        return Restore(low);
      default:
        return StepExtended(code, in);
    }
  }

  void StepExtended(uint8_t code, CfiReader* in) {
    switch (code) {
      case 0x00:  // nop
      case 0x2d:  // arm64: the return address is signed from here on
        break;
      case 0x01:  // set_loc
        Emit(address_);
        address_ = in->Pointer(cie_.pointer_encoding, 0);
        break;
      case 0x02:
        return Advance(in->Fixed<uint8_t>());
      case 0x03:
        return Advance(in->Fixed<uint16_t>());
      case 0x04:
        return Advance(in->Fixed<uint32_t>());
      case 0x06:
        return Restore(in->Unsigned());
      case 0x0a:
        if (depth_ < saved_.size())
          saved_[depth_++] = rules_;
        break;
      case 0x0b:
        if (depth_ > 0)
          rules_ = saved_[--depth_];
        break;
      case 0x0c:
      case 0x0d:
      case 0x0e:
      case 0x0f:
      case 0x12:
      case 0x13:
        return SetCfa(code, in);
      case 0x2e:  // size of arguments
        in->Unsigned();
        break;
      default:
        return StepRegister(code, in);
    }
  }

  void SetCfa(uint8_t code, CfiReader* in) {
    if (code == 0x0f)
      return SetCfaExpression(in->Part(in->Unsigned()));
    if (code != 0x0e && code != 0x13) {
      const uint64_t reg = in->Unsigned();
      rules_.cfa = reg == kStackPointer   ? CfaRule::kStackPointer
                   : reg == kFramePointer ? CfaRule::kFramePointer
                                          : CfaRule::kNone;
    }
    if (code == 0x0c || code == 0x0e)
      rules_.cfa_offset = static_cast<int64_t>(in->Unsigned());
    else if (code == 0x12 || code == 0x13)
      rules_.cfa_offset = in->Signed() * cie_.data_align;
  }

  // Two shapes occur in practice: that of linkage stubs, and the saved CFA of functions that
  // realign their stack.
  void SetCfaExpression([[maybe_unused]] CfiReader in) {
    rules_.cfa = CfaRule::kNone;
#if defined(__x86_64__)
    constexpr uint8_t kRegister = 0x70;  // DW_OP_breg0
    const auto first = in.Fixed<uint8_t>();
    const int64_t offset = in.Signed();
    const auto second = in.Fixed<uint8_t>();
    if (first == kRegister + kFramePointer && second == 0x06 && in.is_at_end()) {
      rules_.cfa = CfaRule::kSavedAtFrame;
      rules_.cfa_offset = offset;
    } else if (first == kRegister + kStackPointer && offset == 8 && second == kRegister + 16) {
      // sp + 8 + (((pc & 15) >= N) << 3)
      const std::array<uint8_t, 9> bytes = {
          in.Fixed<uint8_t>(), in.Fixed<uint8_t>(), in.Fixed<uint8_t>(),
          in.Fixed<uint8_t>(), in.Fixed<uint8_t>(), in.Fixed<uint8_t>(),
          in.Fixed<uint8_t>(), in.Fixed<uint8_t>(), 0};
      const uint8_t limit = bytes[3];
      if (bytes == std::array<uint8_t, 9>{0x00, 0x3f, 0x1a, limit, 0x2a, 0x33, 0x24, 0x22, 0} &&
          limit >= 0x30 && limit < 0x40) {
        rules_.cfa = CfaRule::kLinkageStub;
        rules_.cfa_offset = limit - 0x30;
      }
    }
#endif
  }

  void StepRegister(uint8_t code, CfiReader* in) {
    const uint64_t reg = in->Unsigned();
    switch (code) {
      case 0x05:  // offset_extended
        return SetSaved(reg, static_cast<int64_t>(in->Unsigned()) * cie_.data_align);
      case 0x11:  // offset_extended_sf
        return SetSaved(reg, in->Signed() * cie_.data_align);
      case 0x2f:  // negative_offset_extended
        return SetSaved(reg, -static_cast<int64_t>(in->Unsigned()) * cie_.data_align);
      case 0x07:  // undefined
        if (reg == cie_.return_register)
          rules_.cfa = CfaRule::kOutermost;
        return;
      case 0x08:  // same_value
        return SetRule(reg, kSameRegister);
      case 0x09:  // in another register
      case 0x14:
      case 0x15:
        in->Unsigned();
        return SetRule(reg, kLostRegister);
      case 0x10:
        return SetExpression(reg, in->Part(in->Unsigned()));
      case 0x16:
        in->Part(in->Unsigned());
        return SetRule(reg, kLostRegister);
      default:
        return;
    }
  }

  void SetExpression(uint64_t reg, CfiReader in) {
    const bool is_at_frame_pointer = in.Fixed<uint8_t>() == 0x70 + kFramePointer &&
                                     in.Signed() == 0 && in.is_at_end() && !in.failed();
    SetRule(reg, reg == kFramePointer && is_at_frame_pointer ? kAtFramePointer : kLostRegister);
  }

  void SetSaved(uint64_t reg, int64_t offset) {
    constexpr int64_t kWordsMax = 30'000;
    const int64_t words = offset / 8;
    SetRule(reg, offset % 8 != 0 || words > kWordsMax || words < -kWordsMax
                     ? kLostRegister
                     : static_cast<int16_t>(words));
  }

  void SetRule(uint64_t reg, int16_t rule) {
    if (reg == cie_.return_register)
      rules_.return_address = rule;
    else if (reg == kFramePointer)
      rules_.frame_pointer = rule;
  }

  void Restore(uint64_t reg) {
    if (reg == cie_.return_register)
      rules_.return_address = initial_.return_address;
    else if (reg == kFramePointer)
      rules_.frame_pointer = initial_.frame_pointer;
  }

  void Advance(uint64_t units) {
    Emit(address_);
    address_ += units * cie_.code_align;
  }

  void Emit(uintptr_t address) {
    UnwindRow row = {.offset = static_cast<uint32_t>(address - base_),
                     .cfa = rules_.cfa,
                     .return_address = rules_.return_address,
                     .cfa_offset = static_cast<int32_t>(rules_.cfa_offset),
                     .frame_pointer = rules_.frame_pointer};
    if (rules_.return_address == kLostRegister && row.cfa != CfaRule::kOutermost &&
        row.cfa != CfaRule::kSignalFrame)
      row.cfa = CfaRule::kNone;
    if (rows_.empty() || rows_.back().offset < row.offset)
      rows_.push_back(row);
    else if (rows_.back().offset == row.offset)
      rows_.back() = row;
  }

  const Cie& cie_;
  const uintptr_t base_;
  std::vector<UnwindRow>& rows_;
  uintptr_t address_ = 0;
  Rules rules_;
  Rules initial_;
  std::array<Rules, 8> saved_;
  size_t depth_ = 0;
};

class ModuleCompiler {
 public:
  ModuleCompiler(const ModuleImage& image, size_t rows_max) : image_(image), rows_max_(rows_max) {}

  std::vector<UnwindRow> Compile() && {
    CfiReader header = Reader(image_.eh_frame_hdr);
    const auto version = header.Fixed<uint8_t>();
    const auto frame_encoding = header.Fixed<uint8_t>();
    const auto count_encoding = header.Fixed<uint8_t>();
    const auto table_encoding = header.Fixed<uint8_t>();
    const uintptr_t eh_frame = header.Pointer(frame_encoding, image_.eh_frame_hdr);
    if (version != 1 || header.failed())
      return {};
    constexpr uint8_t kSortedTable = 0x3b;  // relative to the header, 4 bytes, signed
    if (table_encoding == kSortedTable && count_encoding != 0xff)
      FromTable(header.Pointer(count_encoding, image_.eh_frame_hdr), header);
    else
      FromFrames(eh_frame);
    return std::move(rows_);
  }

 private:
  CfiReader Reader(uintptr_t place) const {
    return place < image_.segment_begin || place >= image_.segment_end
               ? CfiReader(0, 0)
               : CfiReader(place, image_.segment_end);
  }

  void FromTable(uint64_t count, CfiReader table) {
    for (uint64_t i = 0; i < count && !table.is_at_end() && rows_.size() < rows_max_; ++i) {
      table.Fixed<int32_t>();  // the function
      const auto entry = table.Fixed<int32_t>();
      AddFunction(image_.eh_frame_hdr + static_cast<uintptr_t>(int64_t{entry}));
    }
    Close();
  }

  // Without a table, functions are in any order.
  void FromFrames(uintptr_t eh_frame) {
    CfiReader reader = Reader(eh_frame);
    while (!reader.is_at_end() && rows_.size() < rows_max_) {
      const uintptr_t place = reader.at();
      const auto entry = ReadEntry(&reader);
      if (!entry.has_value())
        break;
      if (entry->id != 0) {
        AddFunction(place);
        Close();
      }
    }
    std::stable_sort(rows_.begin(), rows_.end(), [](const UnwindRow& a, const UnwindRow& b) {
      // The end of a function gives way to the beginning of the next.
      return a.offset != b.offset ? a.offset < b.offset
                                  : (a.cfa == CfaRule::kNone) > (b.cfa == CfaRule::kNone);
    });
  }

  void AddFunction(uintptr_t place) {
    CfiReader reader = Reader(place);
    auto entry = ReadEntry(&reader);
    if (!entry.has_value() || entry->id == 0 || entry->id > entry->id_place)
      return;
    const uintptr_t cie_place = entry->id_place - entry->id;
    if (cie_place < image_.segment_begin)
      return;
    if (!cie_.has_value() || cie_->place != cie_place)
      cie_ = ReadCie(cie_place, image_.segment_end);
    if (!cie_.has_value())
      return;
    CfiReader& content = entry->content;
    const uintptr_t begin = content.Pointer(cie_->pointer_encoding, 0);
    const uintptr_t bytes = content.Pointer(cie_->pointer_encoding & 0x0f, 0);
    if (cie_->has_augmentation_data)
      content.Skip(content.Unsigned());
    if (content.failed() || begin < image_.begin || begin >= image_.end ||
        bytes > image_.end - begin || image_.end - image_.begin > UINT32_MAX)
      return;
    CloseBefore(begin);
    FunctionCompiler(*cie_, image_.begin, &rows_).Compile(begin, begin + bytes, content);
    end_ = begin + bytes;
  }

  // Padding between two functions counts as part of the first.
  void CloseBefore(uintptr_t begin) {
    constexpr uintptr_t kPaddingMax = 16;
    if (end_ != 0 && (begin < end_ || begin - end_ >= kPaddingMax))
      Close();
  }

  void Close() {
    if (end_ == 0)
      return;
    const UnwindRow row = {.offset = static_cast<uint32_t>(end_ - image_.begin)};
    if (rows_.empty() || rows_.back().offset < row.offset)
      rows_.push_back(row);
    end_ = 0;
  }

  const ModuleImage& image_;
  const size_t rows_max_;
  std::vector<UnwindRow> rows_;
  std::optional<Cie> cie_;
  uintptr_t end_ = 0;  // of the last function
};

}  // namespace

std::vector<UnwindRow> CompileCfi(const ModuleImage& image, size_t rows_max) {
  return ModuleCompiler(image, rows_max).Compile();
}

}  // namespace flarestack::sdk
