// SPDX-License-Identifier: Apache-2.0
#include "sdk/unwind/modules.h"

#include <link.h>
#include <pthread.h>
#include <sys/auxv.h>
#include <time.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstring>

#include "sdk/memory_at.h"
#include "sdk/unwind/cfi_compiler.h"
#include "sdk/unwind/module_readers.h"

namespace flarestack::sdk {
namespace {

// 64 MiB of rows in all modules. A program with more keeps frame pointers for the rest.
constexpr size_t kRowsMax = (64 << 20) / sizeof(UnwindRow);

pthread_mutex_t g_refresh_mutex = PTHREAD_MUTEX_INITIALIZER;

constexpr std::string_view kHexDigits = "0123456789abcdef";

std::string ToHex(const unsigned char* bytes, size_t size) {
  std::string text;
  for (size_t i = 0; i < size; ++i) {
    text += kHexDigits[bytes[i] >> 4];
    text += kHexDigits[bytes[i] & 15];
  }
  return text;
}

// Returns the GNU build id among the notes of a segment; empty if there is none.
std::string BuildIdIn(uintptr_t begin, uintptr_t end) {
  while (end - begin >= sizeof(ElfW(Nhdr))) {
    ElfW(Nhdr) note;
    std::memcpy(&note, MemoryAt<char>(begin), sizeof(note));
    const uintptr_t name = begin + sizeof(note);
    const uintptr_t name_bytes = (uintptr_t{note.n_namesz} + 3) & ~uintptr_t{3};
    const uintptr_t text_bytes = (uintptr_t{note.n_descsz} + 3) & ~uintptr_t{3};
    if (name_bytes > end - name || text_bytes > end - name - name_bytes)
      return "";
    if (note.n_type == NT_GNU_BUILD_ID && note.n_namesz == 4 &&
        std::memcmp(MemoryAt<char>(name), "GNU", 4) == 0)
      return ToHex(MemoryAt<unsigned char>(name + name_bytes), note.n_descsz);
    begin = name + name_bytes + text_bytes;
  }
  return "";
}

std::string ProgramPath() {
  std::array<char, 4096> path;
  const ssize_t bytes = readlink("/proc/self/exe", path.data(), path.size());
  return bytes > 0 ? std::string(path.data(), static_cast<size_t>(bytes)) : "";
}

struct Scan {
  const ModuleSnapshot* previous = nullptr;
  ModuleSnapshot* next = nullptr;
  size_t rows = 0;
  bool is_first = true;  // the program comes first
  bool is_current = false;
};

std::shared_ptr<const Module> MakeModule(const dl_phdr_info& info, bool is_program,
                                         size_t rows_max) {
  auto module = std::make_shared<Module>();
  module->bias = info.dlpi_addr;
  module->path = is_program ? ProgramPath() : info.dlpi_name == nullptr ? "" : info.dlpi_name;
  ModuleImage image;
  for (size_t i = 0; i < info.dlpi_phnum; ++i) {
    const ElfW(Phdr)& segment = info.dlpi_phdr[i];
    const uintptr_t begin = info.dlpi_addr + segment.p_vaddr;
    const uintptr_t end = begin + segment.p_memsz;
    if (segment.p_type == PT_LOAD && (segment.p_flags & PF_X) != 0 && module->code_end == 0) {
      module->code_begin = segment.p_vaddr;
      module->code_end = segment.p_vaddr + segment.p_memsz;
      module->code_offset = segment.p_offset;
    }
    if (segment.p_type == PT_LOAD) {
      module->begin = module->end == 0 ? begin : std::min(module->begin, begin);
      module->end = std::max(module->end, end);
    } else if (segment.p_type == PT_GNU_EH_FRAME) {
      image.eh_frame_hdr = begin;
    } else if (segment.p_type == PT_NOTE && module->gnu_build_id.empty()) {
      module->gnu_build_id = BuildIdIn(begin, end);
    }
  }
  if (module->begin == getauxval(AT_SYSINFO_EHDR)) {
    module->path = kVdsoPath;
    // The kernel maps whole pages.
    const uintptr_t page_bytes = getauxval(AT_PAGESZ);
    module->end = (module->end + page_bytes - 1) / page_bytes * page_bytes;
  }
  for (size_t i = 0; i < info.dlpi_phnum; ++i) {
    const ElfW(Phdr)& segment = info.dlpi_phdr[i];
    const uintptr_t begin = info.dlpi_addr + segment.p_vaddr;
    if (segment.p_type == PT_LOAD && image.eh_frame_hdr >= begin &&
        image.eh_frame_hdr < begin + segment.p_filesz) {
      image.segment_begin = begin;
      image.segment_end = begin + segment.p_filesz;
    }
  }
  image.begin = module->begin;
  image.end = module->end;
  if (image.segment_end != 0)
    module->rows = CompileCfi(image, rows_max);
  module->rows.shrink_to_fit();
  return module;
}

// The loader holds its lock meanwhile, so that no module goes away.
int VisitModule(dl_phdr_info* info, size_t, void* data) {
  auto* scan = static_cast<Scan*>(data);
  const bool is_program = scan->is_first;
  if (scan->is_first) {
    scan->is_first = false;
    scan->next->loads = info->dlpi_adds;
    scan->next->unloads = info->dlpi_subs;
    scan->is_current = scan->previous != nullptr && scan->previous->loads == info->dlpi_adds &&
                       scan->previous->unloads == info->dlpi_subs;
    if (scan->is_current)
      return 1;
  }
  // A module that was there before, and with nothing unloaded since, is still the same.
  if (scan->previous != nullptr && scan->previous->unloads == scan->next->unloads) {
    for (const auto& known : scan->previous->modules) {
      if (known->bias == info->dlpi_addr && (is_program || known->path == info->dlpi_name)) {
        scan->next->modules.push_back(known);
        scan->rows += known->rows.size();
        return 0;
      }
    }
  }
  auto module = MakeModule(*info, is_program, kRowsMax - std::min(kRowsMax, scan->rows));
  scan->rows += module->rows.size();
  if (module->begin < module->end)
    scan->next->modules.push_back(std::move(module));
  return 0;
}

void WaitForReaders(unsigned parity) {
  while (g_modules.readers[parity].load(std::memory_order_acquire) != 0) {
    const timespec pause = {.tv_sec = 0, .tv_nsec = 100'000};
    nanosleep(&pause, nullptr);
  }
}

}  // namespace

bool RefreshModules() {
  pthread_mutex_lock(&g_refresh_mutex);
  auto next = std::make_unique<ModuleSnapshot>();
  const ModuleSnapshot* const previous = g_modules.current.load(std::memory_order_acquire);
  Scan scan = {.previous = previous, .next = next.get()};
  dl_iterate_phdr(VisitModule, &scan);
  if (!scan.is_current) {
    std::ranges::sort(next->modules, {}, [](const auto& module) { return module->begin; });
    g_modules.current.store(next.release(), std::memory_order_seq_cst);
    const unsigned parity = g_modules.generation.fetch_add(1, std::memory_order_seq_cst) & 1;
    WaitForReaders(parity);
    delete previous;
  }
  pthread_mutex_unlock(&g_refresh_mutex);
  return !scan.is_current;
}

std::vector<std::shared_ptr<const Module>> CurrentModules() {
  pthread_mutex_lock(&g_refresh_mutex);
  const ModuleSnapshot* const snapshot = g_modules.current.load(std::memory_order_acquire);
  auto modules =
      snapshot == nullptr ? std::vector<std::shared_ptr<const Module>>{} : snapshot->modules;
  pthread_mutex_unlock(&g_refresh_mutex);
  return modules;
}

void LockModulesForFork() { pthread_mutex_lock(&g_refresh_mutex); }
void UnlockModulesInParent() { pthread_mutex_unlock(&g_refresh_mutex); }
void UnlockModulesInChild() {
  // Readers on other threads of the parent do not exist here.
  for (auto& readers : g_modules.readers)
    readers.store(0, std::memory_order_relaxed);
  pthread_mutex_unlock(&g_refresh_mutex);
}

}  // namespace flarestack::sdk
