// SPDX-License-Identifier: Apache-2.0
#include "record/runtime/naming/runtimes.h"

#include <time.h>

#include <algorithm>
#include <span>
#include <utility>

#include "base/status.h"
#include "base/text/text.h"
#include "record/process/proc/process_memory.h"

namespace flarestack::record::runtime {
namespace {

using std::chrono::milliseconds;

// An interpreter has no thread state while it starts: some milliseconds, or seconds on a busy host.
constexpr milliseconds kPause{5};
constexpr milliseconds kPauseLong{30'000};
constexpr int kTriesMax = 200;         // before the long pause
constexpr size_t kWordsMax = 1 << 16;  // per process

uint64_t KindOf(uint64_t word) { return word >> FRAME_KIND_SHIFT; }

uint32_t SlotOf(uint64_t word) {
  return static_cast<uint32_t>((word >> FRAME_FILE_SHIFT) & FRAME_FILE_MASK);
}

bool IsInLoop(const agent::RuntimeFile& file, uint64_t word) {
  const uint64_t address =
      (word & FRAME_FILE_ADDRESS_MASK) - ((word & FRAME_RETURN_ADDRESS) != 0 ? 1 : 0);
  const auto has_address = [address](const elf::AddressRange& range) {
    return address >= range.begin && address < range.end;
  };
  return std::any_of(file.loops.begin(), file.loops.end(), has_address) ||
         std::any_of(file.handlers.begin(), file.handlers.end(), has_address);
}

bool IsOfLanguage(uint64_t word) {
  const uint64_t kind = KindOf(word);
  return kind == bpf::FRAME_PYTHON || kind == bpf::FRAME_JAVA || kind == bpf::FRAME_V8;
}

// Of a frame that cannot be named.
struct Language {
  std::string_view type;  // profile.frame.type
  std::string_view name;
};
Language LanguageOf(uint64_t word) {
  switch (KindOf(word)) {
    case bpf::FRAME_JAVA:
      return {.type = "jvm", .name = "java"};
    case bpf::FRAME_V8:
      return {.type = "v8js", .name = "javascript"};
    default:
      return {.type = "cpython", .name = "python"};
  }
}

uint64_t ThreadTimeNs() {
  timespec time = {};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
  return static_cast<uint64_t>(time.tv_sec) * 1'000'000'000 + static_cast<uint64_t>(time.tv_nsec);
}

// Waiting helps: the interpreter is starting.
bool IsRetryable(const absl::Status& status) { return absl::IsUnavailable(status); }

}  // namespace

Runtimes::Attachment& Runtimes::AttachmentOf(const agent::Process& process) {
  std::unique_ptr<Attachment>& attachment = attachments_[process.pid];
  if (attachment == nullptr || attachment->generation != process.generation ||
      attachment->start_ns != process.start_ns) {
    attachment = std::make_unique<Attachment>();
    attachment->generation = process.generation;
    attachment->start_ns = process.start_ns;
  }
  return *attachment;
}

void Runtimes::Attach(pid_t pid, Time now) {
  const agent::Process* const process = processes_.FindAny(pid);
  if (process == nullptr)
    return;
  Attachment& attachment = AttachmentOf(*process);
  if (attachment.runtime != nullptr || now < attachment.next_try)
    return;
  attachment.next_try = now + (++attachment.tries < kTriesMax ? kPause : kPauseLong);
  if (const absl::Status status = AttachRuntime(*process, &attachment); IsRetryable(status))
    return;
  Publish(*process, attachment);
}

absl::Status Runtimes::AttachRuntime(const agent::Process& process, Attachment* attachment) {
  for (const bpf::code_mapping& mapping : process.mappings) {
    if (mapping.file == NO_FILE || !files_.Has(mapping.file))
      continue;
    const auto file =
        std::static_pointer_cast<const LanguageFile>(files_.FindRuntime(mapping.file));
    if (file == nullptr)
      continue;
    const auto read = [&](uint64_t address, std::span<char> out) {
      return agent::ReadMemory(process.pid, address, out);
    };
    FLARE_ASSIGN(
        attachment->runtime,
        file->Attach(
            {.pid = process.pid, .bias = mapping.bias, .read = read, .source_maps = source_maps_}));
    attachment->runtime->Describe(&attachment->described);
    attachment->file = file;
    attachment->slot = mapping.file;
    return absl::OkStatus();
  }
  return absl::NotFoundError("no file of the process contains a supported runtime");
}

const bpf::runtime_process* Runtimes::Find(pid_t pid) const {
  const agent::Process* const process = processes_.FindAny(pid);
  const auto found = attachments_.find(pid);
  if (process == nullptr || found == attachments_.end())
    return nullptr;
  const Attachment& attachment = *found->second;
  const bool is_current = attachment.runtime != nullptr &&
                          attachment.generation == process->generation &&
                          attachment.start_ns == process->start_ns;
  return is_current ? &attachment.described : nullptr;
}

// Without a runtime that is known, an empty entry says that there is no need to ask again.
void Runtimes::Publish(const agent::Process& process, const Attachment& attachment) {
  const bool is_published =
      kernel_ == nullptr || kernel_->SetRuntime(process.pid, attachment.described).ok();
  if (is_published && attachment.runtime != nullptr)
    processes_.NoteRuntime(process.pid, attachment.runtime->identity());
}

void Runtimes::NameFrames(const Sample& sample, std::vector<uint64_t>* frames, Time now) {
  const bool has_jit = std::any_of(frames->begin(), frames->end(), [](uint64_t word) {
    return KindOf(word) == bpf::FRAME_IN_PROCESS;
  });
  if (!has_jit && std::none_of(frames->begin(), frames->end(), IsOfLanguage))
    return;
  const uint64_t begin_ns = ThreadTimeNs();
  NameLanguageFrames(sample.pid, *frames, now);
  if (has_jit)
    NameJitFrames(sample, now);
  frames->swap(named_);
  counts_.time_ns += ThreadTimeNs() - begin_ns;
}

void Runtimes::NameLanguageFrames(pid_t pid, const std::vector<uint64_t>& frames, Time now) {
  // Generated code is the first that is seen of some runtimes. And a child of an interpreter has
  // its frames walked before it is attached to.
  Attach(pid, now);
  const auto found = attachments_.find(pid);
  Attachment* const attachment = found == attachments_.end() ? nullptr : found->second.get();
  named_.clear();
  for (size_t i = 0; i < frames.size(); ++i) {
    const uint64_t word = frames[i];
    const bool has_operand = i + 1 < frames.size() && KindOf(frames[i + 1]) == bpf::FRAME_OPERAND;
    if (IsOfLanguage(word)) {
      if (KindOf(word) == bpf::FRAME_PYTHON && (word & FRAME_OBJECT_MASK) == 0)
        continue;  // marks a call from C
      const uint64_t operand = has_operand ? frames[i + 1] : 0;
      if (const uint64_t named = NameOf(pid, attachment, {.word = word, .operand = operand});
          named != 0)
        named_.push_back(named);
    } else if (KindOf(word) != bpf::FRAME_OPERAND) {
      named_.push_back(word);
    }
  }
  if (attachment != nullptr && attachment->runtime != nullptr)
    MarkInternal(*attachment, &named_);
}

// By the files that compilers write for perf.
void Runtimes::NameJitFrames(const Sample& sample, Time now) {
  const agent::Process* const process = processes_.FindAny(sample.pid);
  if (process == nullptr)
    return;
  Attachment& attachment = AttachmentOf(*process);
  if (!attachment.jit)
    attachment.jit.emplace(sample.pid, process->start_ns);
  for (uint64_t& word : named_) {
    if (KindOf(word) != bpf::FRAME_IN_PROCESS)
      continue;
    const uint64_t address =
        (word & FRAME_ADDRESS_MASK) - ((word & FRAME_RETURN_ADDRESS) != 0 ? 1 : 0);
    auto frame = attachment.jit->Find({.address = address, .time_ns = sample.time_ns, .now = now});
    if (frame)
      word = frames_.Intern(*std::move(frame));
  }
}

// Returns the address in the file of the runtime, if it is mapped there.
std::optional<uint64_t> Runtimes::AddressInFile(pid_t pid, uint32_t slot, uint64_t pc) const {
  const agent::Process* const process = processes_.FindAny(pid);
  if (process == nullptr)
    return std::nullopt;
  for (const bpf::code_mapping& mapping : process->mappings) {
    if (mapping.file == slot && pc >= mapping.start && pc < mapping.end)
      return pc - mapping.bias;
  }
  return std::nullopt;
}

absl::StatusOr<NamedFrame> Runtimes::ReadName(pid_t pid, Attachment* attachment,
                                              AttachedRuntime::RawFrame frame) const {
  if (attachment == nullptr || attachment->runtime == nullptr ||
      KindOf(frame.word) != attachment->runtime->frame_kind())
    return absl::NotFoundError("not attached");
  if (const std::optional<uint64_t> pc = attachment->runtime->PcOf(frame); pc)
    frame.address_in_file = AddressInFile(pid, attachment->slot, *pc);
  const auto read = [&](uint64_t address, std::span<char> out) {
    return agent::ReadMemory(pid, address, out);
  };
  return attachment->runtime->Name(frame, read);
}

uint64_t Runtimes::NameOf(pid_t pid, Attachment* attachment,
                          const AttachedRuntime::RawFrame& frame) {
  const auto key = std::make_pair(frame.word, frame.operand);
  if (attachment != nullptr) {
    if (const auto known = attachment->words.find(key);
        known != attachment->words.end() && (known->second == 0 || frames_.Has(known->second))) {
      ++counts_.frames_named;
      return known->second;
    }
  }
  absl::StatusOr<NamedFrame> name = ReadName(pid, attachment, frame);
  if (!name.ok()) {
    ++counts_.frames_unnamed;
    const Language language = LanguageOf(frame.word);
    return frames_.Intern(
        {.type = language.type,
         .functions = {{.name = base::StrCat("<", language.name, " ",
                                             base::Hex(frame.word & FRAME_OBJECT_MASK), ">")}}});
  }
  ++counts_.frames_named;
  const uint64_t named = name->functions.empty() ? 0 : frames_.Intern(*std::move(name));
  if (attachment->words.size() >= kWordsMax)
    attachment->words.clear();
  attachment->words[key] = named;
  return named;
}

// The loop itself, and the functions of the runtime through which one frame of the language calls
// another. What the innermost frame calls is work, and stays.
void Runtimes::MarkInternal(const Attachment& attachment, std::vector<uint64_t>* frames) {
  const auto first = std::find_if(frames->begin(), frames->end(), IsNamed);
  const auto last = std::find_if(frames->rbegin(), frames->rend(), IsNamed).base();
  for (auto word = frames->begin(); word != frames->end(); ++word) {
    if (KindOf(*word) != bpf::FRAME_IN_FILE || SlotOf(*word) != attachment.slot)
      continue;
    if ((word > first && word < last) || IsInLoop(*attachment.file, *word))
      *word |= FRAME_INTERNAL;
  }
}

void Runtimes::Sweep() {
  absl::erase_if(attachments_, [&](const auto& one) {
    const agent::Process* const process = processes_.FindAny(one.first);
    return process == nullptr || process->generation != one.second->generation;
  });
}

}  // namespace flarestack::record::runtime
