// SPDX-License-Identifier: Apache-2.0
#include "record/runtime/naming/runtimes.h"

#include <algorithm>
#include <span>
#include <utility>

#include "base/status.h"
#include "base/text.h"
#include "record/bpf/runtimes.h"
#include "record/process/process_memory.h"
#include "record/runtime/naming/language_file.h"

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
  return std::any_of(file.loops.begin(), file.loops.end(), [address](const auto& loop) {
    return address >= loop.begin && address < loop.end;
  });
}

// Null if the file has no runtime.
const LanguageFile* LanguageOf(const agent::CodeFiles& files, uint32_t slot) {
  if (slot == NO_FILE || !files.Has(slot))
    return nullptr;
  return static_cast<const LanguageFile*>(files.file(slot).runtime.get());
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
  if (attachment.python || now < attachment.next_try)
    return;
  attachment.next_try = now + (++attachment.tries < kTriesMax ? kPause : kPauseLong);
  if (const absl::Status status = AttachPython(*process, &attachment); IsRetryable(status))
    return;
  Publish(*process, attachment);
}

absl::Status Runtimes::AttachPython(const agent::Process& process, Attachment* attachment) {
  for (const bpf::code_mapping& mapping : process.mappings) {
    const LanguageFile* const file = LanguageOf(files_, mapping.file);
    if (file == nullptr)
      continue;
    const auto read = [&](uint64_t address, std::span<char> out) {
      return agent::ReadMemory(process.pid, address, out);
    };
    FLARE_ASSIGN(attachment->python,
                 runtime::AttachPython(file->python, mapping.bias, process.pid, read));
    attachment->python_slot = mapping.file;
    return absl::OkStatus();
  }
  return absl::NotFoundError("no file of the process contains a supported interpreter");
}

// Without an interpreter that is known, an empty entry says that there is no need to ask again.
void Runtimes::Publish(const agent::Process& process, const Attachment& attachment) {
  if (kernel_ == nullptr)
    return;
  bpf::runtime_process published = {};
  if (attachment.python) {
    published.kinds = bpf::RUNTIME_PYTHON;
    published.python = attachment.python->kernel_side;
  }
  if (kernel_->SetRuntime(process.pid, published).ok() && attachment.python)
    processes_.NoteRuntime(process.pid);
}

void Runtimes::NameFrames(const Sample& sample, std::vector<uint64_t>* frames, Time now) {
  const auto has = [frames](uint64_t kind) {
    return std::any_of(frames->begin(), frames->end(),
                       [kind](uint64_t word) { return KindOf(word) == kind; });
  };
  const bool has_jit = has(bpf::FRAME_IN_PROCESS);
  if (!has_jit && !has(bpf::FRAME_PYTHON))
    return;
  NameLanguageFrames(sample.pid, *frames, now);
  if (has_jit)
    NameJitFrames(sample, now);
  frames->swap(named_);
}

void Runtimes::NameLanguageFrames(pid_t pid, const std::vector<uint64_t>& frames, Time now) {
  if (std::any_of(frames.begin(), frames.end(),
                  [](uint64_t word) { return KindOf(word) == bpf::FRAME_PYTHON; }))
    Attach(pid, now);  // a child of an interpreter has its frames walked before it is attached to
  const auto found = attachments_.find(pid);
  Attachment* const attachment = found == attachments_.end() ? nullptr : found->second.get();
  named_.clear();
  for (size_t i = 0; i < frames.size(); ++i) {
    const uint64_t word = frames[i];
    const bool has_operand = i + 1 < frames.size() && KindOf(frames[i + 1]) == bpf::FRAME_OPERAND;
    if (KindOf(word) == bpf::FRAME_PYTHON) {
      if ((word & FRAME_OBJECT_MASK) == 0)
        continue;
      const uint64_t operand = has_operand ? frames[i + 1] : 0;
      if (const uint64_t named = NameOf(pid, attachment, word, operand); named != 0)
        named_.push_back(named);
    } else if (KindOf(word) != bpf::FRAME_OPERAND) {
      named_.push_back(word);
    }
  }
  if (attachment != nullptr && attachment->python)
    MarkInternal(attachment->python_slot, &named_);
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

uint64_t Runtimes::NameOf(pid_t pid, Attachment* attachment, uint64_t word, uint64_t operand) {
  const uint64_t code = word & FRAME_OBJECT_MASK;
  const auto key = std::make_pair(code, operand);
  if (attachment != nullptr) {
    if (const auto known = attachment->words.find(key);
        known != attachment->words.end() && (known->second == 0 || frames_.Has(known->second))) {
      ++counts_.frames_named;
      return known->second;
    }
  }
  absl::StatusOr<NamedFrame> frame = absl::NotFoundError("not attached");
  if (attachment != nullptr && attachment->python) {
    const auto read = [&](uint64_t address, std::span<char> out) {
      return agent::ReadMemory(pid, address, out);
    };
    const auto instruction = static_cast<uint32_t>((operand >> FRAME_INSTRUCTION_SHIFT) &
                                                   bpf::u64{FRAME_INSTRUCTION_MASK});
    frame = attachment->names.Name(
        *attachment->python,
        {.code = code, .instruction = instruction, .cookie = static_cast<uint32_t>(operand)}, read);
  }
  if (!frame.ok()) {
    ++counts_.frames_unnamed;
    return frames_.Intern(
        {.type = "cpython",
         .functions = {{.name = base::StrCat("<python ", base::Hex(code), ">")}}});
  }
  ++counts_.frames_named;
  const uint64_t named = frame->functions.empty() ? 0 : frames_.Intern(*std::move(frame));
  if (attachment->words.size() >= kWordsMax)
    attachment->words.clear();
  attachment->words[key] = named;
  return named;
}

// The loop itself, and the functions of the interpreter through which one frame of the language
// calls another. What the innermost frame calls is work, and stays.
void Runtimes::MarkInternal(uint32_t slot, std::vector<uint64_t>* frames) const {
  const LanguageFile* const file = LanguageOf(files_, slot);
  if (file == nullptr)
    return;
  const auto first = std::find_if(frames->begin(), frames->end(), IsNamed);
  const auto last = std::find_if(frames->rbegin(), frames->rend(), IsNamed).base();
  for (auto word = frames->begin(); word != frames->end(); ++word) {
    if (KindOf(*word) != bpf::FRAME_IN_FILE || SlotOf(*word) != slot)
      continue;
    if ((word > first && word < last) || IsInLoop(*file, *word))
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
