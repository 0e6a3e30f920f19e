// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include "base/status.h"
#include "codec/folded/folded.h"
#include "codec/perfscript/frame_collector.h"
#include "codec/perfscript/perf_script_reader.h"
#include "codec/testing/read_write.h"
#include "model/frame.h"
#include "model/sample_type.h"

namespace flarestack::codec::perfscript {
namespace {

using codec::testing::ReadOne;
using codec::testing::WarningText;
using codec::testing::WriteAll;

std::string AttributeText(const model::Dictionary& dictionary, model::Slice attributes) {
  std::string text;
  for (const model::AttributeIndex index : model::In(dictionary.attribute_indices, attributes)) {
    const model::Attribute& attribute = dictionary.attributes[index.value];
    base::StrAppend(&text, " ", dictionary.Text(attribute.key), "=");
    if (dictionary.IsString(attribute.value)) {
      base::StrAppend(&text, dictionary.String(attribute.value));
    } else {
      base::StrAppend(&text, attribute.value.int_value);
    }
  }
  return text;
}

// The full content of a batch, one item per line: profiles, samples and frames, leaf first.
std::string Describe(const model::Batch& batch) {
  const model::Dictionary& dictionary = batch.dictionary;
  std::string text;
  for (const model::Profile& profile : batch.profiles) {
    base::StrAppend(&text, dictionary.Text(profile.sample_type.type), "/",
                    dictionary.Text(profile.sample_type.unit), " period=", profile.period,
                    " time=", profile.time_unix_nano, "+", profile.duration_nano, "\n");
    for (const model::Sample& sample : model::In(batch.samples, profile.samples)) {
      base::StrAppend(&text, " sample", AttributeText(dictionary, sample.attributes));
      for (const int64_t value : model::In(batch.values, sample.values)) {
        base::StrAppend(&text, " value=", value);
      }
      for (const uint64_t timestamp : model::In(batch.timestamps, sample.timestamps)) {
        base::StrAppend(&text, " at=", timestamp);
      }
      text.push_back('\n');
      for (const model::Frame& frame : model::FramesOf(dictionary, sample.stack)) {
        const model::Location& location = dictionary.locations[frame.location.value];
        base::StrAppend(&text, "  ", base::Hex(location.address), " ",
                        model::FrameName(dictionary, frame), " ",
                        dictionary.Text(dictionary.mappings[location.mapping.value].filename), " ",
                        frame.filename, ":", frame.line, frame.is_inlined ? " inlined" : "",
                        AttributeText(dictionary, location.attributes), "\n");
      }
    }
  }
  return text;
}

std::string Read(const std::string& text, base::Warnings* warnings = nullptr) {
  const auto batch = ReadOne(kPerfScriptReader, text, warnings);
  return batch.ok() ? Describe(*batch) : std::string(base::Message(batch.status()));
}

std::string ReadFolded(const std::string& text) {
  const auto batch = ReadOne(kPerfScriptReader, text);
  return batch.ok() ? *WriteAll(folded::kFoldedWriter, *batch)
                    : std::string(base::Message(batch.status()));
}

TEST(PerfScriptTest, ReadsTheDefaultOutput) {
  base::Warnings warnings;
  EXPECT_EQ(Read("# captured by hand\n"
                 "app  9192 [001]  1240.193496:     250000 cpu-clock: \n"
                 "\tffffffff821caab7 exc_page_fault+0xd7 ([kernel.kallsyms])\n"
                 "\t            a931 read_file+0x21 (/usr/lib/ld.so.2)\n"
                 "\t            b000 [unknown] (/usr/lib/ld.so.2)\n"
                 "\n"
                 "app  9192 [001]  1240.193744:     250000 cpu-clock: \n"
                 "\tffffffff821caab7 exc_page_fault+0xd7 ([kernel.kallsyms])\n"
                 "\t            a931 read_file+0x21 (/usr/lib/ld.so.2)\n"
                 "\t            b000 [unknown] (/usr/lib/ld.so.2)\n"
                 "\n",
                 &warnings),
            "cpu/nanoseconds period=250000 time=1240193496000+248001\n"
            " sample thread.name=app thread.id=9192 cpu.logical_number=1 value=250000 value=250000"
            " at=1240193496000 at=1240193744000\n"
            "  0xffffffff821caab7 exc_page_fault [kernel.kallsyms] :0"
            " profile.frame.type=kernel\n"
            "  0xa931 read_file /usr/lib/ld.so.2 :0 profile.frame.type=native\n"
            "  0xb000 ld.so.2!0xb000 /usr/lib/ld.so.2 :0 profile.frame.type=native\n");
  EXPECT_EQ(WarningText(warnings),
            "timestamps count from boot, as perf prints them (1): cpu-clock\n");
}

TEST(PerfScriptTest, MakesAProfilePerEvent) {
  EXPECT_EQ(Read("my app: 2  10/11 [000]  5.000000001:      7000 cycles:ppp: \n"
                 "\t 401000 main+0x1 (/bin/app)\n\n"
                 "swapper     0 [000]  6.0:          1 page-faults: \n"
                 "\t 401000 main+0x1 (/bin/app)\n\n"
                 ":-1    -1 [001]  7.0: sched:sched_switch: prev_comm=app prev_pid=10 ==> x\n"
                 "\t 401000 main+0x1 (/bin/app)\n\n"),
            "cycles:ppp/count period=7000 time=5000000001+1\n"
            " sample thread.name=my app: 2 process.pid=10 thread.id=11 cpu.logical_number=0"
            " value=7000 at=5000000001\n"
            "  0x401000 main /bin/app :0 profile.frame.type=native\n"
            "page-faults/count period=1 time=6000000000+1\n"
            " sample thread.name=swapper thread.id=0 cpu.logical_number=0 value=1 at=6000000000\n"
            "  0x401000 main /bin/app :0 profile.frame.type=native\n"
            "sched:sched_switch/count period=0 time=7000000000+1\n"
            " sample thread.name=:-1 thread.id=-1 cpu.logical_number=1 at=7000000000\n"
            "  0x401000 main /bin/app :0 profile.frame.type=native\n");
}

TEST(PerfScriptTest, InlinedFramesAreLinesOfTheirPhysicalFrame) {
  EXPECT_EQ(Read("t 1 1.0: cpu-clock: \n"
                 "\t           707a4 do_cos+0x4e4 (inlined)\n"
                 "\t           707a4 do_sincos+0x4e4 (inlined)\n"
                 "\t           707a4 __sin_fma+0x4e4 (/lib/libm.so.6)\n"
                 "\t           27304 start_main_impl+0x84 (inlined)\n"
                 "\t            10a0 _start+0x20 (/tmp/t)\n"),
            "cpu-clock/count period=0 time=1000000000+1\n"
            " sample thread.name=t thread.id=1 at=1000000000\n"
            "  0x707a4 do_cos /lib/libm.so.6 :0 inlined profile.frame.type=native\n"
            "  0x707a4 do_sincos /lib/libm.so.6 :0 inlined profile.frame.type=native\n"
            "  0x707a4 __sin_fma /lib/libm.so.6 :0 profile.frame.type=native\n"
            "  0x27304 start_main_impl  :0 profile.frame.type=native\n"
            "  0x10a0 _start /tmp/t :0 profile.frame.type=native\n");
}

TEST(PerfScriptTest, SourceLinesBelongToTheFrameBeforeThem) {
  EXPECT_EQ(Read("t 1 1.0: cpu-clock: \n"
                 "\tffffffff821caab7 fault+0xd7 ([kernel.kallsyms])\n"
                 "  [kernel.kallsyms][ffffffff821caab7]\n"
                 "\t           704bc reduce+0x1fc\n"
                 "  s_sin.c:168 (inlined)\n"
                 "\t           704bc __sin_fma+0x1fc (/lib/libm.so.6)\n"
                 "  s_sin.c:235 (discriminator 3)\n"
                 "\t            10a0 _start+0x20 (/tmp/t)\n"
                 "  ??:0\n"),
            "cpu-clock/count period=0 time=1000000000+1\n"
            " sample thread.name=t thread.id=1 at=1000000000\n"
            "  0xffffffff821caab7 fault [kernel.kallsyms] :0 profile.frame.type=kernel\n"
            "  0x704bc reduce /lib/libm.so.6 s_sin.c:168 inlined profile.frame.type=native\n"
            "  0x704bc __sin_fma /lib/libm.so.6 s_sin.c:235 profile.frame.type=native\n"
            "  0x10a0 _start /tmp/t :0 profile.frame.type=native\n");
}

TEST(PerfScriptTest, SymbolsMayContainBlanksAndParentheses) {
  EXPECT_EQ(ReadFolded("t 1 1.0: cpu-clock: \n"
                       "\t  10 operator()(int, char) const+0x1 (/tmp/my lib (deleted))\n"
                       "\t  20 void f<int (*)(char)>() (/tmp/t)\n"
                       "\t  30 std::foo(int)+0x2\n"),
            "std::foo(int);void f<int (*)(char)>();operator()(int, char) const 1\n");
}

TEST(PerfScriptTest, ToleratesFieldsOmittedWithMinusF) {
  EXPECT_EQ(ReadFolded("\n\tffffffff821caab7 fault\n\t            a931 main\n\n"),
            "main;fault 1\n");
  EXPECT_EQ(ReadFolded("cpu-clock: \n\t    a931 main (/t)\n\ncpu-clock: \n\t    a931 main (/t)\n"),
            "main 2\n");
  EXPECT_EQ(ReadFolded("t  9192     250000 cycles: \n\tadd (/t)\n\tdead beef (/t)\n\tmain (/t)\n"),
            "main;beef;add 250000\n");
  EXPECT_EQ(ReadFolded("t 1240.193496: \n\t            a931 main\n"), "main 1\n");
}

TEST(PerfScriptTest, SampleWithoutCallGraphHasItsFrameOnTheSameLine) {
  EXPECT_EQ(
      ReadFolded("               t  9192  1240.193496:     250000 cpu-clock:  ffffffff821caab7 "
                 "fault+0xd7 ([kernel.kallsyms])\n"
                 "               t  9192  1240.193744:     250000 cpu-clock:      7f50b28a6831 "
                 "__sin_fma+0x571 (/lib/libm.so.6)\n"
                 "               t  9192  1240.194026:     250000 cpu-clock:  ffffffff821caab7 "
                 "fault+0xd7 ([kernel.kallsyms])\n"),
      "__sin_fma 250000\nfault 500000\n");
}

TEST(PerfScriptTest, SkipsPerfEventRecordsWithAWarning) {
  base::Warnings warnings;
  EXPECT_EQ(Read("perf-exec     0     0.000000: PERF_RECORD_COMM: perf-exec:9192/9192\n"
                 "t  9192  1240.193247: PERF_RECORD_COMM exec: t:9192/9192\n"
                 "t  9192  1240.2: probe:malloc: (7f12)\n",
                 &warnings),
            "probe:malloc/count period=0 time=1240200000000+1\n"
            " sample thread.name=t thread.id=9192 at=1240200000000\n");
  EXPECT_EQ(WarningText(warnings),
            "perf event skipped (2): PERF_RECORD_COMM\n"
            "text after an event skipped (1):  (7f12)\n"
            "timestamps count from boot, as perf prints them (1): probe:malloc\n");
}

TEST(PerfScriptTest, DoesNotAddTwoClocksOfOneRun) {
  const auto batch = ReadOne(kPerfScriptReader,
                             "t 1 1.0: 250000 cpu-clock: \n\t    a931 main (/t)\n\n"
                             "t 1 1.0: 250000 task-clock: \n\t    a931 main (/t)\n");
  ASSERT_TRUE(batch.ok()) << batch.status();
  std::string types;
  for (const model::SampleTypeView& type : model::ListSampleTypes(*batch)) {
    base::StrAppend(&types, type.type, "/", type.unit, " ");
  }
  EXPECT_EQ(types, "cpu/nanoseconds task-clock/nanoseconds ");
}

TEST(PerfScriptTest, ToleratesWindowsLineEnds) {
  EXPECT_EQ(ReadFolded("t 1 1.0: cycles: \r\n\t    a931 main (/t)\r\n\r\n"), "main 1\n");
}

TEST(PerfScriptTest, ReportsUnreadableLinesWithNumberAndText) {
  EXPECT_EQ(Read("t 1 1.0: cycles: \n\t    a931 main (/t)\nhello world\n"),
            "line 3: neither a sample nor a frame: \"hello world\"");
  EXPECT_EQ(Read("t 1 99999999999999999999.0 x\n"),
            "line 1: neither a sample nor a frame: \"t 1 99999999999999999999.0 x\"");
  EXPECT_EQ(Read("\t(inlined)\n"), "line 1: neither a sample nor a frame: \"\t(inlined)\"");
}

TEST(PerfScriptTest, FrameTypesComeFromModuleAddressAndSymbol) {
  const auto type = [](std::string_view symbol, std::string_view dso, uint64_t address = 1) {
    return FrameTypeOf({.address = address, .symbol = symbol, .dso = dso});
  };
  EXPECT_EQ(type("read", "[kernel.kallsyms]"), "kernel");
  EXPECT_EQ(type("read", "[ext4]"), "kernel");
  EXPECT_EQ(type("read", "/lib/modules/6.1/fs/ext4.ko.xz"), "kernel");
  EXPECT_EQ(type("", "", 0xffffffff81000000), "kernel");
  EXPECT_EQ(type("time", "[vdso]"), "native");
  EXPECT_EQ(type("time", "[vsyscall]", 0xffffffffff600000), "native");
  EXPECT_EQ(type("f", "/opt/my.kosher"), "native");
  EXPECT_EQ(type("Lcom/Foo;::run", "/tmp/perf-12.map"), "jvm");
  EXPECT_EQ(type("JS:~run app.js:1:2", "/tmp/perf-12.map"), "v8js");
  EXPECT_EQ(type("py::main:/app.py", "/tmp/perf-12.map"), "cpython");
}

TEST(PerfScriptTest, RecognisesOnlyACompleteHeader) {
  EXPECT_TRUE(
      kPerfScriptReader.recognises("# x\n\nt  9192  1240.193496:     250000 cpu-clock: \n"));
  EXPECT_TRUE(kPerfScriptReader.recognises("t  9192/9192 [000]  1240.193496: cycles: \n"));
  EXPECT_TRUE(kPerfScriptReader.recognises("t  9192     250000 cpu-clock: \n"));
  EXPECT_FALSE(kPerfScriptReader.recognises("main;run 12\n"));
  EXPECT_FALSE(kPerfScriptReader.recognises("heap profile: 3: 5\n"));
  EXPECT_FALSE(kPerfScriptReader.recognises("{\"a\": 1}"));
  EXPECT_FALSE(kPerfScriptReader.recognises(""));
}

}  // namespace
}  // namespace flarestack::codec::perfscript
