// SPDX-License-Identifier: Apache-2.0
//
// Measures filling a page of 64 KiB of code, for the C library and for larger programs if
// installed, and opening a file.
#include <benchmark/benchmark.h>
#include <elf.h>

#include <optional>
#include <string>
#include <vector>

#include "base/file/mapped_file.h"
#include "elf/elf_file.h"
#include "elf/testing/own_files.h"
#include "record/unwind/code_page.h"
#include "record/unwind/unwind_table.h"

namespace flarestack::record::unwind {
namespace {

std::vector<uint64_t> CodePages(const elf::ElfFile& file) {
  std::vector<uint64_t> pages;
  for (const elf::Segment& segment : file.segments()) {
    if (segment.type != PT_LOAD || !segment.is_executable())
      continue;
    const uint64_t last = (segment.address + segment.file_bytes) >> bpf::CODE_PAGE_SHIFT;
    for (uint64_t page = segment.address >> bpf::CODE_PAGE_SHIFT; page <= last; ++page)
      pages.push_back(page);
  }
  return pages;
}

void BenchPages(benchmark::State& state, const std::string& path) {
  const auto bytes = base::MappedFile::Open(path);
  const auto file = bytes.ok() ? elf::ElfFile::Parse(bytes->bytes()) : bytes.status();
  const auto table = file.ok() ? UnwindTable::Of(*file) : file.status();
  if (!table.ok()) {
    state.SkipWithError(table.status().ToString().c_str());
    return;
  }
  const std::vector<uint64_t> pages = CodePages(*file);
  RuleTable rules;
  size_t next = 0;
  uint64_t row_count = 0;
  uint64_t page_count = 0;
  for (auto _ : state) {
    const CodePage page = MakeCodePage(*table, pages[next], &rules);
    row_count += page.rows.size();
    ++page_count;
    next = next + 1 == pages.size() ? 0 : next + 1;
  }
  state.counters["rows"] = static_cast<double>(row_count) / static_cast<double>(page_count);
  state.counters["rules"] = static_cast<double>(rules.rules().size());
  state.counters["pages"] = static_cast<double>(pages.size());
}

void BenchOpen(benchmark::State& state, const std::string& path) {
  const auto bytes = base::MappedFile::Open(path);
  const auto file = bytes.ok() ? elf::ElfFile::Parse(bytes->bytes()) : bytes.status();
  if (!file.ok()) {
    state.SkipWithError(file.status().ToString().c_str());
    return;
  }
  for (auto _ : state)
    benchmark::DoNotOptimize(UnwindTable::Of(*file));
}

void BenchFind(benchmark::State& state, const std::string& path) {
  const auto bytes = base::MappedFile::Open(path);
  const auto file = bytes.ok() ? elf::ElfFile::Parse(bytes->bytes()) : bytes.status();
  const auto table = file.ok() ? UnwindTable::Of(*file) : file.status();
  if (!table.ok()) {
    state.SkipWithError(table.status().ToString().c_str());
    return;
  }
  const std::vector<uint64_t> pages = CodePages(*file);
  uint64_t at = 0;
  for (auto _ : state) {
    at += 7919;
    const uint64_t page = pages[at / 97 % pages.size()];
    benchmark::DoNotOptimize(table->Find((page << bpf::CODE_PAGE_SHIFT) + at % 0x10000));
  }
}

}  // namespace
}  // namespace flarestack::record::unwind

int main(int argc, char** argv) {
  using namespace flarestack;
  for (const std::string& path : {elf::testing::CLibraryPath(), std::string("/usr/bin/node"),
                                  std::string("/usr/local/go/bin/go")}) {
    const std::string name = path.substr(path.rfind('/') + 1);
    benchmark::RegisterBenchmark(("Page/" + name).c_str(), record::unwind::BenchPages, path);
    benchmark::RegisterBenchmark(("Open/" + name).c_str(), record::unwind::BenchOpen, path);
    benchmark::RegisterBenchmark(("Find/" + name).c_str(), record::unwind::BenchFind, path);
  }
  benchmark::Initialize(&argc, argv);
  benchmark::RunSpecifiedBenchmarks();
  return 0;
}
