// SPDX-License-Identifier: Apache-2.0
//
// `flame` on a pseudo terminal, which is its screen and keyboard.
#include <gtest/gtest.h>

#include <string>

#include "support/pseudo_terminal.h"
#include "support/run_program.h"

namespace flarestack::testing {
namespace {

TEST(FlameScreenTest, NavigatesZoomsSearchesAndRestoresTheTerminal) {
  PseudoTerminal terminal;
  if (!terminal.Open())
    GTEST_SKIP() << "cannot open a pseudo terminal";
  terminal.Start({"flame", Example("checkout.folded")});
  ASSERT_TRUE(terminal.WaitFor("all: "));
  terminal.Type("\x1b[B");
  ASSERT_TRUE(terminal.WaitFor("runtime.goexit: "));
  terminal.Type("\r");
  ASSERT_TRUE(terminal.WaitFor("100.00 % of zoomed"));
  terminal.Type("/tryBack\r");
  ASSERT_TRUE(terminal.WaitFor("tryBacktrack: "));
  terminal.Type("q");
  ASSERT_TRUE(terminal.WaitFor("\x1b[?25h\x1b[?1049l"));
  EXPECT_EQ(terminal.ExitCode(), 0);
}

TEST(FlameScreenTest, DiffShowsFiveNumbersForTheCursor) {
  PseudoTerminal terminal;
  if (!terminal.Open())
    GTEST_SKIP() << "cannot open a pseudo terminal";
  const TemporaryFolder folder;
  folder.Write("before", "main;parse 300\nmain;old 200\n");
  folder.Write("after", "main;parse 600\nmain;regex 100\n");
  terminal.Start(
      {"flame", "--diff", "--norm", "none", folder.path() + "/before", folder.path() + "/after"});
  ASSERT_TRUE(terminal.WaitFor("+ new  - gone"));
  ASSERT_TRUE(terminal.WaitFor("-old..."));
  ASSERT_TRUE(terminal.WaitFor("all: 500 -> 700, +200, x1.40"));
  terminal.Type("\x1b[B\x1b[B");
  ASSERT_TRUE(terminal.WaitFor("parse: 300 -> 600, +300, x2.00, 75.0 % of what was added"));
  terminal.Type("\x1b[C");
  ASSERT_TRUE(terminal.WaitFor("old: 200 -> 0, -200, gone, 100.0 % of what went away"));
  terminal.Type("/regex\r");
  ASSERT_TRUE(terminal.WaitFor("regex: 0 -> 100, +100, new, 25.0 % of what was added"));
  terminal.Type("q");
  ASSERT_TRUE(terminal.WaitFor("\x1b[?25h\x1b[?1049l"));
  EXPECT_EQ(terminal.ExitCode(), 0);
}

TEST(FlameScreenTest, InterruptRestoresTheTerminal) {
  PseudoTerminal terminal;
  if (!terminal.Open())
    GTEST_SKIP() << "cannot open a pseudo terminal";
  terminal.Start({"flame", Example("checkout.folded")});
  ASSERT_TRUE(terminal.WaitFor("all: "));
  terminal.Type("\x03");
  ASSERT_TRUE(terminal.WaitFor("\x1b[?25h\x1b[?1049l"));
  EXPECT_EQ(terminal.ExitCode(), 0);
}

}  // namespace
}  // namespace flarestack::testing
