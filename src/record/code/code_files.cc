// SPDX-License-Identifier: Apache-2.0
#include "record/code/code_files.h"

#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <bit>
#include <cstring>
#include <utility>

#include "base/check.h"
#include "base/file/bus_guard.h"
#include "base/status.h"
#include "base/text/text.h"
#include "elf/build_id.h"
#include "elf/elf_outline.h"
#include "elf/htl_hash.h"
#include "elf/kernel/vdso.h"
#include "symbol/file_ids.h"

namespace flarestack::record::agent {
namespace {

constexpr uint32_t kNoOwner = UINT32_MAX;
constexpr std::chrono::milliseconds kSlotRest{5000};

// BPF reads a page entry while we write it, so it is written as one word.
void Publish(bpf::code_page* page, const bpf::code_page& value) {
  std::atomic_ref<uint64_t>(*reinterpret_cast<uint64_t*>(page))
      .store(std::bit_cast<uint64_t>(value), std::memory_order_release);
}

std::string DescriptorPath(int fd) { return base::StrCat("/proc/self/fd/", fd); }

// CPU time, so that other load on the host does not count.
std::chrono::nanoseconds ThreadTime() {
  timespec time = {};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
  return std::chrono::seconds(time.tv_sec) + std::chrono::nanoseconds(time.tv_nsec);
}

}  // namespace

struct CodeFiles::Entry {
  CodeFile facts;
  base::MappedFile mapping;  // empty for the vDSO, whose bytes are in our own memory
  base::BusGuard guard;      // the file belongs to another process and may change
  std::shared_ptr<const base::Descriptor> descriptor;  // null if there is none
  std::optional<elf::ElfFile> elf;
  std::optional<unwind::UnwindTable> table;
  bool is_table_tried = false;
  bool is_runtime_tried = false;
  std::optional<elf::GoRuntime> go;
  bool is_go_tried = false;
  bool is_loaded_ahead = false;
  uint32_t holders = 1;
  uint32_t page_base = 0;
  uint32_t page_count = 0;
  std::vector<std::string> names;

  uint64_t first_page() const { return facts.code_begin >> bpf::CODE_PAGE_SHIFT; }

  // Built when the first page is requested: most mapped files never appear in a sample.
  const unwind::UnwindTable* Table() {
    if (!std::exchange(is_table_tried, true)) {
      auto made = unwind::UnwindTable::Of(*elf);
      if (made.ok())
        table.emplace(*std::move(made));
      facts.is_go = table.has_value() && table->is_go();
    }
    return table.has_value() ? &*table : nullptr;
  }

  void FindRuntime(const RuntimeFinder& find_runtime) {
    if (std::exchange(is_runtime_tried, true) || !find_runtime)
      return;
    auto found = find_runtime(*elf);
    if (found.ok())
      facts.runtime = *std::move(found);
    else if (absl::IsUnimplemented(found.status()))
      facts.runtime_problem = base::Message(found.status());
  }

  absl::Status ReadCode() {
    uint64_t begin = UINT64_MAX;
    uint64_t end = 0;
    for (const elf::Segment& segment : elf->segments()) {
      if (segment.type != 1 /* PT_LOAD */ || !segment.is_executable() || segment.memory_bytes == 0)
        continue;
      begin = std::min(begin, segment.address);
      end = std::max(end, segment.address + segment.memory_bytes);
    }
    // A frame has 41 bits for an address in a file.
    if (begin >= end || end > bpf::u64{FRAME_FILE_ADDRESS_MASK})
      return absl::InvalidArgumentError(base::StrCat(facts.path, ": has no code"));
    facts.code_begin = begin;
    facts.code_end = end;
    facts.addresses = elf::AddressMap(*elf);
    page_count = static_cast<uint32_t>(((end - 1) >> bpf::CODE_PAGE_SHIFT) - first_page() + 1);
    return absl::OkStatus();
  }
};

CodeFiles::CodeFiles(const KernelTables& tables, Unused unused,
                     const LoadBudget::Options& load_budget)
    : tables_(tables),
      unused_(unused),
      row_slab_({.entries = static_cast<uint32_t>(tables.rows.size()),
                 .entries_per_chunk = bpf::ROWS_PER_CHUNK}),
      page_slab_({.entries = static_cast<uint32_t>(tables.pages.size()),
                  .entries_per_chunk = static_cast<uint32_t>(tables.pages.size())}),
      page_owner_(tables.pages.size(), kNoOwner),
      load_budget_(load_budget) {}

CodeFiles::~CodeFiles() = default;

absl::StatusOr<uint32_t> CodeFiles::Add(base::Descriptor file, const std::string& path, Time now) {
  auto entry = std::make_unique<Entry>();
  const std::string open_path = DescriptorPath(file.get());
  FLARE_ASSIGN(const elf::ElfOutline outline, elf::ElfOutline::Read(open_path));
  entry->facts.path = path;
  entry->facts.module = {.ids = symbol::IdsOf(outline), .path = path};
  if (const auto known = by_key_.find(entry->facts.module.Key()); known != by_key_.end()) {
    Hold(known->second);
    return known->second;
  }
  FLARE_ASSIGN(entry->mapping, base::MappedFile::Open(open_path));
  entry->guard = base::BusGuard(entry->mapping.bytes());
  FLARE_ASSIGN(elf::ElfFile elf, elf::ElfFile::Parse(entry->mapping.bytes()));
  entry->elf.emplace(std::move(elf));
  entry->descriptor = std::make_shared<base::Descriptor>(std::move(file));
  return AddEntry(std::move(entry), now);
}

absl::StatusOr<uint32_t> CodeFiles::AddVdso(Time now) {
  auto entry = std::make_unique<Entry>();
  FLARE_ASSIGN(const std::string_view bytes, elf::OwnVdsoBytes());
  FLARE_ASSIGN(elf::ElfFile elf, elf::ElfFile::Parse(bytes));
  entry->facts.path = "[vdso]";
  entry->facts.module = {.ids = {{.kind = symbol::IdKind::kGnu, .text = elf::GnuBuildId(elf)},
                                 {.kind = symbol::IdKind::kHtlHash, .text = elf::HtlHash(bytes)}},
                         .path = "[vdso]"};
  entry->elf.emplace(std::move(elf));
  // Makes the bytes available as a file for symbolization.
  base::Descriptor file(memfd_create("vdso", MFD_CLOEXEC));
  if (write(file.get(), bytes.data(), bytes.size()) == static_cast<ssize_t>(bytes.size()))
    entry->descriptor = std::make_shared<base::Descriptor>(std::move(file));
  return AddEntry(std::move(entry), now);
}

absl::StatusOr<uint32_t> CodeFiles::AddEntry(std::unique_ptr<Entry> entry, Time now) {
  FLARE_RETURN_IF_ERROR(entry->ReadCode());
  const std::optional<uint32_t> pages = page_slab_.Take(entry->page_count, now);
  if (!pages)
    return absl::ResourceExhaustedError("too much code is mapped for the table of pages");
  const std::optional<uint32_t> slot = TakeSlot(now);
  if (!slot) {
    page_slab_.Free(*pages, entry->page_count, now);
    return absl::ResourceExhaustedError("too many files with code are mapped");
  }
  entry->page_base = *pages;
  for (uint32_t page = *pages; page < *pages + entry->page_count; ++page) {
    Publish(&tables_.pages[page], {});
    page_owner_[page] = *slot;
  }
  tables_.files[*slot] = {.page_base = *pages,
                          .page_first = static_cast<uint32_t>(entry->first_page()),
                          .page_count = entry->page_count,
                          .reserved = 0};
  by_key_[entry->facts.module.Key()] = *slot;
  entry->mapping.DropMemory();  // most mapped files never appear in a sample
  entries_[*slot] = std::move(entry);
  ++live_count_;
  return *slot;
}

std::optional<uint32_t> CodeFiles::TakeSlot(Time now) {
  if (!resting_slots_.empty() && resting_slots_.front().first <= now) {
    const uint32_t slot = resting_slots_.front().second;
    resting_slots_.pop_front();
    InvalidateCachedSteps();
    return slot;
  }
  if (entries_.size() >= tables_.files.size())
    return std::nullopt;
  entries_.emplace_back();
  return static_cast<uint32_t>(entries_.size() - 1);
}

void CodeFiles::Hold(uint32_t slot) { ++entries_[slot]->holders; }

void CodeFiles::Release(uint32_t slot, Time now) {
  Entry& entry = *entries_[slot];
  FLARE_CHECK(entry.holders > 0);
  if (--entry.holders > 0 || unused_ == Unused::kKeep)
    return;
  for (uint32_t page = entry.page_base; page < entry.page_base + entry.page_count; ++page) {
    DropPage(page, now);
    page_owner_[page] = kNoOwner;
  }
  page_slab_.Free(entry.page_base, entry.page_count, now);
  by_key_.erase(entry.facts.module.Key());
  for (const std::string& name : entry.names)
    by_name_.erase(name);
  entries_[slot] = nullptr;
  resting_slots_.emplace_back(now + kSlotRest, slot);
  --live_count_;
}

std::optional<uint32_t> CodeFiles::FindByName(const std::string& name) const {
  const auto found = by_name_.find(name);
  if (found == by_name_.end())
    return std::nullopt;
  return found->second;
}

void CodeFiles::SetName(uint32_t slot, const std::string& name) {
  if (by_name_.emplace(name, slot).second)
    entries_[slot]->names.emplace_back(name);
}

const CodeFile& CodeFiles::file(uint32_t slot) const {
  FLARE_CHECK(slot < entries_.size() && entries_[slot] != nullptr);
  return entries_[slot]->facts;
}

bool CodeFiles::Has(uint32_t slot) const {
  return slot < entries_.size() && entries_[slot] != nullptr;
}

void CodeFiles::LoadPage(uint32_t page, Time now) {
  if (page >= page_owner_.size() || page_owner_[page] == kNoOwner)
    return;
  if (tables_.pages[page].state == bpf::PAGE_LOADED)
    return;
  if (!load_budget_.HasLeft(std::chrono::steady_clock::now())) {
    Publish(&tables_.pages[page], {});
    return;
  }
  Entry* const entry = entries_[page_owner_[page]].get();
  const std::chrono::nanoseconds begin = ThreadTime();
  FillPage(entry, page, now);
  load_budget_.Spend(ThreadTime() - begin);
  // A program that runs one page of a file will soon run others.
  if (!std::exchange(entry->is_loaded_ahead, true)) {
    for (uint32_t other = entry->page_base; other < entry->page_base + entry->page_count; ++other)
      ahead_.push_back(other);
  }
}

bool CodeFiles::LoadAhead(std::chrono::microseconds time_max) {
  const Time begin = std::chrono::steady_clock::now();
  Time now = begin;
  while (!ahead_.empty() && row_slab_.taken() < tables_.rows.size() / 2) {
    const uint32_t page = ahead_.front();
    ahead_.pop_front();
    if (page_owner_[page] == kNoOwner || tables_.pages[page].state == bpf::PAGE_LOADED)
      continue;
    FillPage(entries_[page_owner_[page]].get(), page, now);
    now = std::chrono::steady_clock::now();
    if (now - begin >= time_max)
      return !ahead_.empty();
  }
  ahead_.clear();
  return false;
}

bpf::unwind_rule CodeFiles::FindRule(uint32_t slot, uint64_t address, Time now) {
  const bpf::unwind_rule none = unwind::RuleOfKind(bpf::RULE_NONE);
  if (!Has(slot))
    return none;
  Entry& entry = *entries_[slot];
  if (address < entry.facts.code_begin || address >= entry.facts.code_end)
    return none;
  const auto page = entry.page_base +
                    static_cast<uint32_t>((address >> bpf::CODE_PAGE_SHIFT) - entry.first_page());
  LoadPage(page, now);
  const bpf::code_page& loaded = tables_.pages[page];
  if (loaded.state != bpf::PAGE_LOADED || loaded.row_count == 0)
    return none;
  const auto rows = tables_.rows.subspan(loaded.row_base, loaded.row_count);
  const auto low = static_cast<uint16_t>(address);
  const auto after =
      std::upper_bound(rows.begin(), rows.end(), low,
                       [](uint16_t value, const bpf::unwind_row& row) { return value < row.low; });
  return tables_.rules[std::prev(after)->rule];
}

std::shared_ptr<const RuntimeFile> CodeFiles::FindRuntime(uint32_t slot) {
  if (!Has(slot))
    return nullptr;
  Entry& entry = *entries_[slot];
  if (!entry.is_runtime_tried) {
    entry.FindRuntime(find_runtime_);
    entry.mapping.DropMemory();
  }
  return entry.facts.runtime;
}

const std::optional<elf::GoRuntime>& CodeFiles::FindGo(uint32_t slot) {
  FLARE_CHECK(Has(slot));
  Entry& entry = *entries_[slot];
  if (!std::exchange(entry.is_go_tried, true)) {
    if (auto found = elf::FindGoRuntime(*entry.elf); found.ok())
      entry.go = *found;
    entry.mapping.DropMemory();
  }
  return entry.go;
}

bool CodeFiles::ReadCode(uint32_t slot, uint64_t address, std::span<std::byte> target) const {
  if (!Has(slot))
    return false;
  const std::string_view code = entries_[slot]->elf->BytesFromAddress(address);
  if (code.size() < target.size())
    return false;
  std::memcpy(target.data(), code.data(), target.size());
  return true;
}

void CodeFiles::FillPage(Entry* entry, uint32_t page, Time now) {
  bpf::code_page filled = {.row_base = 0, .row_count = 0, .state = bpf::PAGE_LOADED, .is_used = 1};
  entry->FindRuntime(find_runtime_);
  if (const unwind::UnwindTable* table = entry->Table(); table != nullptr) {
    const uint64_t number = entry->first_page() + (page - entry->page_base);
    unwind::LanguageCode code;
    if (entry->facts.runtime != nullptr)
      code = {.loops = entry->facts.runtime->loops, .generated = entry->facts.runtime->generated};
    const unwind::CodePage made = unwind::MakeCodePage(*table, number, &rules_, code);
    const auto count = static_cast<uint32_t>(made.rows.size());
    if (const std::optional<uint32_t> base = TakeRows(count, now); base) {
      std::copy(made.rows.begin(), made.rows.end(), tables_.rows.begin() + *base);
      filled.row_base = *base;
      filled.row_count = static_cast<uint16_t>(count);
    } else {
      // Stays absent, so that it is requested again once there is space.
      ++rows_rejected_;
      filled.state = bpf::PAGE_ABSENT;
    }
  }
  for (; rules_published_ < rules_.rules().size(); ++rules_published_)
    tables_.rules[rules_published_] = rules_.rules()[rules_published_];
  Publish(&tables_.pages[page], filled);
  entry->mapping.DropMemory();
  ++pages_loaded_;
}

std::optional<uint32_t> CodeFiles::TakeRows(uint32_t count, Time now) {
  std::optional<uint32_t> base = row_slab_.Take(count, now);
  if (!base) {
    DropUnusedPages(now);
    base = row_slab_.Take(count, now);
  }
  return base;
}

// Space is short: drops all pages that were not used since the last call.
void CodeFiles::DropUnusedPages(Time now) {
  for (uint32_t page = 0; page < tables_.pages.size(); ++page) {
    bpf::code_page& one = tables_.pages[page];
    if (one.state != bpf::PAGE_LOADED)
      continue;
    if (one.is_used == 0)
      DropPage(page, now);
    else
      one.is_used = 0;
  }
  // Cached steps bypass the lookup that marks a page as used, so they are invalidated.
  InvalidateCachedSteps();
}

void CodeFiles::InvalidateCachedSteps() {
  if (tables_.file_generation != nullptr)
    std::atomic_ref(*tables_.file_generation).fetch_add(1, std::memory_order_release);
}

void CodeFiles::DropPage(uint32_t page, Time now) {
  const bpf::code_page dropped = tables_.pages[page];
  Publish(&tables_.pages[page], {});
  if (dropped.state != bpf::PAGE_LOADED)
    return;
  row_slab_.Free(dropped.row_base, dropped.row_count, now);
  ++pages_dropped_;
}

std::vector<std::string> CodeFiles::RuntimeProblems() const {
  std::vector<std::string> problems;
  for (const std::unique_ptr<Entry>& entry : entries_) {
    if (entry != nullptr && !entry->facts.runtime_problem.empty())
      problems.push_back(base::StrCat(entry->facts.path, ": ", entry->facts.runtime_problem));
  }
  return problems;
}

std::vector<RecordedFile> CodeFiles::OpenFiles() const {
  std::vector<RecordedFile> files;
  for (const std::unique_ptr<Entry>& entry : entries_) {
    if (entry != nullptr && entry->descriptor != nullptr)
      files.push_back({.key = entry->facts.module.Key(), .file = entry->descriptor});
  }
  return files;
}

}  // namespace flarestack::record::agent
