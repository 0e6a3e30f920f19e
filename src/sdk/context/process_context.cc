// SPDX-License-Identifier: Apache-2.0
#include "sdk/context/process_context.h"

#include <pthread.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include <atomic>
#include <cstdint>
#include <cstring>
#include <memory>

#include "sdk/proto_writer.h"

#ifndef PR_SET_VMA
#define PR_SET_VMA 0x53564d41
#endif
#ifndef PR_SET_VMA_ANON_NAME
#define PR_SET_VMA_ANON_NAME 0
#endif

namespace flarestack::sdk {
namespace {

struct Header {
  char signature[8];
  uint32_t version;
  uint32_t payload_bytes;
  std::atomic<uint64_t> published_at_ns;  // 0 while it changes
  uint64_t payload;
};
static_assert(sizeof(Header) == 32);

constexpr uint32_t kVersion = 2;
constexpr unsigned kNoExecSeal = 8;  // MFD_NOEXEC_SEAL, of newer kernels

struct Published {
  pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
  pid_t process = 0;  // the mapping does not exist in the child of a fork
  Header* header = nullptr;
  std::string* payload = nullptr;
};
constinit Published g_published;

Header* MapHeader(bool* has_name) {
  const auto memfd = [](unsigned flags) {
    return static_cast<int>(syscall(SYS_memfd_create, "OTEL_CTX", flags));
  };
  int file = memfd(MFD_CLOEXEC | MFD_ALLOW_SEALING | kNoExecSeal);
  if (file < 0)
    file = memfd(MFD_CLOEXEC | MFD_ALLOW_SEALING);
  if (file >= 0 && ftruncate(file, sizeof(Header)) != 0) {
    close(file);
    file = -1;
  }
  *has_name = file >= 0;
  const int flags = file >= 0 ? MAP_PRIVATE : MAP_PRIVATE | MAP_ANONYMOUS;
  void* const memory = mmap(nullptr, sizeof(Header), PROT_READ | PROT_WRITE, flags, file, 0);
  if (file >= 0)
    close(file);
  if (memory == MAP_FAILED)
    return nullptr;
  if (madvise(memory, sizeof(Header), MADV_DONTFORK) != 0) {
    munmap(memory, sizeof(Header));
    return nullptr;
  }
  return static_cast<Header*>(memory);
}

// Done at each publication, because readers may watch for the call.
bool NameMapping(Header* header) {
  return prctl(PR_SET_VMA, PR_SET_VMA_ANON_NAME, header, sizeof(Header), "OTEL_CTX") == 0;
}

uint64_t NextTime(uint64_t previous) {
  timespec now;
  clock_gettime(CLOCK_BOOTTIME, &now);
  const uint64_t time =
      static_cast<uint64_t>(now.tv_sec) * 1'000'000'000 + static_cast<uint64_t>(now.tv_nsec);
  return time > previous ? time : previous + 1;
}

ProtoWriter TextAttribute(std::string_view key, std::string_view value) {
  ProtoWriter any;
  any.Bytes(1, value);
  ProtoWriter attribute;
  attribute.Bytes(1, key);
  attribute.Message(2, any);
  return attribute;
}

bool Publish(std::unique_ptr<std::string> payload) {
  bool is_named = true;
  if (g_published.process != getpid() || g_published.header == nullptr) {
    g_published.header = MapHeader(&is_named);
    g_published.process = getpid();
    g_published.payload = nullptr;
  }
  Header* const header = g_published.header;
  if (header == nullptr)
    return false;
  const uint64_t previous = header->published_at_ns.exchange(0, std::memory_order_seq_cst);
  std::atomic_thread_fence(std::memory_order_seq_cst);
  std::memcpy(header->signature, "OTEL_CTX", sizeof(header->signature));
  header->version = kVersion;
  header->payload_bytes = static_cast<uint32_t>(payload->size());
  header->payload = reinterpret_cast<uint64_t>(payload->data());
  std::atomic_thread_fence(std::memory_order_seq_cst);
  header->published_at_ns.store(NextTime(previous), std::memory_order_seq_cst);
  const bool has_second_name = NameMapping(header);
  delete g_published.payload;
  g_published.payload = payload.release();
  return is_named || has_second_name;
}

}  // namespace

std::string EncodeProcessContext(const std::vector<std::pair<std::string, std::string>>& resource,
                                 const std::vector<std::string>& label_keys) {
  ProtoWriter resource_message;
  for (const auto& [key, value] : resource)
    resource_message.Message(1, TextAttribute(key, value));
  ProtoWriter keys;
  for (const std::string& key : label_keys) {
    ProtoWriter any;
    any.Bytes(1, key);
    keys.Message(1, any);
  }
  ProtoWriter array;
  array.Message(5, keys);
  ProtoWriter key_map;
  key_map.Bytes(1, "threadlocal.attribute_key_map");
  key_map.Message(2, array);
  ProtoWriter context;
  context.Message(1, resource_message);
  context.Message(2, TextAttribute("threadlocal.schema_version", "tlsdesc_v1_dev"));
  context.Message(2, key_map);
  return std::move(context).Take();
}

bool PublishProcessContext(const std::vector<std::pair<std::string, std::string>>& resource,
                           const std::vector<std::string>& label_keys) {
  auto payload = std::make_unique<std::string>(EncodeProcessContext(resource, label_keys));
  pthread_mutex_lock(&g_published.mutex);
  const bool is_published = Publish(std::move(payload));
  pthread_mutex_unlock(&g_published.mutex);
  return is_published;
}

void WithdrawProcessContext() {
  pthread_mutex_lock(&g_published.mutex);
  if (g_published.process == getpid() && g_published.header != nullptr) {
    munmap(g_published.header, sizeof(Header));
    delete g_published.payload;
  }
  g_published.header = nullptr;
  g_published.payload = nullptr;
  pthread_mutex_unlock(&g_published.mutex);
}

void ResetProcessContextAfterFork() {
  // Another thread of the parent may have held the mutex.
  g_published.mutex = PTHREAD_MUTEX_INITIALIZER;
  g_published.header = nullptr;
  g_published.payload = nullptr;
}

}  // namespace flarestack::sdk
