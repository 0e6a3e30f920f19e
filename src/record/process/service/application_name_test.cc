// SPDX-License-Identifier: Apache-2.0
#include "record/process/service/application_name.h"

#include <gtest/gtest.h>
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/compress/compress.h"
#include "base/text/text.h"
#include "record/process/service/jar_manifest.h"
#include "record/process/service/package_name.h"
#include "record/process/service/script_name.h"

namespace flarestack::record::agent {
namespace {

std::string CommandLine(const std::vector<std::string_view>& words) {
  std::string text;
  for (const std::string_view word : words)
    text.append(word).push_back('\0');
  return text;
}

// Files that do not exist are opened in vain.
class ApplicationNameTest : public ::testing::Test {
 protected:
  ApplicationName Find(std::string_view executable, const std::vector<std::string_view>& words,
                       std::string environment = "") {
    return FindApplicationName({.environment = std::move(environment),
                                .command_line = CommandLine(words),
                                .executable = std::string(executable),
                                .working_directory = "/srv/shop"},
                               [this](const std::string& path) { return Open(path); });
  }
  std::string Name(std::string_view executable, const std::vector<std::string_view>& words,
                   std::string environment = "") {
    return Find(executable, words, std::move(environment)).name;
  }

  absl::StatusOr<base::Descriptor> Open(const std::string& path) {
    opened_.push_back(path);
    const auto found = files_.find(path);
    if (found == files_.end())
      return absl::NotFoundError(path);
    base::Descriptor file(memfd_create("test", MFD_CLOEXEC));
    const std::string& text = found->second;
    if (write(file.get(), text.data(), text.size()) != static_cast<ssize_t>(text.size()))
      return absl::ErrnoToStatus(errno, path);
    return file;
  }

  std::map<std::string, std::string> files_;  // by path
  std::vector<std::string> opened_;
};

constexpr std::string_view kPython = "/usr/bin/python3.11";

TEST_F(ApplicationNameTest, PythonServersServeAnApplication) {
  EXPECT_EQ(Name(kPython, {"python3", "/usr/bin/gunicorn", "-w", "4", "cart.wsgi:app"}), "cart");
  EXPECT_EQ(Name(kPython, {"python3", "/usr/bin/gunicorn", "-k", "uvicorn.workers.UvicornWorker",
                           "-b", "localhost:8000", "cart.api.v2:make_app()"}),
            "cart");
  EXPECT_EQ(Name(kPython, {"python3", "/usr/bin/gunicorn", "-w", "4", "cart.wsgi"}), "cart");
  EXPECT_EQ(Name(kPython, {"python3", "-m", "uvicorn", "cart.main:app", "--port", "80"}), "cart");
  EXPECT_EQ(Name(kPython, {"python3", "/usr/bin/uvicorn", "--host", "0.0.0.0", "main:app"}),
            "shop/main");
  EXPECT_EQ(Name(kPython, {"gunicorn: worker [cart.wsgi:app]"}), "cart");
  EXPECT_EQ(Name(kPython, {"python3", "/usr/bin/flask", "--app", "cart", "run"}), "cart");
  EXPECT_EQ(
      Name(kPython, {"python3", "-m", "flask", "run"}, CommandLine({"FLASK_APP=services/cart.py"})),
      "cart");
  EXPECT_EQ(Find(kPython, {"python3", "-m", "uvicorn", "cart.main:app"}).rule,
            ApplicationRule::kServed);
}

TEST_F(ApplicationNameTest, OtherPythonProgramsHaveNoApplication) {
  EXPECT_EQ(Name(kPython, {"python3", "cart.py", "wsgi:app"}), "");
  EXPECT_EQ(Name(kPython, {"python3", "/usr/bin/gunicorn", "--config", "cart"}), "");
  EXPECT_EQ(Name(kPython, {"python3", "/usr/bin/gunicorn", "-b", "0.0.0.0:80"}), "");
  EXPECT_EQ(Name(kPython, {"python3", "/usr/bin/gunicorn"}), "");
  EXPECT_EQ(Name(kPython, {"python3"}), "");
  EXPECT_EQ(Name("/usr/sbin/nginx", {"nginx", "cart.wsgi:app"}), "");
  EXPECT_TRUE(opened_.empty());
}

constexpr std::string_view kJava = "/opt/jdk/bin/java";

TEST_F(ApplicationNameTest, SpringHasANameOnTheCommandLineOrInTheEnvironment) {
  EXPECT_EQ(Name(kJava, {"java", "-Dspring.application.name=cart", "-jar", "app.jar"}), "cart");
  EXPECT_EQ(Name(kJava, {"java", "-jar", "app.jar", "--spring.application.name=cart"}), "cart");
  EXPECT_EQ(
      Name(kJava, {"java", "com.example.Main"}, CommandLine({"SPRING_APPLICATION_NAME=cart"})),
      "cart");
  EXPECT_EQ(Name(kJava, {"java", "com.example.Main"}), "");
}

// A zip file with one deflated entry, as `jar` writes it.
std::string Jar(std::string_view name, std::string_view text) {
  std::string packed = base::Deflate(text);
  packed = packed.substr(2, packed.size() - 6);  // neither the head nor the checksum of zlib
  const auto number = [](uint64_t value, size_t bytes) {
    std::string out;
    for (size_t i = 0; i < bytes; ++i)
      out.push_back(static_cast<char>(value >> (8 * i)));
    return out;
  };
  const std::string sizes = number(0, 4) + number(packed.size(), 4) + number(text.size(), 4);
  const std::string file = number(0x04034b50, 4) + number(20, 2) + number(0, 2) + number(8, 2) +
                           number(0, 4) + sizes + number(name.size(), 2) + number(0, 2) +
                           std::string(name) + packed;
  const std::string entry = number(0x02014b50, 4) + number(20, 2) + number(20, 2) + number(0, 2) +
                            number(8, 2) + number(0, 4) + sizes + number(name.size(), 2) +
                            number(0, 2) + number(0, 2) + number(0, 2) + number(0, 2) +
                            number(0, 4) + number(0, 4) + std::string(name);
  return file + entry + number(0x06054b50, 4) + number(0, 4) + number(1, 2) + number(1, 2) +
         number(entry.size(), 4) + number(file.size(), 4) + number(0, 2);
}

absl::StatusOr<std::string> ManifestOf(std::string_view jar) {
  return ReadJarManifest(jar.size(), [&](uint64_t offset, size_t bytes) {
    return absl::StatusOr<std::string>(
        std::string(jar.substr(std::min<uint64_t>(offset, jar.size()), bytes)));
  });
}

TEST_F(ApplicationNameTest, JarHasATitle) {
  files_["/app.jar"] =
      Jar("META-INF/MANIFEST.MF",
          "Manifest-Version: 1.0\r\nimplementation-title: The shopping ca\r\n rt\r\n\r\nName: "
          "x\r\nImplementation-Title: other\r\n");
  const ApplicationName found = Find(kJava, {"java", "-Xmx1g", "-jar", "/app.jar"});
  EXPECT_EQ(found.name, "The shopping cart");
  EXPECT_EQ(found.rule, ApplicationRule::kJarTitle);
  EXPECT_EQ(Name(kJava, {"java", "@options", "-jar", "missing.jar"}), "");
  EXPECT_EQ(opened_.back(), "/srv/shop/missing.jar");
  files_["/generic.jar"] = Jar("META-INF/MANIFEST.MF", "Implementation-Title: app\n");
  EXPECT_EQ(Name(kJava, {"java", "-jar", "/generic.jar"}), "");
}

TEST(JarManifestTest, DamagedFilesAreErrors) {
  const std::string jar = Jar("META-INF/MANIFEST.MF", "A: b\n");
  EXPECT_EQ(ManifestOf(jar).value_or("?"), "A: b\n");
  EXPECT_EQ(ManifestOf(jar + "comment").status().code(), absl::StatusCode::kOk);
  EXPECT_EQ(ManifestOf(Jar("other", "A: b\n")).status().code(), absl::StatusCode::kNotFound);
  // The last two bytes are the length of a comment, which is optional.
  for (size_t bytes = 0; bytes + 2 < jar.size(); ++bytes)
    EXPECT_FALSE(ManifestOf(jar.substr(0, bytes)).ok()) << bytes;
  for (size_t at = 0; at < jar.size(); ++at) {  // no crash, whatever is damaged
    for (const char byte : {'\0', '\xff', '\x80'}) {
      std::string damaged = jar;
      damaged[at] = byte;
      (void)ManifestOf(damaged);
    }
  }
}

TEST(JarManifestTest, ValuesContinueOnLinesThatBeginWithASpace) {
  EXPECT_EQ(ManifestValue("A: 1\nB:2\n", "b"), "2");
  EXPECT_EQ(ManifestValue("A: 1\n 2\n 3\nB: 4", "A"), "123");
  EXPECT_EQ(ManifestValue("AB: 1\n\nA: 2\n", "A"), "");
  EXPECT_EQ(ManifestValue("A:", "A"), "");
}

constexpr std::string_view kNode = "/usr/bin/node";

TEST_F(ApplicationNameTest, NodeProgramsHaveTheNameOfTheirPackage) {
  files_["/srv/cart/package.json"] = R"({"version": "1", "name": "@acme/cart"})";
  EXPECT_EQ(Name(kNode, {"node", "/srv/cart/dist/src/index.js"}), "@acme/cart");
  EXPECT_EQ(Name(kNode, {"node", "/srv/cart"}), "@acme/cart");
  EXPECT_EQ(Name(kNode, {"node", "/srv/cart/node_modules/next/dist/bin/next", "start"}),
            "@acme/cart");
  // A package.json without a name only says how to read the files of its folder.
  files_["/srv/cart/dist/package.json"] = R"({"type": "module"})";
  EXPECT_EQ(Name(kNode, {"node", "/srv/cart/dist/index.js"}), "@acme/cart");
  EXPECT_EQ(Find(kNode, {"node", "/srv/cart/dist/index.js"}).rule, ApplicationRule::kPackage);
}

TEST_F(ApplicationNameTest, NodeProgramsMayHaveNoPackage) {
  EXPECT_EQ(Name(kNode, {"node", "index.js"}), "");
  EXPECT_EQ(opened_,
            (std::vector<std::string>{"/srv/shop/index.js/package.json", "/srv/shop/package.json",
                                      "/srv/package.json", "/package.json"}));
  EXPECT_EQ(Name(kNode, {"node", "-e", "1"}), "");
  files_["/app/package.json"] = R"({"name": "app"})";
  EXPECT_EQ(Name(kNode, {"node", "/app/index.js"}), "");
}

TEST(PackageNameTest, ReadsTheTopLevelName) {
  EXPECT_EQ(PackageName(R"({"a": {"name": "inner"}, "name": "cart"})"), "cart");
  EXPECT_EQ(PackageName(R"({"a": {"name": "inner"}})"), "");
  for (const char* text : {"", "{", "[]", "1", R"({"name": 1})", R"(["name", "x"])"})
    EXPECT_EQ(PackageName(text), "") << text;
}

TEST(ScriptNameTest, RecognizesMultiprocessingChildren) {
  EXPECT_TRUE(IsMultiprocessingChild(
      CommandLine({"/usr/bin/python3", "-c", "from multiprocessing.spawn import spawn_main; ...",
                   "--multiprocessing-fork"})));
  EXPECT_FALSE(IsMultiprocessingChild(CommandLine({"python3", "-c", "print(1)"})));
}

}  // namespace
}  // namespace flarestack::record::agent
