// SPDX-License-Identifier: Apache-2.0
#include "sdk/context/thread_context.h"

#include <pthread.h>
#include <sys/mman.h>

#include <algorithm>
#include <atomic>
#include <cstring>

#include "sdk/thread_state.h"

// The compiler must not choose the local-dynamic model: profilers look for a symbol that each
// thread resolves on its own.
extern "C" {
__attribute__((visibility("default"), used)) thread_local constinit void* otel_thread_ctx_v1
    __attribute__((tls_model("global-dynamic"))) = nullptr;
}

namespace flarestack::sdk {
namespace {

// Orders writes for a reader that stops this thread, without an instruction.
void OwnFence() { std::atomic_signal_fence(std::memory_order_seq_cst); }

// Records of ended threads, and those of a new block.
class RecordPool {
 public:
  ThreadContextRecord* Take() {
    pthread_mutex_lock(&mutex_);
    if (free_ == nullptr)
      AddBlock();
    ThreadContextRecord* const record = reinterpret_cast<ThreadContextRecord*>(free_);
    if (free_ != nullptr)
      free_ = free_->next;
    pthread_mutex_unlock(&mutex_);
    if (record != nullptr)
      std::memset(static_cast<void*>(record), 0, sizeof(*record));
    return record;
  }

  void Give(ThreadContextRecord* record) {
    auto* const link = reinterpret_cast<Link*>(record);
    pthread_mutex_lock(&mutex_);
    link->next = free_;
    free_ = link;
    pthread_mutex_unlock(&mutex_);
  }

 private:
  struct Link {
    Link* next;
  };

  void AddBlock() {
    constexpr size_t kBytes = 64 << 10;
    void* const block =
        mmap(nullptr, kBytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (block == MAP_FAILED)
      return;
    for (size_t i = 0; i < kBytes / sizeof(ThreadContextRecord); ++i) {
      auto* const link = reinterpret_cast<Link*>(static_cast<ThreadContextRecord*>(block) + i);
      link->next = free_;
      free_ = link;
    }
  }

  pthread_mutex_t mutex_ = PTHREAD_MUTEX_INITIALIZER;
  Link* free_ = nullptr;
};
constinit RecordPool g_records;

pthread_key_t g_key;
pthread_once_t g_key_once = PTHREAD_ONCE_INIT;

void ReleaseRecord(void* record) {
  otel_thread_ctx_v1 = nullptr;
  t_thread.context = nullptr;
  OwnFence();
  g_records.Give(static_cast<ThreadContextRecord*>(record));
}

__attribute__((noinline)) ThreadContextRecord* MakeOwnRecord() {
  const InsideScope inside;
  pthread_once(&g_key_once, [] { pthread_key_create(&g_key, ReleaseRecord); });
  ThreadContextRecord* const record = g_records.Take();
  if (record == nullptr)
    return nullptr;
  pthread_setspecific(g_key, record);
  t_thread.context = record;
  OwnFence();
  otel_thread_ctx_v1 = record;
  return record;
}

ThreadContextRecord* OwnRecord() {
  ThreadContextRecord* const record = t_thread.context;
  return record != nullptr ? record : MakeOwnRecord();
}

// Makes the record invalid while it changes.
class Change {
 public:
  explicit Change(ThreadContextRecord* record) : record_(*record) {
    record_.valid = 0;
    OwnFence();
  }
  ~Change() {
    OwnFence();
    record_.valid = has_content() ? 1 : 0;
  }
  Change(const Change&) = delete;
  Change& operator=(const Change&) = delete;

 private:
  bool has_content() const {
    uint64_t id = 0;
    std::memcpy(&id, record_.span_id.data(), sizeof(id));
    return id != 0 || record_.label_bytes != 0;
  }

  ThreadContextRecord& record_;
};

// Where the label with this key begins; label_bytes if there is none.
size_t FindLabel(const ThreadContextRecord& record, uint8_t key) {
  size_t at = 0;
  while (at < record.label_bytes && record.labels[at] != key)
    at += size_t{2} + record.labels[at + 1];
  return at;
}

}  // namespace

bool AttachSpan(const uint8_t* trace_id, const uint8_t* span_id, uint8_t trace_flags) {
  ThreadContextRecord* const record = OwnRecord();
  if (record == nullptr)
    return false;
  const Change change(record);
  std::memcpy(record->trace_id.data(), trace_id, record->trace_id.size());
  std::memcpy(record->span_id.data(), span_id, record->span_id.size());
  record->trace_flags = trace_flags;
  return true;
}

void DetachSpan() {
  ThreadContextRecord* const record = t_thread.context;
  if (record == nullptr)
    return;
  const Change change(record);
  record->trace_id = {};
  record->span_id = {};
  record->trace_flags = 0;
}

ActiveSpan CurrentSpan() {
  const ThreadContextRecord* const record = t_thread.context;
  if (record == nullptr)
    return {};
  ActiveSpan span = {
      .trace_id = record->trace_id, .span_id = record->span_id, .trace_flags = record->trace_flags};
  span.is_set = span.span_id != decltype(span.span_id){};
  return span;
}

bool SetLabel(uint8_t key, std::string_view value) {
  if (value.empty() && t_thread.context == nullptr)
    return true;
  ThreadContextRecord* const record = OwnRecord();
  if (record == nullptr)
    return false;
  value = value.substr(0, 255);
  const Change change(record);
  const size_t at = FindLabel(*record, key);
  size_t end = record->label_bytes;
  if (at < end) {
    const size_t bytes = size_t{2} + record->labels[at + 1];
    std::memmove(&record->labels[at], &record->labels[at] + bytes, end - at - bytes);
    end -= bytes;
  }
  const bool fits = end + 2 + value.size() <= record->labels.size();
  if (!value.empty() && fits) {
    record->labels[end] = key;
    record->labels[end + 1] = static_cast<uint8_t>(value.size());
    std::memcpy(&record->labels[end + 2], value.data(), value.size());
    end += 2 + value.size();
  }
  record->label_bytes = static_cast<uint16_t>(end);
  return fits;
}

std::string_view CurrentLabel(uint8_t key) {
  const ThreadContextRecord* const record = t_thread.context;
  if (record == nullptr)
    return {};
  const size_t at = FindLabel(*record, key);
  if (at >= record->label_bytes)
    return {};
  return {reinterpret_cast<const char*>(&record->labels[at + 2]), record->labels[at + 1]};
}

}  // namespace flarestack::sdk
