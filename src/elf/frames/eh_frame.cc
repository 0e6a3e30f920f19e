// SPDX-License-Identifier: Apache-2.0
#include "elf/frames/eh_frame.h"

#include <elf.h>

#include <algorithm>
#include <tuple>
#include <unordered_map>
#include <utility>

#include "absl/status/status.h"
#include "base/status.h"
#include "elf/frames/eh_frame_header.h"
#include "elf/frames/eh_pointer.h"

namespace flarestack::elf {
namespace {

using base::StrCat;

constexpr uint32_t kLongLength = 0xffffffff;
// "zPLRS" has five letters. The limit keeps many FDEs from each searching megabytes for the end of
// a string.
constexpr size_t kAugmentationBytesMax = 32;

absl::Status Bad(uint64_t offset, std::string_view what) {
  return absl::InvalidArgumentError(StrCat("frame entry at ", base::Hex(offset), ": ", what));
}

// The letters after 'z' give the order of the fields in the augmentation data.
bool ReadAugmentationData(std::string_view letters, const PointerBases& bases, ByteCursor& in,
                          Cie* cie) {
  for (const char letter : letters) {
    switch (letter) {
      case 'R':
        cie->pointer_encoding = in.U8();
        break;
      case 'L':
        cie->lsda_encoding = in.U8();
        break;
      case 'P': {
        const uint8_t encoding = in.U8();
        // The personality routine, which a profiler does not need.
        ReadPointer(encoding, bases, in);
        break;
      }
      case 'S':
        cie->is_signal_frame = true;
        break;
      case 'B':  // return addresses are signed with the B key (arm64)
      case 'G':  // memory tagging (arm64)
        break;
      default:
        return false;
    }
  }
  return in.ok();
}

}  // namespace

absl::StatusOr<EhFrame> EhFrame::Of(const ElfFile& file) {
  if (file.type() == ET_REL)
    return absl::UnimplementedError("a relocatable file: its .eh_frame has no addresses yet");
  if (const Section* section = file.FindSection(".eh_frame"); section != nullptr) {
    // A separate debug file has the section without its bytes, but the program headers of the full
    // file. Following those would read unrelated bytes.
    if (section->type == SHT_NOBITS)
      return absl::NotFoundError(".eh_frame has no bytes; this is a debug file");
    const std::string_view bytes = file.SectionBytes(*section);
    if (!bytes.empty() && (section->flags & SHF_COMPRESSED) == 0)
      return EhFrame(bytes, section->address, End::kOfBytes);
  }
  FLARE_ASSIGN(const EhFrameHeader header, EhFrameHeader::Of(file));
  const std::string_view bytes = file.BytesFromAddress(header.frames_address());
  if (bytes.empty())
    return absl::NotFoundError(".eh_frame_hdr points outside the file");
  return EhFrame(bytes, header.frames_address(), End::kAtZeroLength);
}

EhFrame EhFrame::OfDebugFrame(std::string_view bytes) {
  EhFrame frames(bytes, 0, End::kOfBytes);
  frames.format_ = Format::kDebugFrame;
  return frames;
}

absl::StatusOr<EhFrame::Entry> EhFrame::ReadEntry(uint64_t offset) const {
  ByteCursor in(bytes_, offset);
  Entry entry;
  entry.offset = offset;
  uint64_t length = in.U32();
  const bool is_long = length == kLongLength;
  if (is_long)
    length = in.U64();
  if (!in.ok() || length > in.rest().size())
    return Bad(offset, StrCat("its length ", length, " extends beyond the end"));
  entry.end = in.position() + length;
  entry.is_empty = length == 0;
  if (entry.is_empty)
    return entry;
  ReadId(is_long, in, &entry);
  if (!in.ok() || entry.body_offset > entry.end)
    return Bad(offset, StrCat("too short for an id: ", length, " bytes"));
  return entry;
}

// In .eh_frame the id has four bytes, even after a long length; it is 0 for a CIE, else the
// distance back to the CIE. In .debug_frame it is the CIE's offset, or all ones for a CIE.
void EhFrame::ReadId(bool is_long, ByteCursor& in, Entry* entry) const {
  const uint64_t id_offset = in.position();
  if (format_ == Format::kEhFrame) {
    const uint64_t id = in.U32();
    entry->is_cie = id == 0;
    entry->cie_offset = id_offset - id;  // beyond the end if it wraps around
  } else {
    entry->cie_offset = is_long ? in.U64() : in.U32();
    entry->is_cie = entry->cie_offset == (is_long ? UINT64_MAX : UINT32_MAX);
  }
  entry->body_offset = in.position();
}

absl::StatusOr<Cie> EhFrame::ReadCie(const Entry& entry) const {
  ByteCursor in(bytes_.substr(0, entry.end), entry.body_offset);
  Cie cie;
  cie.offset = entry.offset;
  cie.version = in.U8();
  const std::string_view rest = in.rest().substr(0, kAugmentationBytesMax + 1);
  if (rest.find('\0') == std::string_view::npos)
    return Bad(entry.offset, "unterminated augmentation string");
  cie.augmentation = in.Text();
  if (cie.augmentation == "eh")  // from the first C++ compilers: a pointer follows
    in.U64();
  if (cie.version != 1 && cie.version != 3 && cie.version != 4)
    return Bad(entry.offset, StrCat("unknown version ", cie.version));
  if (cie.version == 4 && (in.U8() != 8 || in.U8() != 0))
    return Bad(entry.offset, "addresses that are not plain 64-bit ones");
  cie.code_alignment = in.Uleb();
  cie.data_alignment = in.Sleb();
  cie.return_register = cie.version == 1 ? in.U8() : in.Uleb();
  if (cie.augmentation.starts_with('z')) {
    cie.has_augmentation_data = true;
    const uint64_t data_bytes = in.Uleb();
    const uint64_t data_offset = in.position();
    in.Take(data_bytes);
    ByteCursor data(bytes_.substr(0, static_cast<size_t>(in.position())), data_offset);
    const PointerBases bases = {.cursor_address = address_};
    if (!in.ok() || !ReadAugmentationData(cie.augmentation.substr(1), bases, data, &cie))
      return Bad(entry.offset, "a corrupt or unknown augmentation");
  } else if (!cie.augmentation.empty() && cie.augmentation != "eh") {
    return Bad(entry.offset, "an unknown augmentation");
  }
  cie.instructions = in.rest();
  if (!in.ok())
    return Bad(entry.offset, "truncated");
  return cie;
}

absl::StatusOr<Cie> EhFrame::ReadCieOf(const Entry& fde) const {
  if (fde.cie_offset >= bytes_.size())
    return Bad(fde.offset, "its CIE is outside the table");
  FLARE_ASSIGN(const Entry entry, ReadEntry(fde.cie_offset));
  if (!entry.is_cie)
    return Bad(fde.offset, "it refers to an entry that is not a CIE");
  return ReadCie(entry);
}

absl::StatusOr<Fde> EhFrame::ReadFde(const Entry& entry, const Cie& cie) const {
  ByteCursor in(bytes_.substr(0, static_cast<size_t>(entry.end)), entry.body_offset);
  const PointerBases bases = {.cursor_address = address_};
  Fde fde;
  fde.offset = entry.offset;
  fde.cie = &cie;
  const auto begin = ReadPointer(cie.pointer_encoding, bases, in);
  if (!begin.has_value())
    return Bad(entry.offset, StrCat("an address encoded as ", base::Hex(cie.pointer_encoding)));
  const auto length = ReadPointerLength(cie.pointer_encoding, in);
  fde.begin = *begin;
  if (!length.has_value() || __builtin_add_overflow(*begin, *length, &fde.end))
    return Bad(entry.offset, "a length that is corrupt or wraps around");
  if (cie.has_augmentation_data)
    in.Take(in.Uleb());
  fde.instructions = in.rest();
  fde.instructions_offset = in.position();
  if (!in.ok())
    return Bad(entry.offset, "truncated");
  return fde;
}

absl::StatusOr<Fde> EhFrame::ReadFdeAt(uint64_t offset, Cie* cie) const {
  FLARE_ASSIGN(const Entry entry, ReadEntry(offset));
  if (entry.is_empty || entry.is_cie)
    return Bad(offset, "no FDE");
  if (cie->version == 0 || cie->offset != entry.cie_offset) {
    FLARE_ASSIGN(*cie, ReadCieOf(entry));
  }
  FLARE_ASSIGN(const Fde fde, ReadFde(entry, *cie));
  if (fde.begin == fde.end)
    return Bad(offset, "an empty function");
  return fde;
}

// One pass, with a cache of CIEs: thousands of FDEs share one.
class EhFrame::Walk {
 public:
  Walk(const EhFrame& frames, FdeVisitor visit) : frames_(frames), visit_(visit) {}

  absl::StatusOr<EhFrameSummary> Run() {
    uint64_t offset = 0;
    while (offset < frames_.bytes_.size()) {
      FLARE_ASSIGN(const Entry entry, frames_.ReadEntry(offset));
      // A section merged from several tables may contain zeros in the middle.
      if (entry.is_empty && frames_.end_ == End::kAtZeroLength)
        break;
      if (!entry.is_empty && !entry.is_cie)
        FLARE_RETURN_IF_ERROR(Take(entry));
      offset = entry.end;
    }
    return std::move(summary_);
  }

 private:
  absl::Status Take(const Entry& entry) {
    const auto cie = FindCie(entry);
    if (!cie.ok())
      return Reject(cie.status());
    const auto fde = frames_.ReadFde(entry, **cie);
    if (!fde.ok())
      return Reject(fde.status());
    if (fde->begin == fde->end) {
      ++summary_.empty_count;
      return absl::OkStatus();
    }
    ++summary_.fde_count;
    return visit_(*fde);
  }

  absl::StatusOr<const Cie*> FindCie(const Entry& fde) {
    if (const auto found = cies_.find(fde.cie_offset); found != cies_.end())
      return &found->second;
    FLARE_ASSIGN(Cie cie, frames_.ReadCieOf(fde));
    return &cies_.emplace(fde.cie_offset, std::move(cie)).first->second;
  }

  absl::Status Reject(const absl::Status& reason) {
    if (summary_.rejected_count++ == 0)
      summary_.first_rejection = base::Message(reason);
    return absl::OkStatus();
  }

  const EhFrame& frames_;
  const FdeVisitor visit_;
  EhFrameSummary summary_;
  std::unordered_map<uint64_t, Cie> cies_;  // needs stable nodes
};

absl::StatusOr<EhFrameSummary> EhFrame::Visit(FdeVisitor visit) const {
  return Walk(*this, visit).Run();
}

absl::StatusOr<std::vector<AddressRange>> ReadFunctionBounds(const EhFrame& frames) {
  std::vector<AddressRange> bounds;
  FLARE_RETURN_IF_ERROR(frames
                            .Visit([&bounds](const Fde& fde) {
                              bounds.push_back({.begin = fde.begin, .end = fde.end});
                              return absl::OkStatus();
                            })
                            .status());
  const auto key = [](const AddressRange& r) { return std::tuple(r.begin, r.end); };
  std::sort(bounds.begin(), bounds.end(),
            [&key](const AddressRange& a, const AddressRange& b) { return key(a) < key(b); });
  const auto is_same = [&key](const AddressRange& a, const AddressRange& b) {
    return key(a) == key(b);
  };
  bounds.erase(std::unique(bounds.begin(), bounds.end(), is_same), bounds.end());
  return bounds;
}

}  // namespace flarestack::elf
