// SPDX-License-Identifier: Apache-2.0
#include "record/process/processes.h"

#include <signal.h>
#include <sys/mman.h>

#include <algorithm>
#include <cerrno>
#include <iterator>
#include <utility>
#include <variant>

#include "base/status.h"
#include "base/text/encoding.h"
#include "base/text/text.h"
#include "elf/go/go_runtime.h"
#include "record/bpf/go_process.h"
#include "record/process/context/thread_context_place.h"
#include "record/process/proc/mapping_file.h"
#include "record/process/proc/process_list.h"

namespace flarestack::record::agent {
namespace {

using std::chrono::milliseconds;

constexpr milliseconds kLearnPauseFirst{100};
constexpr milliseconds kLearnPauseMax{30'000};
constexpr milliseconds kRemoveAfter{3000};
constexpr size_t kFormersMax = 4;  // per process: a chain of scripts and wrappers
// [vsyscall] is in this half. Every process has it without a file, and it must not count as
// JIT-compiled code.
constexpr uint64_t kKernelHalf = uint64_t{1} << 63;

// Returns the difference between addresses in the process and in the file.
std::optional<uint64_t> BiasOf(const elf::AddressMap& addresses, const ProcessMapping& mapping) {
  const uint64_t offset_end = mapping.file_offset + (mapping.end - mapping.start);
  for (const elf::Segment& segment : addresses.segments()) {
    if (!segment.is_executable() || segment.offset >= offset_end ||
        segment.offset + segment.file_bytes <= mapping.file_offset)
      continue;
    return mapping.start - mapping.file_offset - (segment.address - segment.offset);
  }
  return std::nullopt;
}

ProcessMapping MappingOf(const MmapEvent& event) {
  ProcessMapping mapping = {.start = event.start,
                            .end = event.start + event.length,
                            .file_offset = event.file_offset,
                            .file = {.device_major = event.device_major,
                                     .device_minor = event.device_minor,
                                     .inode = event.inode},
                            .is_executable = true};
  ReadMappingPath(event.path == "//anon" ? "" : event.path, &mapping);
  if (mapping.kind == MappingKind::kVdso)
    mapping.file_offset = 0;
  return mapping;
}

// Returns whether the process has code outside of files.
bool MakesCode(const Process& process) {
  return std::any_of(process.mappings.begin(), process.mappings.end(),
                     [](const bpf::code_mapping& mapping) { return mapping.file == NO_FILE; });
}

bpf::go_process GoProcessOf(const elf::GoRuntime& go) {
  const bool is_register = go.place.kind == elf::GoThreadPlace::Kind::kRegister;
  return {.place = static_cast<uint8_t>(is_register ? bpf::GO_REGISTER : bpf::GO_THREAD_LOCAL),
          .label_kind = static_cast<uint8_t>(go.fields.has_label_list ? bpf::GO_LABEL_LIST
                                                                      : bpf::GO_LABEL_MAP),
          .g_m = go.fields.g_m,
          .g_goid = go.fields.g_goid,
          .g_labels = go.fields.g_labels,
          .m_curg = go.fields.m_curg,
          .offset = go.place.offset};
}

// Removes the range of a new mapping from older ones.
void CutOut(uint64_t start, uint64_t end, std::vector<bpf::code_mapping>* mappings,
            std::vector<uint32_t>* released, std::vector<uint32_t>* held) {
  std::vector<bpf::code_mapping> kept;
  for (const bpf::code_mapping& old : *mappings) {
    const bool has_head = old.start < start;
    const bool has_tail = old.end > end;
    if (old.end <= start || old.start >= end) {
      kept.push_back(old);
      continue;
    }
    if (has_head) {
      kept.push_back(old);
      kept.back().end = start;
    }
    if (has_tail) {
      kept.push_back(old);
      kept.back().start = end;
    }
    if (!has_head && !has_tail)
      released->push_back(old.file);
    else if (has_head && has_tail)
      held->push_back(old.file);
  }
  *mappings = std::move(kept);
}

}  // namespace

const bpf::code_mapping* FindMapping(std::span<const bpf::code_mapping> mappings,
                                     uint64_t address) {
  const auto after = std::upper_bound(
      mappings.begin(), mappings.end(), address,
      [](uint64_t value, const bpf::code_mapping& mapping) { return value < mapping.start; });
  if (after == mappings.begin() || address >= std::prev(after)->end)
    return nullptr;
  return &*std::prev(after);
}

const FormerProgram* Process::FormerAt(uint64_t time_ns) const {
  const auto former = std::find_if(formers.begin(), formers.end(),
                                   [time_ns](const auto& one) { return time_ns < one.until_ns; });
  return former == formers.end() ? nullptr : &*former;
}

Processes::Processes(KernelSide* kernel, CodeFiles* files)
    : kernel_(kernel),
      files_(*files),
      mapping_slab_({.entries = kernel == nullptr
                                    ? 0
                                    : static_cast<uint32_t>(kernel->tables().mappings.size()),
                     .entries_per_chunk = bpf::MAPPINGS_PER_CHUNK}) {}

Processes::~Processes() = default;

void Processes::ScanAll(Time now) {
  const auto pids = ListProcesses();
  if (!pids.ok())
    return;
  for (const pid_t pid : *pids)
    Learn(pid, now);
}

void Processes::Apply(const PerfEvent& event, Time now) {
  if (const auto* mmap = std::get_if<MmapEvent>(&event.what))
    ApplyMmap(*mmap, now);
  else if (const auto* comm = std::get_if<CommEvent>(&event.what))
    ApplyComm(*comm, event.time_ns, now);
  else if (const auto* fork = std::get_if<ForkEvent>(&event.what))
    ApplyFork(*fork, now);
  else if (const auto* exit = std::get_if<ExitEvent>(&event.what))
    ApplyExit(*exit, now);
}

void Processes::ApplyMmap(const MmapEvent& event, Time now) {
  if ((event.prot & PROT_EXEC) == 0 || event.length == 0)
    return;
  Entry& entry = EntryOf(static_cast<pid_t>(event.pid));
  AddMapping(&entry, MappingOf(event), base::HexEncode(event.build_id), now);
}

void Processes::ApplyComm(const CommEvent& event, uint64_t time_ns, Time now) {
  const auto pid = static_cast<pid_t>(event.pid);
  if (event.is_exec) {
    Entry& entry = EntryOf(pid);
    KeepFormer(&entry, time_ns, now);
    Unpublish(&entry, now);
    entry.is_read = false;
    entry.process.executable.clear();
    entry.process.context = {};
    entry.process.has_runtime = false;
    entry.process.runtime = {};
    entry.process.generation = ++generations_;
    entry.process.command = event.name;
  } else if (event.pid == event.tid) {
    if (const auto found = processes_.find(pid); found != processes_.end())
      found->second->process.command = event.name;
  }
}

void Processes::ApplyFork(const ForkEvent& event, Time now) {
  if (event.is_thread())
    return;
  const auto pid = static_cast<pid_t>(event.pid);
  Forget(pid, now);  // the pid is reused
  const auto parent = processes_.find(static_cast<pid_t>(event.ppid));
  // Entries have stable addresses, even if the table grows.
  const Entry* const known = parent == processes_.end() ? nullptr : parent->second.get();
  Entry& entry = EntryOf(pid);
  entry.process.parent = static_cast<pid_t>(event.ppid);
  if (known == nullptr)
    return;
  const Process& from = known->process;
  entry.process.command = from.command;
  entry.process.executable = from.executable;
  entry.process.mappings = from.mappings;
  entry.process.has_runtime = from.has_runtime;  // BPF copies them
  entry.process.runtime = from.runtime;
  entry.is_read = true;
  for (const bpf::code_mapping& mapping : entry.process.mappings) {
    if (mapping.file != NO_FILE)
      files_.Hold(mapping.file);
  }
}

void Processes::ApplyExit(const ExitEvent& event, Time now) {
  if (event.pid != event.tid)
    return;
  const auto found = processes_.find(static_cast<pid_t>(event.pid));
  if (found == processes_.end() || found->second->ended != Time{})
    return;
  found->second->ended = now;
  ended_.push_back(found->first);
}

void Processes::Learn(pid_t pid, Time now) {
  Entry& entry = EntryOf(pid);
  if (now < entry.next_learn)
    return;
  entry.learn_pause = std::clamp(entry.learn_pause * 2, kLearnPauseFirst, kLearnPauseMax);
  entry.next_learn = now + entry.learn_pause;
  ReadMappings(&entry, now);
  // The process exited before it was read, so no exit event will follow.
  if (entry.process.start_ns == 0 && !entry.is_read && entry.ended == Time{}) {
    entry.ended = now;
    ended_.push_back(pid);
  }
}

void Processes::LookForThreadContext(pid_t pid, Time now) {
  Entry& entry = EntryOf(pid);
  if (now < entry.next_context)
    return;
  entry.context_pause = std::clamp(entry.context_pause * 2, kLearnPauseFirst, kLearnPauseMax);
  entry.next_context = now + entry.context_pause;
  const auto place = FindThreadContextPlace(pid);
  if (!place.ok())
    return;
  entry.process.context = *place;
  NoteChange(&entry);
}

void Processes::NoteRuntime(pid_t pid, const RuntimeIdentity& identity) {
  const auto found = processes_.find(pid);
  if (found == processes_.end())
    return;
  found->second->process.runtime = identity;
  if (std::exchange(found->second->process.has_runtime, true))
    return;
  NoteChange(found->second.get());
}

Process* Processes::Find(pid_t pid, uint64_t start_time_ns) {
  const auto found = processes_.find(pid);
  if (found == processes_.end())
    return nullptr;
  Process& process = found->second->process;
  if (process.start_ns != 0 && !IsSameStart(start_time_ns, process.start_ns))
    return nullptr;
  return &process;
}

Process* Processes::FindAny(pid_t pid) {
  const auto found = processes_.find(pid);
  return found == processes_.end() ? nullptr : &found->second->process;
}

void Processes::Publish(Time now) {
  for (const pid_t pid : changed_) {
    if (const auto found = processes_.find(pid); found != processes_.end())
      PublishEntry(found->second.get(), now);
  }
  changed_.clear();
}

void Processes::CheckAll(Time now) {
  for (auto& [pid, entry] : processes_) {
    const auto start = StartTime(pid);
    const bool is_gone = !start.ok() || *start != entry->process.start_ns;
    if (is_gone && entry->ended == Time{}) {
      entry->ended = now;
      ended_.push_back(pid);
    }
  }
  ScanAll(now);
}

void Processes::Sweep(Time now) {
  DropFormers(now);
  std::vector<pid_t> later;
  for (const pid_t pid : ended_) {
    const auto found = processes_.find(pid);
    if (found == processes_.end() || found->second->ended == Time{})
      continue;
    if (now < found->second->ended + kRemoveAfter) {
      later.push_back(pid);
      continue;
    }
    // The first thread may end before the others.
    const auto threads = ListThreads(pid, 2);
    const auto start = StartTime(pid);
    const bool is_same = start.ok() && *start == found->second->process.start_ns;
    if (is_same && threads.ok() && threads->size() > 1)
      found->second->ended = Time{};
    else
      Forget(pid, now);
  }
  ended_ = std::move(later);
}

Processes::Entry& Processes::EntryOf(pid_t pid) {
  std::unique_ptr<Entry>& entry = processes_[pid];
  if (entry == nullptr) {
    entry = std::make_unique<Entry>();
    entry->process.pid = pid;
    entry->process.generation = ++generations_;
    entry->process.start_ns = StartTime(pid).value_or(0);
    NoteChange(entry.get());
  }
  return *entry;
}

void Processes::AddMapping(Entry* entry, const ProcessMapping& mapping, std::string_view build_id,
                           Time now) {
  if (mapping.start >= kKernelHalf)
    return;
  Process& process = entry->process;
  bpf::code_mapping added = {.start = mapping.start,
                             .end = mapping.end,
                             .bias = 0,
                             .file = SlotOf(process.pid, mapping, build_id, now),
                             .reserved = 0};
  if (added.file != NO_FILE) {
    const CodeFile& file = files_.file(added.file);
    const std::optional<uint64_t> bias = BiasOf(file.addresses, mapping);
    if (bias) {
      added.bias = *bias;
    } else {
      files_.Release(added.file, now);
      added.file = NO_FILE;
    }
  }
  if (process.executable.empty() && mapping.kind == MappingKind::kFile)
    process.executable = mapping.path;
  std::vector<uint32_t> released;
  std::vector<uint32_t> held;
  CutOut(added.start, added.end, &process.mappings, &released, &held);
  for (const uint32_t slot : held) {
    if (slot != NO_FILE)
      files_.Hold(slot);
  }
  for (const uint32_t slot : released) {
    if (slot != NO_FILE)
      files_.Release(slot, now);
  }
  const auto place = std::upper_bound(
      process.mappings.begin(), process.mappings.end(), added.start,
      [](uint64_t value, const bpf::code_mapping& other) { return value < other.start; });
  process.mappings.insert(place, added);
  NoteChange(entry);
}

void Processes::NoteChange(Entry* entry) {
  if (!std::exchange(entry->is_changed, true))
    changed_.push_back(entry->process.pid);
}

// Returns NO_FILE for memory without a file, and for files that cannot be read.
uint32_t Processes::SlotOf(pid_t pid, const ProcessMapping& mapping, std::string_view build_id,
                           Time now) {
  std::string name;
  if (mapping.kind == MappingKind::kVdso)
    name = "vdso";
  else if (mapping.kind != MappingKind::kFile && mapping.kind != MappingKind::kMemfd)
    return NO_FILE;
  else if (!build_id.empty())
    name = base::StrCat("id ", build_id);
  else
    name = base::StrCat("file ", mapping.file.device_major, ":", mapping.file.device_minor, " ",
                        mapping.file.inode);
  if (const std::optional<uint32_t> known = files_.FindByName(name)) {
    files_.Hold(*known);
    return *known;
  }
  absl::StatusOr<uint32_t> slot = absl::NotFoundError("");
  if (mapping.kind == MappingKind::kVdso) {
    slot = files_.AddVdso(now);
  } else {
    auto opened = OpenMappingFile({.pid = pid, .mapping = mapping, .build_id = build_id});
    if (opened.ok())
      slot = files_.Add(std::move(opened->file), mapping.path, now);
  }
  if (!slot.ok())
    return NO_FILE;
  files_.SetName(*slot, name);
  return *slot;
}

void Processes::ReadMappings(Entry* entry, Time now) {
  const auto mappings = ReadMaps(entry->process.pid, MapsChoice::kExecutable);
  if (!mappings.ok())
    return;
  // An exited process has no mappings any more, but its last traces still have to be unwound with
  // the old ones.
  if (mappings->empty()) {
    if (entry->process.command.empty())
      entry->process.command = ThreadName(entry->process.pid, entry->process.pid).value_or("");
    entry->is_read = true;
    return;
  }
  // The old mappings keep their files alive until the new ones hold them.
  std::vector<bpf::code_mapping> before = std::exchange(entry->process.mappings, {});
  const std::string executable_before = std::exchange(entry->process.executable, {});
  for (const ProcessMapping& mapping : *mappings)
    AddMapping(entry, mapping, {}, now);
  // The process called exec, and the event was lost.
  if (!executable_before.empty() && entry->process.executable != executable_before) {
    entry->process.generation = ++generations_;
    entry->process.command.clear();
  }
  for (const bpf::code_mapping& old : before) {
    if (old.file != NO_FILE)
      files_.Release(old.file, now);
  }
  if (entry->process.command.empty())
    entry->process.command = ThreadName(entry->process.pid, entry->process.pid).value_or("");
  entry->is_read = true;
}

void Processes::ReleaseMappings(std::vector<bpf::code_mapping>* mappings, Time now) {
  for (const bpf::code_mapping& mapping : *mappings) {
    if (mapping.file != NO_FILE)
      files_.Release(mapping.file, now);
  }
  mappings->clear();
}

void Processes::KeepFormer(Entry* entry, uint64_t time_ns, Time now) {
  Process& process = entry->process;
  if (process.formers.size() >= kFormersMax) {
    ReleaseMappings(&process.formers.front().mappings, now);
    process.formers.erase(process.formers.begin());
  }
  process.formers.push_back({.until_ns = time_ns,
                             .replaced = now,
                             .generation = process.generation,
                             .command = process.command,
                             .executable = process.executable,
                             .mappings = std::exchange(process.mappings, {})});
  replaced_.emplace_back(now, process.pid);
}

void Processes::DropFormers(Time now) {
  for (; !replaced_.empty() && replaced_.front().first + kRemoveAfter <= now;
       replaced_.pop_front()) {
    const auto found = processes_.find(replaced_.front().second);
    if (found == processes_.end())
      continue;
    std::vector<FormerProgram>& formers = found->second->process.formers;
    while (!formers.empty() && formers.front().replaced + kRemoveAfter <= now) {
      ReleaseMappings(&formers.front().mappings, now);
      formers.erase(formers.begin());
    }
  }
}

void Processes::PublishEntry(Entry* entry, Time now) {
  entry->is_changed = false;
  Process& process = entry->process;
  if (kernel_ == nullptr)
    return;
  if (process.start_ns == 0)
    process.start_ns = StartTime(process.pid).value_or(0);
  // An exited process is unwound in user space; a kernel thread has nothing to unwind.
  if (process.start_ns == 0 || process.mappings.empty())
    return;
  const auto count =
      static_cast<uint32_t>(std::min<size_t>(process.mappings.size(), bpf::MAPPINGS_PER_CHUNK));
  const std::optional<uint32_t> base = mapping_slab_.Take(count, now);
  const size_t has_room =
      base ? count : std::min<size_t>(process.mappings.size(), entry->published_count);
  NoteLeftOut(entry, process.mappings.size() - has_room);
  if (!base)
    return;
  std::copy_n(process.mappings.begin(), count, kernel_->tables().mappings.begin() + *base);
  const bpf::process_tables tables = {
      .start_time_ns = process.start_ns,
      .mapping_base = *base,
      .mapping_count = count,
      .flags = (MakesCode(process) ? uint32_t{bpf::PROCESS_MAKES_CODE} : 0) |
               (process.has_runtime ? uint32_t{bpf::PROCESS_HAS_RUNTIME} : 0) |
               (PublishGo(process) ? uint32_t{bpf::PROCESS_IS_GO} : 0),
      .version = ++published_versions_,
      .context = process.context};
  if (!kernel_->SetProcess(process.pid, tables).ok()) {
    mapping_slab_.Free(*base, count, now);
    return;
  }
  mapping_slab_.Free(entry->published_base, entry->published_count, now);
  entry->published_base = *base;
  entry->published_count = count;
}

// Returns whether the process runs a Go program whose goroutines BPF can find.
bool Processes::PublishGo(const Process& process) {
  for (const bpf::code_mapping& mapping : process.mappings) {
    if (mapping.file == NO_FILE)
      continue;
    if (const std::optional<elf::GoRuntime>& go = files_.FindGo(mapping.file); go.has_value())
      return kernel_->SetGoProcess(process.pid, GoProcessOf(*go)).ok();
  }
  return false;
}

void Processes::NoteLeftOut(Entry* entry, uint64_t count) {
  mappings_left_out_ += count - std::exchange(entry->left_out_count, count);
}

void Processes::Unpublish(Entry* entry, Time now) {
  NoteLeftOut(entry, 0);
  if (entry->published_count == 0)
    return;
  kernel_->RemoveProcess(entry->process.pid);
  mapping_slab_.Free(entry->published_base, entry->published_count, now);
  entry->published_count = 0;
}

void Processes::Forget(pid_t pid, Time now) {
  const auto found = processes_.find(pid);
  if (found == processes_.end())
    return;
  Unpublish(found->second.get(), now);
  Process& process = found->second->process;
  ReleaseMappings(&process.mappings, now);
  for (FormerProgram& former : process.formers)
    ReleaseMappings(&former.mappings, now);
  processes_.erase(found);
}

}  // namespace flarestack::record::agent
