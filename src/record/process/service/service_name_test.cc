// SPDX-License-Identifier: Apache-2.0
#include "record/process/service/service_name.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <string>
#include <string_view>
#include <vector>

#include "base/text/encoding.h"
#include "base/text/text.h"
#include "record/process/service/script_name.h"

namespace flarestack::record::agent {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

std::string Words(std::vector<std::string_view> words) {
  std::string text;
  for (const std::string_view word : words) {
    text += word;
    text += '\0';
  }
  return text;
}

std::string Script(std::string_view executable, const std::string& command_line) {
  return ScriptName(ScriptPath(executable, command_line));
}

TEST(FindVariableTest, MatchesWholeNamesAndIgnoresATruncatedEnd) {
  const std::string environment = Words({"A=1", "AB=2", "EMPTY=", "LAST=x"});
  EXPECT_EQ(FindVariable(environment, "A"), "1");
  EXPECT_EQ(FindVariable(environment, "AB"), "2");
  EXPECT_EQ(FindVariable(environment, "EMPTY"), "");
  EXPECT_EQ(FindVariable(environment, "B"), "");
  EXPECT_EQ(FindVariable(environment, "LAST"), "x");
  EXPECT_EQ(FindVariable(environment.substr(0, environment.size() - 1), "LAST"), "");
  EXPECT_EQ(FindVariable("", "A"), "");
}

TEST(ScriptNameTest, ShellsRunScriptsOrCommands) {
  EXPECT_EQ(Script("/usr/bin/bash", Words({"bash", "/srv/build.sh", "-c", "x"})), "build.sh");
  EXPECT_EQ(Script("/usr/bin/dash", Words({"/bin/sh", "-e", "./configure"})), "configure");
  EXPECT_EQ(Script("/bin/bash", Words({"bash", "-o", "pipefail", "+x", "run.bash"})), "run.bash");
  EXPECT_EQ(Script("/bin/bash", Words({"bash", "--norc", "run.sh"})), "run.sh");
  for (const char* option : {"-c", "-ec", "-lc", "-s"})
    EXPECT_EQ(Script("/bin/sh", Words({"sh", option, "cut -f 1 /tmp/x"})), "") << option;
  EXPECT_EQ(Script("/bin/bash", Words({"-bash"})), "");
  EXPECT_EQ(Script("/bin/bash", Words({"bash", "/dev/fd/3"})), "");
  EXPECT_TRUE(IsShell("/usr/bin/dash"));
  EXPECT_FALSE(IsShell("/usr/bin/shfmt"));
  EXPECT_FALSE(IsShell("/usr/bin/python3"));
}

TEST(ExecutableNameTest, NameOfAFileInMemoryOmitsThePath) {
  EXPECT_EQ(ExecutableName("/usr/bin/cut"), "cut");
  EXPECT_EQ(ExecutableName("/memfd:runc_cloned:/proc/self/exe"), "memfd:runc_cloned");
  EXPECT_EQ(ExecutableName("/memfd:jit"), "memfd:jit");
}

TEST(ServiceNameTest, NamesOfKernelThreadsOmitTheProcessor) {
  ProcessTexts texts;
  texts.thread_name = "kworker/3:1-events";
  EXPECT_EQ(IdentifyService({.texts = texts}).name, "kworker");
  texts.thread_name = "kswapd0";
  EXPECT_EQ(IdentifyService({.texts = texts}).name, "kswapd0");
}

TEST(ServiceNameTest, StarterWinsOverTheExecutable) {
  ProcessTexts texts;
  texts.executable = "/usr/bin/cut";
  const ServiceIdentity cut = IdentifyService({.starter = "build", .texts = texts});
  EXPECT_EQ(cut.name, "build");
  EXPECT_EQ(cut.rule, ServiceNameRule::kStarter);
  texts.environment = Words({"OTEL_SERVICE_NAME=cart"});
  EXPECT_EQ(IdentifyService({.starter = "build", .texts = texts}).name, "cart");
}

TEST(ResourceAttributesTest, PercentDecodesValues) {
  EXPECT_THAT(ParseResourceAttributes(" a = 1 ,b.c=x%20y%2Cz%3d,d=,e=f=g,")
                  .value_or(std::vector<TextAttribute>{}),
              ElementsAre(TextAttribute{"a", "1"}, TextAttribute{"b.c", "x y,z="},
                          TextAttribute{"d", ""}, TextAttribute{"e", "f=g"}));
}

TEST(ResourceAttributesTest, LastDuplicateKeyWins) {
  EXPECT_THAT(ParseResourceAttributes("a=1,b=2,a=3").value_or(std::vector<TextAttribute>{}),
              ElementsAre(TextAttribute{"a", "3"}, TextAttribute{"b", "2"}));
}

TEST(ResourceAttributesTest, DiscardsEverythingIfAnyPartIsBad) {
  for (const char* text : {"a", "a=1,b", "=1", "a=%", "a=%4", "a=%zz", "a=%ff", "a=1, =2"})
    EXPECT_EQ(ParseResourceAttributes(text), std::nullopt) << text;
  std::string many;
  for (int i = 0; i < 128; ++i)
    many += base::StrCat("k", i, "=v,");
  EXPECT_TRUE(ParseResourceAttributes(many).has_value());
  EXPECT_FALSE(ParseResourceAttributes(many + "one=more").has_value());
}

TEST(ScriptNameTest, NamesScriptsOfInterpreters) {
  const auto name = [](std::vector<std::string_view> words) {
    return Script(words[0], Words(words));
  };
  EXPECT_EQ(name({"/usr/bin/python3.11", "-u", "/srv/shop/cart.py", "--port", "80"}), "cart.py");
  EXPECT_EQ(name({"/usr/bin/python3", "-W", "ignore", "-m", "http.server", "80"}), "http.server");
  EXPECT_EQ(name({"python3", "/srv/shop/__main__.py"}), "__main__.py");
  EXPECT_EQ(name({"python3", "/usr/local/bin/gunicorn", "app:app"}), "gunicorn");
  EXPECT_EQ(name({"python3", "-c", "print(1)"}), "");
  EXPECT_EQ(name({"python3"}), "");
  EXPECT_EQ(name({"python3", "-"}), "");
  EXPECT_EQ(name({"/usr/bin/node", "--require", "./trace.js", "--max-old-space-size=99",
                  "/srv/front/index.js"}),
            "index.js");
  EXPECT_EQ(name({"nodejs", "index.js"}), "index.js");
  EXPECT_EQ(name({"node", "server.mjs"}), "server.mjs");
  EXPECT_EQ(name({"node", "-e", "1"}), "");
  EXPECT_EQ(name({"ruby3.1", "-I", "lib", "/srv/jobs.rb"}), "jobs.rb");
  EXPECT_EQ(name({"perl", "-w", "/usr/bin/report.pl"}), "report.pl");
  EXPECT_EQ(name({"perl5.36.0", "-e", "1"}), "");
  EXPECT_EQ(name({"php8.2", "-d", "a=b", "-f", "/srv/queue.php"}), "queue.php");
  EXPECT_EQ(
      name({"/opt/jdk/bin/java", "-Xmx1g", "-cp", "a.jar:b.jar", "-jar", "/srv/shop-1.2.jar"}),
      "shop-1.2");
  EXPECT_EQ(name({"java", "-cp", "lib/*", "--add-opens", "java.base/java.lang=ALL-UNNAMED",
                  "com.example.Main", "x"}),
            "com.example.Main");
}

TEST(ScriptNameTest, OtherProgramsHaveNoScriptName) {
  EXPECT_EQ(Script("/usr/sbin/nginx", Words({"nginx", "-g", "daemon off;"})), "");
  EXPECT_EQ(Script("/usr/bin/pythonista", Words({"pythonista", "x.py"})), "");
  EXPECT_EQ(Script("", ""), "");
  EXPECT_EQ(Script("/usr/bin/python3", ""), "");
}

ServiceIdentity Identify(std::string_view context, std::string_view unit,
                         const ProcessTexts& texts) {
  return IdentifyService({.context_service_name = context, .systemd_unit = unit, .texts = texts});
}

TEST(ServiceNameTest, BestRuleWins) {
  ProcessTexts texts = {
      .environment = Words({"OTEL_SERVICE_NAME=by-variable",
                            "OTEL_RESOURCE_ATTRIBUTES=service.name=by-attributes,service.version=2,"
                            "deployment.environment.name=prod"}),
      .command_line = Words({"python3", "/srv/by-script.py"}),
      .executable = "/usr/bin/python3.11",
      .thread_name = "by-thread"};
  const auto expect = [&](std::string_view context, std::string_view unit, std::string_view name,
                          ServiceNameRule rule) {
    const ServiceIdentity identity = Identify(context, unit, texts);
    EXPECT_EQ(identity.name, name);
    EXPECT_EQ(NameOf(identity.rule), NameOf(rule));
  };
  expect("by-context", "by-unit.service", "by-context", ServiceNameRule::kProcessContext);
  expect("", "by-unit.service", "by-variable", ServiceNameRule::kServiceNameVariable);
  texts.environment =
      Words({"OTEL_SERVICE_NAME=", "OTEL_RESOURCE_ATTRIBUTES=service.name=by-attr"});
  expect("", "by-unit.service", "by-attr", ServiceNameRule::kResourceAttributesVariable);
  texts.environment.clear();
  expect("", "by-unit.service", "by-unit", ServiceNameRule::kSystemdUnit);
  expect("", "", "by-script.py", ServiceNameRule::kScript);
  texts.command_line.clear();
  expect("", "", "python3.11", ServiceNameRule::kExecutable);
  texts.executable.clear();
  expect("", "", "by-thread", ServiceNameRule::kThreadName);
  texts.thread_name.clear();
  expect("", "", "unknown_service", ServiceNameRule::kThreadName);
}

// Returns the name of a program started in /srv/shop.
std::string NameInShop(std::string_view executable, std::vector<std::string_view> words) {
  return Identify("", "",
                  {.command_line = Words(std::move(words)),
                   .executable = std::string(executable),
                   .working_directory = "/srv/shop"})
      .name;
}

TEST(ServiceNameTest, ProgramsWithTheSameBaseNameAreSeparateServices) {
  EXPECT_EQ(NameInShop("/srv/w", {"./w"}), "w");
  EXPECT_EQ(NameInShop("/usr/bin/python3.11", {"python3", "w.py"}), "w.py");
  EXPECT_EQ(NameInShop("/usr/bin/node", {"node", "w.js"}), "w.js");
}

TEST(ServiceNameTest, QualifiesGenericNamesByTheirFolder) {
  EXPECT_EQ(NameInShop("/opt/cart/bin/main", {"main"}), "cart/main");
  EXPECT_EQ(NameInShop("/usr/bin/node", {"node", "index.js"}), "shop/index.js");
  EXPECT_EQ(NameInShop("/usr/bin/node", {"node", "dist/server.js"}), "shop/server.js");
  EXPECT_EQ(NameInShop("/usr/bin/node", {"node", "/srv/front/index.js"}), "front/index.js");
  EXPECT_EQ(NameInShop("/usr/bin/python3", {"python3", "-m", "app"}), "shop/app");
  EXPECT_EQ(NameInShop("/usr/bin/java", {"java", "-jar", "/srv/billing/app.jar"}),
            "billing/app.jar");
}

TEST(ServiceNameTest, KeepsOtherAttributesForEveryNameRule) {
  const ProcessTexts texts = {
      .environment = Words({"OTEL_RESOURCE_ATTRIBUTES=service.version=2,service.name=x,"
                            "deployment.environment.name=prod"}),
      .executable = "/bin/a"};
  EXPECT_THAT(Identify("context", "", texts).attributes,
              ElementsAre(TextAttribute{"service.version", "2"},
                          TextAttribute{"deployment.environment.name", "prod"}));
  EXPECT_THAT(Identify("", "", {.executable = "/bin/a"}).attributes, IsEmpty());
}

TEST(ServiceNameTest, NameIsShortAndValidUtf8) {
  std::string long_name = "/bin/";
  for (int i = 0; i < 200; ++i)
    long_name += "\xc3\xa4";
  const std::string name = Identify("", "", {.executable = long_name}).name;
  EXPECT_TRUE(base::IsValidUtf8(name));
  EXPECT_LE(name.size(), 255u);
  EXPECT_GE(name.size(), 250u);
  const std::string broken = Identify("", "",
                                      {.executable = "/bin/a\xff"
                                                     "b"})
                                 .name;
  EXPECT_TRUE(base::IsValidUtf8(broken));
}

TEST(ServiceNameTest, IdentifiesAChildByItsEnvironment) {
  int ready[2];
  ASSERT_EQ(pipe(ready), 0);
  const pid_t pid = fork();
  if (pid == 0) {
    dup2(ready[1], STDOUT_FILENO);
    const char* const arguments[] = {"/bin/sh", "-c", "echo x; read line", nullptr};
    const char* const environment[] = {"OTEL_SERVICE_NAME=cart", nullptr};
    int never[2];
    if (pipe(never) == 0 && dup2(never[0], STDIN_FILENO) == STDIN_FILENO)
      execve("/bin/sh", const_cast<char**>(arguments), const_cast<char**>(environment));
    _exit(127);
  }
  close(ready[1]);
  char byte = 0;
  ASSERT_EQ(read(ready[0], &byte, 1), 1);
  close(ready[0]);
  const auto texts = ReadProcessTexts(pid);
  kill(pid, SIGKILL);
  waitpid(pid, nullptr, 0);
  ASSERT_TRUE(texts.ok()) << texts.status();
  EXPECT_EQ(texts->thread_name, "sh");
  EXPECT_EQ(texts->command_line, Words({"/bin/sh", "-c", "echo x; read line"}));
  const ServiceIdentity identity = Identify("", "", *texts);
  EXPECT_EQ(identity.name, "cart");
  EXPECT_EQ(ReadProcessTexts(pid).status().code(), absl::StatusCode::kNotFound);
}

}  // namespace
}  // namespace flarestack::record::agent
