// SPDX-License-Identifier: Apache-2.0
#include "model/builder/intern_table.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace flarestack::model {
namespace {

// Interns words with a very bad hash, and counts the calls of the hash function.
class Words {
 public:
  uint32_t Index(const std::string& word) {
    const auto next = static_cast<uint32_t>(words_.size());
    const uint32_t index = table_.FollowOrAdd(
        next,
        [&] {
          ++hashed;
          return uint64_t{word.size()};
        },
        [&](uint32_t at) { return words_[at] == word; });
    if (index == next)
      words_.push_back(word);
    return index;
  }

  int hashed = 0;

 private:
  InternTable table_;
  std::vector<std::string> words_;
};

TEST(InternTable, ReturnsTheSameIndexInAnyOrder) {
  Words words;
  std::vector<std::string> texts;
  for (int i = 0; i < 300; ++i)
    texts.push_back(std::to_string(i * 7919));
  for (uint32_t i = 0; i < texts.size(); ++i)
    EXPECT_EQ(words.Index(texts[i]), i);
  for (const size_t step : {size_t{1}, size_t{7}, size_t{299}}) {
    for (size_t k = 0; k < texts.size(); ++k) {
      const size_t i = k * step % texts.size();
      EXPECT_EQ(words.Index(texts[i]), i);
    }
  }
}

TEST(InternTable, DoesNotHashKeysThatRepeatInOrder) {
  Words words;
  const std::vector<std::string> texts = {"a", "bb", "ccc", "dddd", "eeeee", "ffffff"};
  for (const std::string& text : texts)
    words.Index(text);
  for (const std::string& text : texts)
    words.Index(text);
  words.hashed = 0;
  for (const std::string& text : texts)
    words.Index(text);
  EXPECT_EQ(words.hashed, 1);  // the first, which follows the last
}

}  // namespace
}  // namespace flarestack::model
