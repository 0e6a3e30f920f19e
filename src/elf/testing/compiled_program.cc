// SPDX-License-Identifier: Apache-2.0
#include "elf/testing/compiled_program.h"

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sstream>

#include "base/check.h"
#include "base/text/text.h"

namespace flarestack::elf::testing {

WorkFolder::WorkFolder() {
  std::string name = (std::filesystem::temp_directory_path() / "flarestack_elf_XXXXXX").string();
  FLARE_CHECK(mkdtemp(name.data()) != nullptr, name);
  path_ = name;
}

WorkFolder::~WorkFolder() {
  std::error_code ignored;
  std::filesystem::remove_all(path_, ignored);
}

std::string WorkFolder::Path(std::string_view name) const { return base::StrCat(path_, "/", name); }

std::string WorkFolder::Write(std::string_view name, std::string_view contents) const {
  std::ofstream(Path(name), std::ios::binary) << contents;
  return Path(name);
}

std::string WorkFolder::Read(std::string_view name) const {
  std::ifstream in(Path(name), std::ios::binary);
  std::ostringstream all;
  all << in.rdbuf();
  return all.str();
}

bool WorkFolder::Run(const std::string& command) const {
  return std::system(base::StrCat("cd '", path_, "' && (", command, ") >log 2>&1").c_str()) == 0;
}

bool HasProgram(const std::string& name) {
  return std::system(base::StrCat("command -v ", name, " >/dev/null 2>&1").c_str()) == 0;
}

std::string_view MarkedSource() {
  return R"(volatile int sink;
static inline __attribute__((always_inline)) int Inner(int x) {  // inner starts
  sink = x * 3;  // inner stores
  return x + 1;
}
static inline __attribute__((always_inline)) int Middle(int x) {  // middle starts
  return Inner(x) * 2;  // middle calls inner
}
__attribute__((noinline)) int Outer(int x) {  // outer starts
  sink = x;  // outer stores
  int y = Middle(x);  // outer calls middle
  sink = y;  // outer stores again
  return y;
}
__attribute__((noinline)) int Lonely(int x) {  // lonely starts
  sink = x + 7;  // lonely stores
  return x;
}
int main(int argc, char** argv) {
  (void)argv;
  return Outer(argc) + Lonely(argc);
}
)";
}

std::string_view LargeSource() {
  return R"(#include <algorithm>
#include <cstdio>
#include <map>
#include <memory>
#include <stdexcept>
#include <string>
#include <vector>
int Elsewhere(const std::vector<int>& numbers);
namespace {
struct Shape {
  virtual ~Shape() = default;
  virtual double Area() const = 0;
};
template <int kSides>
struct Polygon : Shape {
  explicit Polygon(double side) : side_(side) {
    if (side < 0)
      throw std::invalid_argument("side " + std::to_string(side));
  }
  double Area() const override { return side_ * side_ * kSides / 4; }
  double side_;
};
template <typename T>
T Sum(const std::vector<T>& values) {
  T sum{};
  for (const T& value : values)
    sum += value;
  return sum;
}
}  // namespace
std::map<std::string, int> CountWords(const std::string& text) {
  std::map<std::string, int> counts;
  std::string word;
  for (const char c : text) {
    if (c == ' ') {
      ++counts[word];
      word.clear();
    } else {
      word += c;
    }
  }
  ++counts[word];
  return counts;
}
int main(int argc, char** argv) {
  std::vector<std::unique_ptr<Shape>> shapes;
  try {
    for (int i = -1; i < argc; ++i) {
      shapes.push_back(std::make_unique<Polygon<3>>(i));
      shapes.push_back(std::make_unique<Polygon<5>>(i * 2));
    }
  } catch (const std::exception& error) {
    std::puts(error.what());
  }
  std::sort(shapes.begin(), shapes.end(),
            [](const auto& a, const auto& b) { return a->Area() < b->Area(); });
  std::vector<int> lengths;
  std::vector<std::string> words;
  for (const auto& [word, count] : CountWords(argv[0])) {
    lengths.push_back(static_cast<int>(word.size()) * count);
    words.push_back(word + "!");
  }
  std::stable_sort(words.begin(), words.end(), std::greater<>());
  std::printf("%d %s %d\n", Sum(lengths), Sum(words).c_str(), Elsewhere(lengths));
  return 0;
}
)";
}

std::string_view LargeSourceOther() {
  return R"(#include <numeric>
#include <set>
#include <vector>
static int Square(int x) { return x * x; }
int Elsewhere(const std::vector<int>& numbers) {
  std::set<int> squares;
  for (const int number : numbers)
    squares.insert(Square(number));
  std::vector<int> sorted(squares.begin(), squares.end());
  return std::accumulate(sorted.begin(), sorted.end(), 0,
                         [](int a, int b) { return Square(a) + b; });
}
)";
}

uint32_t LineOf(std::string_view source, std::string_view marker) {
  const std::string text = base::StrCat("// ", marker, "\n");
  const size_t at = source.find(text);
  if (at == std::string_view::npos)
    return 0;
  uint32_t line = 1;
  for (const char c : source.substr(0, at))
    line += c == '\n' ? 1 : 0;
  return line;
}

}  // namespace flarestack::elf::testing
