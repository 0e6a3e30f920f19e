// SPDX-License-Identifier: Apache-2.0
//
// Common parts of the commands that compare two sides: flags, loading, and the text on how they
// were compared.
#pragma once

#include <CLI/CLI.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "cli/input/stack_source.h"
#include "query/diff/diff.h"

namespace flarestack::cli {

struct ComparedStacks {
  LoadedStacks before;
  LoadedStacks after;
  query::Diff diff;
};

class Comparison {
 public:
  // Defines the norm, additional files for both sides, and the time range of the baseline on a
  // server.
  void DefineFlags(CLI::App* app);

  // True if any of these flags was given.
  bool is_requested() const;

  // Each side is a file, a page link, or a query to the server that `source` names
  // (comparison_side.h). If both are empty, compares the same query over two ranges. If only the
  // first is set, it is a link to a comparison page. Returns nullopt after reporting an error, and
  // sets `code` to the exit code.
  std::optional<ComparedStacks> Load(const std::string& before, const std::string& after,
                                     StackSource* source, int* code) const;

 private:
  using Pair = std::pair<LoadedStacks, LoadedStacks>;

  std::optional<Pair> LoadFiles(const std::string& before, const std::string& after,
                                StackSource* source, int* code) const;
  std::optional<Pair> LoadServer(const std::string& before, const std::string& after,
                                 StackSource* source, int* code) const;
  std::optional<Pair> LoadLinks(const std::string& before, const std::string& after,
                                StackSource* source, int* code) const;
  bool has_before_range() const { return !before_from_.empty() || !before_to_.empty(); }

  query::DiffOptions options_;
  std::string before_from_;
  std::string before_to_;
  std::vector<std::string> more_before_;
  std::vector<std::string> more_after_;
  std::vector<const CLI::Option*> flags_;
};

// URL of the page with the same comparison, plus the command's own values. Empty if the sides are
// files.
std::string LinkOf(const ComparedStacks& compared, PageValues values);

// "share"
std::string NormName(query::DiffNorm norm);

// "significant, p < 0.001" or "within noise, p = 0.3"
std::string SignificanceText(const query::Verdict& verdict);

// "cpu: 1.2 s -> 1.4 s (+200 ms, +16.7 %; significant, p < 0.001), 120 vs 140 samples"
std::string DiffHeadline(const query::Diff& diff);

// "compared per second"
std::string NormText(query::DiffNorm norm);

// "significance: bootstrap over 8 and 9 instances"
std::string NoiseTestText(const query::Diff& diff);

// "+1.2 s"
std::string SignedValue(double delta, std::string_view unit);

// "+16.7 %" or "new".
std::string ChangeText(std::optional<double> ratio);

}  // namespace flarestack::cli
