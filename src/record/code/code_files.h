// SPDX-License-Identifier: Apache-2.0
//
// The files with code that processes have mapped. Each has a slot by which frames name it, and
// pages of unwind rows that are made when somebody asks for them.
//
//   FLARE_ASSIGN(const uint32_t slot, files.Add(descriptor, "/usr/lib/libx.so"));
//   files.LoadPage(page);                       // the kernel's side met it
//   const bpf::unwind_rule rule = files.FindRule(slot, address);   // our own side did
//
// Not thread-safe. A file is known by its content: what has the same build id is the same file.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/status/statusor.h"
#include "base/descriptor.h"
#include "base/mapped_file.h"
#include "elf/address_map.h"
#include "elf/elf_file.h"
#include "record/code/load_budget.h"
#include "record/code/recorded_files.h"
#include "record/kernel/kernel_side.h"
#include "record/kernel/slab.h"
#include "record/unwind/code_page.h"
#include "record/unwind/unwind_table.h"
#include "symbol/module.h"

namespace flarestack::record::agent {

struct CodeFile {
  std::string path;       // as a process had it
  symbol::Module module;  // with its ids
  uint64_t code_begin = 0;
  uint64_t code_end = 0;  // of all executable segments
  elf::AddressMap addresses;
  bool is_go = false;
};

class CodeFiles {
 public:
  using Time = std::chrono::steady_clock::time_point;

  // Whether a file that nobody holds any more is let go. Who wants its symbols later keeps it: it
  // may be deleted, or in a container that is gone.
  enum class Unused { kRelease, kKeep };

  // Pages of code that no table describes take tens of milliseconds each, and a program may have
  // thousands, more than fit: loading all that are asked for would take a processor for good. So
  // the time for them is limited.
  //
  // The tables must outlive this object.
  explicit CodeFiles(const KernelTables& tables, Unused unused = Unused::kRelease,
                     const LoadBudget::Options& load_budget = {});
  ~CodeFiles();

  // The slot of a file, which is held until it is released as often. kInvalidArgument for what is
  // no ELF file of this machine, kResourceExhausted when all slots or pages are taken.
  absl::StatusOr<uint32_t> Add(base::Descriptor file, const std::string& path, Time now);
  absl::StatusOr<uint32_t> AddVdso(Time now);
  void Hold(uint32_t slot);
  void Release(uint32_t slot, Time now);

  // By a name that a caller gives to a file it has added, such as its device and inode.
  std::optional<uint32_t> FindByName(const std::string& name) const;
  void SetName(uint32_t slot, const std::string& name);

  bool Has(uint32_t slot) const;
  const CodeFile& file(uint32_t slot) const;  // that it has

  // Makes the rows of a page that the kernel's side asked for. Asking for what is loaded, or for
  // what nobody has any more, does nothing. Where pages took too much time recently, it stays
  // absent and is asked for again.
  void LoadPage(uint32_t page, Time now);

  // Pages of files that were met, loaded before they are asked for: as many as can be in this time,
  // and as long as half of the room for rows is free. True when there are more.
  bool LoadAhead(std::chrono::microseconds time_max);

  // Loads the page if it is not there.
  bpf::unwind_rule FindRule(uint32_t slot, uint64_t address, Time now);

  // Instructions at an address of a file. False when it does not have all of them.
  bool ReadCode(uint32_t slot, uint64_t address, std::span<std::byte> target) const;

  // All files that are here, open.
  std::vector<RecordedFile> OpenFiles() const;

  size_t count() const { return live_count_; }
  uint64_t pages_loaded() const { return pages_loaded_; }
  uint64_t pages_dropped() const { return pages_dropped_; }
  uint64_t rows_refused() const { return rows_refused_; }  // for want of room

 private:
  struct Entry;

  absl::StatusOr<uint32_t> AddEntry(std::unique_ptr<Entry> entry, Time now);
  std::optional<uint32_t> TakeSlot(Time now);
  std::optional<uint32_t> SlotOfPage(uint32_t page) const;
  void FillPage(Entry* entry, uint32_t page, Time now);
  std::optional<uint32_t> TakeRows(uint32_t count, Time now);
  void DropUnusedPages(Time now);
  void DropPage(uint32_t page, Time now);
  void ForgetKeptSteps();  // those that the kernel's side has found lately

  KernelTables tables_;
  const Unused unused_;
  unwind::RuleTable rules_;
  size_t rules_published_ = 0;
  Slab row_slab_;
  Slab page_slab_;
  std::vector<std::unique_ptr<Entry>> entries_;  // by slot
  std::vector<uint32_t> page_owner_;             // slot of each page
  std::deque<std::pair<Time, uint32_t>> resting_slots_;
  absl::flat_hash_map<std::string, uint32_t> by_key_;  // of the module
  absl::flat_hash_map<std::string, uint32_t> by_name_;
  std::deque<uint32_t> ahead_;  // pages to be loaded when there is time
  size_t live_count_ = 0;
  uint64_t pages_loaded_ = 0;
  uint64_t pages_dropped_ = 0;
  uint64_t rows_refused_ = 0;
  LoadBudget load_budget_;
};

}  // namespace flarestack::record::agent
