// SPDX-License-Identifier: Apache-2.0
//
// Records a program that generates code at run time and describes it in a perf map.
#include <gtest/gtest.h>

#include "recording_fixture.h"

namespace flarestack::testing {
namespace {

using RecordJitTest = RecordingTest;

// The generated function counts down, with a frame pointer.
constexpr char kProgram[] = R"(
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>
#if defined(__x86_64__)
static const unsigned char kCode[] = {0x55, 0x48, 0x89, 0xe5, 0x48, 0xff, 0xcf, 0x75, 0xfb, 0x5d, 0xc3};
#else
static const unsigned kCode[] = {0xa9bf7bfd, 0x910003fd, 0xf1000400, 0x54ffffe1, 0xa8c17bfd, 0xd65f03c0};
#endif
NOINLINE void CallGenerated(void (*code)(long)) { code(200000); KEEP_FRAME; }
int main(void) {
  char path[64];
  FILE* map;
  void* code = mmap(0, 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  memcpy(code, kCode, sizeof(kCode));
  mprotect(code, 4096, PROT_READ | PROT_EXEC);
  __builtin___clear_cache((char*)code, (char*)code + 4096);
  sprintf(path, "/tmp/perf-%d.map", getpid());
  map = fopen(path, "w");
  fprintf(map, "%lx %lx generated_countdown\n", (unsigned long)code, (unsigned long)sizeof(kCode));
  fclose(map);
  while (Used() < kSeconds) CallGenerated((void (*)(long))code);
  sleep(1);  // the recorder reads the map while the process lives
  unlink(path);
  return 0;
}
)";

TEST_F(RecordJitTest, NamesCodeByItsPerfMap) {
  const Recording recording = RecordSource(
      {.name = "jitworker", .source = kProgram, .flags = "-O2 -fno-omit-frame-pointer"});
  ASSERT_EQ(recording.run.exit_code, 0) << recording.run.error;
  ExpectChain(recording, "jitworker", 0.6, {"main", "CallGenerated", "generated_countdown"});
}

}  // namespace
}  // namespace flarestack::testing
