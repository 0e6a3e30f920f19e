// SPDX-License-Identifier: Apache-2.0
#include "record/testing/context_publisher.h"

#include <sys/mman.h>
#include <sys/prctl.h>
#include <time.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cstring>

#include "base/byte_reader.h"
#include "base/check.h"
#include "base/clock.h"

namespace flarestack::record::agent::testing {
namespace {

constexpr char kName[] = "OTEL_CTX";
constexpr size_t kMappingBytes = 4096;

void AppendField(uint32_t field, std::string_view bytes, std::string* out) {
  base::AppendVarint(uint64_t{field} << 3 | 2, out);
  base::AppendBytes(bytes, out);
}

std::string EncodeKeyValue(std::string_view key, std::string_view any_value) {
  std::string out;
  AppendField(1, key, &out);
  AppendField(2, any_value, &out);
  return out;
}

std::string EncodeText(std::string_view text) {
  std::string out;
  AppendField(1, text, &out);
  return out;
}

uint64_t BootNanos() {
  timespec now = {};
  clock_gettime(CLOCK_BOOTTIME, &now);
  return static_cast<uint64_t>(now.tv_sec) * base::kNanosPerSecond +
         static_cast<uint64_t>(now.tv_nsec);
}

void* MapMemfd() {
  constexpr unsigned kNoExecSeal = 8;
  int fd = memfd_create(kName, MFD_CLOEXEC | MFD_ALLOW_SEALING | kNoExecSeal);
  if (fd < 0)
    fd = memfd_create(kName, MFD_CLOEXEC | MFD_ALLOW_SEALING);
  FLARE_CHECK(fd >= 0 && ftruncate(fd, kMappingBytes) == 0);
  void* const memory =
      mmap(nullptr, kMappingBytes, PROT_READ | PROT_WRITE, MAP_PRIVATE, fd, /*offset=*/0);
  close(fd);
  return memory;
}

void* MapAnonymous() {
  return mmap(nullptr, kMappingBytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS,
              /*fd=*/-1, /*offset=*/0);
}

}  // namespace

struct ContextPublisher::Header {
  char signature[8];
  uint32_t version;
  uint32_t payload_bytes;
  std::atomic<uint64_t> published_at_ns;
  uint64_t payload;
};

std::string ContextMessage::Encode() const {
  std::string attributes;
  for (const auto& [key, value] : resource)
    AppendField(1, EncodeKeyValue(key, EncodeText(value)), &attributes);
  std::string out;
  AppendField(1, attributes, &out);
  for (const auto& [key, value] : extra)
    AppendField(2, EncodeKeyValue(key, EncodeText(value)), &out);
  if (thread_keys.empty())
    return out;
  std::string elements;
  for (const std::string& key : thread_keys)
    AppendField(1, EncodeText(key), &elements);
  std::string array;
  AppendField(5, elements, &array);
  AppendField(2, EncodeKeyValue("threadlocal.attribute_key_map", array), &out);
  return out;
}

ContextPublisher::ContextPublisher(std::string payload, Memory memory) {
  static_assert(sizeof(Header) == 32);
  void* const mapped = memory == Memory::kMemfd ? MapMemfd() : MapAnonymous();
  FLARE_CHECK(mapped != MAP_FAILED && madvise(mapped, kMappingBytes, MADV_DONTFORK) == 0);
  header_ = static_cast<Header*>(mapped);
  std::memcpy(header_->signature, kName, sizeof(header_->signature));
  header_->version = 2;
  Write(std::move(payload));
  Name();
}

ContextPublisher::~ContextPublisher() { munmap(header_, kMappingBytes); }

void ContextPublisher::Name() {
  constexpr int kSetVma = 0x53564d41;
  constexpr unsigned long kAnonName = 0;
  is_named_ = prctl(kSetVma, kAnonName, header_, kMappingBytes, kName) == 0;
}

void ContextPublisher::BeginUpdate() {
  header_->published_at_ns.store(0, std::memory_order_relaxed);  // ordered by the fence
  std::atomic_thread_fence(std::memory_order_seq_cst);
}

void ContextPublisher::FinishUpdate(std::string payload) {
  Write(std::move(payload));
  Name();
}

void ContextPublisher::Update(std::string payload) {
  const uint64_t before = published_at_ns();
  BeginUpdate();
  FinishUpdate(std::move(payload));
  // The clock may not have advanced.
  if (published_at_ns() <= before)
    header_->published_at_ns.store(before + 1, std::memory_order_relaxed);
}

void ContextPublisher::Write(std::string payload) {
  payload_ = std::move(payload);
  header_->payload_bytes = static_cast<uint32_t>(payload_.size());
  header_->payload = reinterpret_cast<uint64_t>(payload_.data());
  std::atomic_thread_fence(std::memory_order_seq_cst);
  header_->published_at_ns.store(BootNanos(), std::memory_order_relaxed);  // after the fence
}

uint64_t ContextPublisher::address() const { return reinterpret_cast<uint64_t>(header_); }

uint64_t ContextPublisher::published_at_ns() const {
  return header_->published_at_ns.load(std::memory_order_relaxed);  // written only by us
}

}  // namespace flarestack::record::agent::testing
