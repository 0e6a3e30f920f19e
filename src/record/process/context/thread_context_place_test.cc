// SPDX-License-Identifier: Apache-2.0
#include "record/process/context/thread_context_place.h"

#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <cstdio>
#include <cstring>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "base/text/text.h"
#include "elf/testing/compiled_program.h"
#include "elf/testing/loaded_image_builder.h"

namespace flarestack::record::agent {
namespace {

using elf::testing::WorkFolder;

// The variable and a function that returns its address, for the program itself or for a library.
// Other variables precede it, so that it is not the first in its block.
constexpr std::string_view kVariable = R"(
__thread char before[100] __attribute__((aligned(64))) = "x";
__thread void* otel_thread_ctx_v1;
void** context_address(void) { before[1] = 1; return &otel_thread_ctx_v1; }
)";

// Prints the thread pointer and the variable's address for two threads, and waits for the end of
// its input.
constexpr std::string_view kProgram = R"(
#define _GNU_SOURCE
#include <dlfcn.h>
#include <pthread.h>
#include <stdio.h>
#include <unistd.h>
#ifdef USES_VARIABLE
extern __thread void* otel_thread_ctx_v1;
static void** context_address(void) { return &otel_thread_ctx_v1; }
#else
void** context_address(void) __attribute__((weak));
#endif
static void** (*tell)(void);
static void report(void) {
  printf("%lx %lx\n", (unsigned long)__builtin_thread_pointer(), (unsigned long)tell());
}
static pthread_barrier_t both;
static void* other(void* unused) {
  report();
  fflush(stdout);
  pthread_barrier_wait(&both);
  for (;;) pause();
  return unused;
}
int main(int count, char** words) {
  pthread_t thread;
  char byte;
  tell = context_address;
#ifdef OPENS_LIBRARY
  void* library = dlopen(words[1], RTLD_NOW);
  if (library == 0) return 1;
  tell = (void** (*)(void))dlsym(library, "context_address");
#endif
  (void)count;
  (void)words;
  report();
  pthread_barrier_init(&both, 0, 2);
  pthread_create(&thread, 0, other, 0);
  pthread_barrier_wait(&both);
  printf("end\n");
  fflush(stdout);
  return read(0, &byte, 1) != 0;
}
)";

class RunningProgram {
 public:
  explicit RunningProgram(const std::vector<std::string>& words) {
    int input[2];
    int output[2];
    EXPECT_EQ(pipe(input), 0);
    EXPECT_EQ(pipe(output), 0);
    std::vector<char*> arguments;
    for (const std::string& word : words)
      arguments.push_back(const_cast<char*>(word.c_str()));
    arguments.push_back(nullptr);
    pid_ = fork();
    if (pid_ == 0) {
      dup2(input[0], STDIN_FILENO);
      dup2(output[1], STDOUT_FILENO);
      for (const int fd : {input[0], input[1], output[0], output[1]})
        close(fd);
      execv(arguments[0], arguments.data());
      _exit(127);
    }
    close(input[0]);
    close(output[1]);
    input_ = input[1];
    FILE* const lines = fdopen(output[0], "r");
    unsigned long thread_pointer = 0;
    unsigned long address = 0;
    while (fscanf(lines, "%lx %lx\n", &thread_pointer, &address) == 2)
      addresses_[thread_pointer] = address;
    fclose(lines);
  }
  ~RunningProgram() {
    close(input_);
    kill(pid_, SIGKILL);
    waitpid(pid_, nullptr, 0);
  }
  RunningProgram(const RunningProgram&) = delete;
  RunningProgram& operator=(const RunningProgram&) = delete;

  pid_t pid() const { return pid_; }
  // Addresses of the variable, by thread pointer.
  const std::map<uint64_t, uint64_t>& addresses() const { return addresses_; }

 private:
  pid_t pid_ = -1;
  int input_ = -1;
  std::map<uint64_t, uint64_t> addresses_;
};

class ThreadContextPlaceTest : public ::testing::Test {
 protected:
  void SetUp() override {
    if (!elf::testing::HasProgram("gcc"))
      GTEST_SKIP() << "needs gcc";
    folder_.Write("variable.c", kVariable);
    folder_.Write("program.c", kProgram);
  }

  void Compile(const std::string& command) {
    ASSERT_TRUE(folder_.Run("gcc -O1 " + command)) << command;
  }

  // Compares the found place with the addresses printed by the program; returns its kind.
  int ExpectFound(std::vector<std::string> words) {
    words[0] = folder_.Path(words[0]);
    const RunningProgram program(words);
    EXPECT_EQ(program.addresses().size(), 2u);
    const auto place = FindThreadContextPlace(program.pid());
    if (!place.ok()) {
      ADD_FAILURE() << place.status();
      return bpf::CONTEXT_NONE;
    }
    const auto read = [&](uint64_t address, std::span<char> out) {
      return ReadMemory(program.pid(), address, out);
    };
    for (const auto& [thread_pointer, expected] : program.addresses()) {
      const auto address = ThreadContextAddress(*place, thread_pointer, read);
      EXPECT_TRUE(address.ok()) << address.status();
      EXPECT_EQ(address.value_or(0), expected);
    }
    return place->kind;
  }

  WorkFolder folder_;
};

// TLS access models for library variables, as gcc options.
std::vector<std::string> Dialects() {
#if defined(__x86_64__)
  return {"-mtls-dialect=gnu", "-mtls-dialect=gnu2"};
#else
  return {"-mtls-dialect=trad", "-mtls-dialect=desc"};
#endif
}

TEST_F(ThreadContextPlaceTest, FindsAVariableOfAProgram) {
  for (const std::string options : {"-pie -fPIE", "-no-pie", "-static-pie -fPIE"}) {
    Compile(options +
            " -Wl,--export-dynamic-symbol=otel_thread_ctx_v1 program.c variable.c -o program -ldl "
            "-pthread");
    EXPECT_EQ(ExpectFound({"program"}), bpf::CONTEXT_STATIC) << options;
  }
}

TEST_F(ThreadContextPlaceTest, FindsAVariableOfALinkedLibrary) {
  for (const std::string& dialect : Dialects()) {
    for (const std::string bind : {"-Wl,-z,now", "-Wl,-z,lazy", "-Wl,-Bsymbolic"}) {
      Compile(dialect + " -fPIC -shared variable.c -o libvariable.so " + bind);
      Compile(
          "program.c -o program -L. -Wl,--no-as-needed -lvariable -Wl,-rpath,'$ORIGIN' -ldl "
          "-pthread");
      EXPECT_NE(ExpectFound({"program"}), bpf::CONTEXT_NONE) << dialect << " " << bind;
    }
  }
}

TEST_F(ThreadContextPlaceTest, FindsAVariableOfALibraryOpenedLater) {
  for (const std::string& dialect : Dialects()) {
    for (const std::string bind : {"", "-Wl,-Bsymbolic"}) {
      Compile(dialect + " -fPIC -shared variable.c -o opened.so " + bind);
      Compile("-DOPENS_LIBRARY program.c -o program -ldl -pthread");
      EXPECT_NE(ExpectFound({"program", folder_.Path("opened.so")}), bpf::CONTEXT_NONE)
          << dialect << " " << bind;
    }
  }
}

TEST_F(ThreadContextPlaceTest, FindsLargeVariablesOfALateLibraryInTheirOwnBlock) {
  folder_.Write("large.c", "__thread char large[1 << 20] = \"x\";\n" + std::string(kVariable));
  for (const std::string& dialect : Dialects()) {
    Compile(dialect + " -fPIC -shared large.c -o opened.so");
    Compile("-DOPENS_LIBRARY program.c -o program -ldl -pthread");
    EXPECT_EQ(ExpectFound({"program", folder_.Path("opened.so")}), bpf::CONTEXT_DYNAMIC) << dialect;
  }
}

TEST_F(ThreadContextPlaceTest, FindsAVariableWithInitialExecModel) {
  Compile("-ftls-model=initial-exec -fPIC -shared variable.c -o libvariable.so");
  Compile(
      "program.c -o program -L. -Wl,--no-as-needed -lvariable -Wl,-rpath,'$ORIGIN' -ldl -pthread");
  EXPECT_EQ(ExpectFound({"program"}), bpf::CONTEXT_STATIC);
}

TEST_F(ThreadContextPlaceTest, FindsAVariableThatOnlyTheProgramUses) {
  folder_.Write("unused.c", "__thread char before[8];\n__thread void* otel_thread_ctx_v1;\n");
  Compile("-fPIC -shared unused.c -o libvariable.so");
  Compile(
      "-DUSES_VARIABLE program.c -o program -L. -Wl,--no-as-needed -lvariable -Wl,-rpath,'$ORIGIN' "
      "-ldl -pthread");
  EXPECT_EQ(ExpectFound({"program"}), bpf::CONTEXT_STATIC);
}

TEST_F(ThreadContextPlaceTest, ReadsALibraryWithTheOlderHashTable) {
  Compile("-fPIC -shared variable.c -o libvariable.so -Wl,--hash-style=sysv");
  Compile(
      "program.c -o program -L. -Wl,--no-as-needed -lvariable -Wl,-rpath,'$ORIGIN' -ldl -pthread");
  EXPECT_NE(ExpectFound({"program"}), bpf::CONTEXT_NONE);
}

TEST_F(ThreadContextPlaceTest, IgnoresAVariableThatIsNotThreadLocal) {
  folder_.Write("shared.c",
                "void* otel_thread_ctx_v1;\n"
                "void** context_address(void) { return &otel_thread_ctx_v1; }\n");
  Compile("-rdynamic program.c shared.c -o program -ldl -pthread");
  const RunningProgram program({folder_.Path("program")});
  EXPECT_EQ(FindThreadContextPlace(program.pid()).status().code(), absl::StatusCode::kNotFound);
}

TEST_F(ThreadContextPlaceTest, ProcessWithoutTheVariableHasNone) {
  EXPECT_EQ(FindThreadContextPlace(getpid()).status().code(), absl::StatusCode::kNotFound);
}

// Tests images of machines and C libraries that may differ from those of the test host.
class PlaceInModulesTest : public ::testing::Test {
 protected:
  using Builder = elf::testing::LoadedImageBuilder;

  static constexpr uint64_t kBase = 0x7f0000000000;
  static constexpr uint16_t kX86 = 62;
  static constexpr uint16_t kArm64 = 183;

  // Returns "static offset" or "dynamic module offset stride dtv_offset", or the error code.
  static std::string Find(Builder builder, CLibrary library, bool is_program) {
    builder.variable = kThreadContextVariable;
    const elf::testing::ImageMemory memory(kBase, builder.Build());
    const auto read = [&](uint64_t address, std::span<char> out) {
      return memory.Read(address, out);
    };
    auto image = elf::LoadedImage::Read(read, kBase);
    EXPECT_TRUE(image.ok()) << image.status();
    const ThreadLocalModule module = {.image = *std::move(image), .is_program = is_program};
    const auto place = PlaceInModules({&module, 1}, library, read);
    if (!place.ok())
      return absl::StatusCodeToString(place.status().code());
    if (place->kind == bpf::CONTEXT_STATIC)
      return base::StrCat("static ", place->offset);
    return base::StrCat("dynamic ", place->module, " ", place->offset, " ", place->dtv_stride, " ",
                        place->dtv_offset);
  }

  // A library with one relocation for the variable, and the words the dynamic linker wrote there.
  static std::string FindInLibrary(uint16_t machine, CLibrary library, uint32_t type,
                                   std::pair<uint64_t, uint64_t> words) {
    Builder builder = {.machine = machine};
    builder.relocations = {{.type = type, .offset = Builder::kWords, .symbol = 1}};
    builder.words = {{Builder::kWords, words.first}, {Builder::kWords + 8, words.second}};
    // A possible target of a descriptor's argument.
    builder.words.push_back({Builder::kWords + 0x20, 3});
    builder.words.push_back({Builder::kWords + 0x28, 0x48});
    return Find(builder, library, /*is_program=*/false);
  }
};

TEST_F(PlaceInModulesTest, FindsProgramsOfBothMachinesByTheirSegment) {
  const auto find = [](uint16_t machine, uint64_t address, uint64_t bytes, uint64_t alignment) {
    return Find({.machine = machine,
                 .symbol_value = 0x18,
                 .tls_address = address,
                 .tls_bytes = bytes,
                 .tls_alignment = alignment},
                CLibrary::kGlibc, /*is_program=*/true);
  };
  EXPECT_EQ(find(kX86, 0x900, 0x20, 8), "static -8");
  EXPECT_EQ(find(kX86, 0x900, 0x24, 64), "static -40");   // 0x18 - 0x40
  EXPECT_EQ(find(kX86, 0x908, 0x20, 64), "static -32");   // the block ends 24 before the pointer
  EXPECT_EQ(find(kArm64, 0x900, 0x20, 8), "static 40");   // 16 + 0x18
  EXPECT_EQ(find(kArm64, 0x900, 0x20, 64), "static 88");  // 64 + 0x18
  EXPECT_EQ(find(kArm64, 0x900, 0x20, 0), "static 40");
  EXPECT_EQ(find(/*machine=*/243, 0x900, 0x20, 8), "UNIMPLEMENTED");
}

TEST_F(PlaceInModulesTest, ReadsTheWordWithTheOffset) {
  EXPECT_EQ(FindInLibrary(kX86, CLibrary::kGlibc, 18, {static_cast<uint64_t>(-72), 0}),
            "static -72");
  EXPECT_EQ(FindInLibrary(kArm64, CLibrary::kMusl, 1030, {72, 0}), "static 72");
  EXPECT_EQ(FindInLibrary(kX86, CLibrary::kGlibc, 18, {0, 0}), "UNAVAILABLE");
}

TEST_F(PlaceInModulesTest, ReadsDescriptorsOfStaticAndDynamicMemory) {
  const uint64_t pointer = kBase + Builder::kWords + 0x20;
  EXPECT_EQ(FindInLibrary(kX86, CLibrary::kGlibc, 36, {1, static_cast<uint64_t>(-72)}),
            "static -72");
  EXPECT_EQ(FindInLibrary(kArm64, CLibrary::kGlibc, 1031, {1, 72}), "static 72");
  EXPECT_EQ(FindInLibrary(kX86, CLibrary::kGlibc, 36, {1, pointer}), "dynamic 3 72 16 8");
  EXPECT_EQ(FindInLibrary(kArm64, CLibrary::kGlibc, 1031, {1, pointer}), "dynamic 3 72 16 0");
  EXPECT_EQ(FindInLibrary(kX86, CLibrary::kMusl, 36, {1, pointer}), "dynamic 3 72 8 8");
  EXPECT_EQ(FindInLibrary(kArm64, CLibrary::kMusl, 1031, {1, pointer}), "dynamic 3 72 8 -8");
  // Not resolved yet: zero, or a value that is not a module.
  EXPECT_EQ(FindInLibrary(kX86, CLibrary::kGlibc, 36, {1, 0}), "UNAVAILABLE");
  EXPECT_EQ(FindInLibrary(kX86, CLibrary::kGlibc, 36, {1, kBase + 0x40}), "UNAVAILABLE");
}

TEST_F(PlaceInModulesTest, ReadsModuleAndOffsetInItsBlock) {
  EXPECT_EQ(FindInLibrary(kX86, CLibrary::kGlibc, 16, {5, 0x18}), "dynamic 5 24 16 8");
  EXPECT_EQ(FindInLibrary(kArm64, CLibrary::kMusl, 1028, {5, 0x18}), "dynamic 5 24 8 -8");
  EXPECT_EQ(FindInLibrary(kX86, CLibrary::kGlibc, 16, {0, 0x18}), "UNAVAILABLE");
}

TEST_F(PlaceInModulesTest, MatchesARelocationWithoutASymbolByItsOffset) {
  const auto find = [](elf::testing::ImageRelocation relocation, uint64_t second) {
    Builder builder;
    builder.relocations = {relocation};
    builder.words = {{Builder::kWords, 7}, {Builder::kWords + 8, second}};
    return Find(builder, CLibrary::kGlibc, /*is_program=*/false);
  };
  EXPECT_EQ(find({.type = 36, .offset = Builder::kWords, .addend = 0x18}, 99), "static 99");
  EXPECT_EQ(find({.type = 36, .offset = Builder::kWords, .addend = 0x20}, 99), "UNAVAILABLE");
  EXPECT_EQ(find({.type = 16, .offset = Builder::kWords}, 0x18), "dynamic 7 24 16 8");
  EXPECT_EQ(find({.type = 16, .offset = Builder::kWords}, 0x20), "UNAVAILABLE");
}

TEST_F(PlaceInModulesTest, MissingVariableIsNotFound) {
  EXPECT_EQ(Find({.symbol_type = 1}, CLibrary::kGlibc, /*is_program=*/true), "NOT_FOUND");
}

TEST(ThreadContextAddressTest, UnallocatedBlockHasNoAddress) {
  // The vector is at 8, its entry for module 2 at 1000 + 32.
  uint64_t block = UINT64_MAX;
  const auto read = [&](uint64_t address, std::span<char> out) {
    const uint64_t word = address == 8 ? 1000 : block;
    std::memcpy(out.data(), &word, sizeof(word));
    return absl::OkStatus();
  };
  const bpf::thread_context_place place = {
      .kind = bpf::CONTEXT_DYNAMIC, .dtv_stride = 16, .module = 2, .dtv_offset = 8, .offset = 24};
  EXPECT_FALSE(ThreadContextAddress(place, 0, read).ok());
  block = 0;
  EXPECT_FALSE(ThreadContextAddress(place, 0, read).ok());
  block = 5000;
  EXPECT_EQ(ThreadContextAddress(place, 0, read).value_or(0), 5024u);
  EXPECT_FALSE(ThreadContextAddress({.kind = bpf::CONTEXT_NONE}, 0, read).ok());
}

}  // namespace
}  // namespace flarestack::record::agent
