// SPDX-License-Identifier: Apache-2.0
//
// Runs arbitrary bytes as call frame instructions, and as a file with unwind information: rows are
// sorted, begin at the right address and each changes the rule, there are no more rows than
// instructions, and two halves of a span yield the same as the whole.
//
// The first four bytes: machine and signal flag, code alignment, data alignment, and how many of
// the following bytes are the instructions of the CIE.
#include <algorithm>
#include <cstdint>
#include <string_view>
#include <utility>
#include <vector>

#include "base/check.h"
#include "elf/elf_file.h"
#include "record/unwind/cfi/cfi_program.h"
#include "record/unwind/code_page.h"
#include "record/unwind/unwind_table.h"

namespace {

namespace elf = flarestack::elf;
namespace bpf = flarestack::record::bpf;
using namespace flarestack::record::unwind;

constexpr uint64_t kBegin = 0x1000;
constexpr uint64_t kEnd = 0x2000;
constexpr size_t kHeadBytes = 4;
constexpr uint64_t kPageBytes = uint64_t{1} << bpf::CODE_PAGE_SHIFT;

void CheckRows(const std::vector<Row>& rows, const CodeSpan& span) {
  FLARE_CHECK(!rows.empty() && rows[0].address == span.begin);
  for (size_t i = 1; i < rows.size(); ++i) {
    FLARE_CHECK(rows[i - 1].address < rows[i].address && rows[i].address < span.end);
    FLARE_CHECK(!AreSame(rows[i - 1].rule, rows[i].rule));
  }
}

std::vector<Row> Joined(std::vector<Row> rows, const std::vector<Row>& more) {
  for (const Row& row : more) {
    if (!AreSame(rows.back().rule, row.rule))
      rows.push_back(row);
  }
  return rows;
}

std::vector<Row> RunOver(const elf::Fde& fde, Machine machine, const CodeSpan& span) {
  CfiBudget budget;
  RowBuilder builder(span);
  CfiProgram(machine, 0x5000, &budget).Run(fde, &builder);
  std::vector<Row> rows = std::move(builder).Finish();
  CheckRows(rows, span);
  FLARE_CHECK(rows.size() <= fde.instructions.size() + 2);
  FLARE_CHECK(budget.counts.unsupported_count <= fde.instructions.size() + 1);
  FLARE_CHECK(budget.counts.damaged_count + budget.counts.exhausted_count <= 1);
  return rows;
}

void CheckProgram(std::string_view bytes) {
  if (bytes.size() < kHeadBytes)
    return;
  const auto head = [&bytes](size_t i) { return static_cast<uint8_t>(bytes[i]); };
  const Machine machine = (head(0) & 1) != 0 ? Machine::kArm64 : Machine::kX86_64;
  const std::string_view rest = bytes.substr(kHeadBytes);
  const size_t cie_bytes = std::min<size_t>(head(3), rest.size());
  elf::Cie cie;
  cie.version = 1;
  cie.is_signal_frame = (head(0) & 2) != 0;
  cie.code_alignment = head(1);
  cie.data_alignment = static_cast<int8_t>(head(2));
  cie.return_register = RegistersOf(machine).return_address;
  cie.pointer_encoding = (head(0) & 4) != 0 ? 0x1b : 0;
  cie.instructions = rest.substr(0, cie_bytes);
  elf::Fde fde;
  fde.cie = &cie;
  fde.begin = kBegin;
  fde.end = kEnd;
  fde.instructions = rest.substr(cie_bytes);
  const std::vector<Row> whole = RunOver(fde, machine, {.begin = kBegin, .end = kEnd});
  const uint64_t middle = kBegin + 1 + head(0) * uint64_t{15};
  const std::vector<Row> halves = Joined(RunOver(fde, machine, {.begin = kBegin, .end = middle}),
                                         RunOver(fde, machine, {.begin = middle, .end = kEnd}));
  FLARE_CHECK(whole == halves);
}

void CheckFile(std::string_view bytes) {
  const auto file = elf::ElfFile::Parse(bytes);
  if (!file.ok())
    return;
  const auto table =
      UnwindTable::Of(*file, &*file, {.index_entries_max = 1 << 16, .steps_max = 1 << 12});
  if (!table.ok())
    return;
  RuleTable rules(8);
  size_t pages_left = 8;
  for (const elf::Segment& segment : file->segments()) {
    if (pages_left-- == 0)
      return;
    const uint64_t begin = std::min(segment.address, UINT64_MAX - kPageBytes);
    const CodeSpan span = {.begin = begin, .end = begin + kPageBytes};
    CheckRows(table->Rows(span), span);
    table->Find(file->entry_address());
    const CodePage page = MakeCodePage(*table, begin >> bpf::CODE_PAGE_SHIFT, &rules);
    FLARE_CHECK(!page.rows.empty() && page.rows[0].low == 0);
    FLARE_CHECK(page.rows.size() <= bpf::ROWS_PER_CHUNK);
    for (size_t i = 0; i < page.rows.size(); ++i) {
      FLARE_CHECK(page.rows[i].rule < rules.rules().size());
      FLARE_CHECK(i == 0 || page.rows[i - 1].low < page.rows[i].low);
    }
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const std::string_view bytes(reinterpret_cast<const char*>(data), size);
  CheckProgram(bytes);
  CheckFile(bytes);
  return 0;
}
