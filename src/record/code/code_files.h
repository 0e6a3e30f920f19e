// SPDX-License-Identifier: Apache-2.0
//
// The files with executable code that processes have mapped. Each has a slot by which frames refer
// to it, and pages of unwind rows that are built on demand.
//
//   FLARE_ASSIGN(const uint32_t slot, files.Add(descriptor, "/usr/lib/libx.so"));
//   files.LoadPage(page);                       // BPF reached it
//   const bpf::unwind_rule rule = files.FindRule(slot, address);   // user space did
//
// Not thread-safe. Files are identified by content: the same build id means the same file.
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
#include "base/file/descriptor.h"
#include "base/file/mapped_file.h"
#include "elf/address_map.h"
#include "elf/elf_file.h"
#include "elf/go/go_runtime.h"
#include "record/code/load_budget.h"
#include "record/code/recorded_files.h"
#include "record/code/runtime_file.h"
#include "record/kernel/kernel_side.h"
#include "record/kernel/slab.h"
#include "record/unwind/code_page.h"
#include "record/unwind/unwind_table.h"
#include "symbol/module.h"

namespace flarestack::record::agent {

struct CodeFile {
  std::string path;       // as mapped by a process
  symbol::Module module;  // with its ids
  uint64_t code_begin = 0;
  uint64_t code_end = 0;  // of all executable segments
  elf::AddressMap addresses;
  bool is_go = false;
  std::shared_ptr<const RuntimeFile> runtime;  // null if there is none, or not looked for yet
  std::string runtime_problem;  // why its frames have no names; empty if there is no such reason
};

class CodeFiles {
 public:
  using Time = std::chrono::steady_clock::time_point;

  // Whether a file without holders is released. Keep files that are symbolized later: they may be
  // deleted, or in a container that is gone.
  enum class Unused { kRelease, kKeep };

  // A page of code without unwind tables takes tens of milliseconds to load. A program may have
  // thousands of them, more than fit, so loading every requested page could occupy a CPU
  // permanently. `load_budget` limits the time.
  //
  // The tables must outlive this object.
  explicit CodeFiles(const KernelTables& tables, Unused unused = Unused::kRelease,
                     const LoadBudget::Options& load_budget = {});
  ~CodeFiles();

  // For files that samples reach from now on.
  void SetRuntimeFinder(RuntimeFinder finder) { find_runtime_ = std::move(finder); }

  // Returns the slot of a file and adds a reference; each Add and Hold needs one Release. Returns
  // kInvalidArgument if it is not an ELF file for this machine, kResourceExhausted if no slots or
  // pages are left.
  absl::StatusOr<uint32_t> Add(base::Descriptor file, const std::string& path, Time now);
  absl::StatusOr<uint32_t> AddVdso(Time now);
  void Hold(uint32_t slot);
  void Release(uint32_t slot, Time now);

  // Look up by a name that the caller assigned to an added file, such as its device and inode.
  std::optional<uint32_t> FindByName(const std::string& name) const;
  void SetName(uint32_t slot, const std::string& name);

  bool Has(uint32_t slot) const;
  const CodeFile& file(uint32_t slot) const;  // requires Has(slot)

  // Builds the rows of a page that BPF requested. Does nothing if the page is loaded or its file is
  // gone. If the load budget is used up, the page stays absent and is requested again.
  void LoadPage(uint32_t page, Time now);

  // Loads pages of sampled files before they are requested, for at most this time and as long as
  // half of the space for rows is free. Returns true if more pages are left.
  bool LoadAhead(std::chrono::microseconds time_max);

  // Loads the page if it is absent.
  bpf::unwind_rule FindRule(uint32_t slot, uint64_t address, Time now);

  // Returns where the runtime of a Go program keeps its goroutines; nullopt if the file is not one,
  // or of a version that is not known.
  const std::optional<elf::GoRuntime>& FindGo(uint32_t slot);

  // Returns the language runtime that a file contains, or null.
  std::shared_ptr<const RuntimeFile> FindRuntime(uint32_t slot);

  // Reads instructions at an address of a file. Returns false if the file does not contain all of
  // them.
  bool ReadCode(uint32_t slot, uint64_t address, std::span<std::byte> target) const;

  // Returns why the frames of language runtimes in some files have no names: "PATH: reason".
  std::vector<std::string> RuntimeProblems() const;

  // Returns all current files, open.
  std::vector<RecordedFile> OpenFiles() const;

  size_t count() const { return live_count_; }
  uint64_t pages_loaded() const { return pages_loaded_; }
  uint64_t pages_dropped() const { return pages_dropped_; }
  uint64_t rows_rejected() const { return rows_rejected_; }  // for lack of space

 private:
  struct Entry;

  absl::StatusOr<uint32_t> AddEntry(std::unique_ptr<Entry> entry, Time now);
  std::optional<uint32_t> TakeSlot(Time now);
  std::optional<uint32_t> SlotOfPage(uint32_t page) const;
  void FillPage(Entry* entry, uint32_t page, Time now);
  std::optional<uint32_t> TakeRows(uint32_t count, Time now);
  void DropUnusedPages(Time now);
  void DropPage(uint32_t page, Time now);
  void InvalidateCachedSteps();  // invalidates the steps that BPF has cached

  KernelTables tables_;
  const Unused unused_;
  RuntimeFinder find_runtime_;  // may be empty
  unwind::RuleTable rules_;
  size_t rules_published_ = 0;
  Slab row_slab_;
  Slab page_slab_;
  std::vector<std::unique_ptr<Entry>> entries_;  // by slot
  std::vector<uint32_t> page_owner_;             // slot of each page
  std::deque<std::pair<Time, uint32_t>> resting_slots_;
  absl::flat_hash_map<std::string, uint32_t> by_key_;  // by key of the module
  absl::flat_hash_map<std::string, uint32_t> by_name_;
  std::deque<uint32_t> ahead_;  // pages to load when there is time
  size_t live_count_ = 0;
  uint64_t pages_loaded_ = 0;
  uint64_t pages_dropped_ = 0;
  uint64_t rows_rejected_ = 0;
  LoadBudget load_budget_;
};

}  // namespace flarestack::record::agent
