// SPDX-License-Identifier: Apache-2.0
//
// Findings that only the OTLP/JSON reader can see, because a batch does not show them. Private to
// check.
#pragma once

#include <string>
#include <string_view>

#include "check/path.h"
#include "check/report.h"
#include "codec/otlp/json/json_observer.h"

namespace flarestack::check {

class JsonFindings : public codec::otlp::JsonObserver {
 public:
  // Both must outlive this object. `root` is the path of the message.
  JsonFindings(const Path& root, Collector* findings) : root_(root), findings_(*findings) {}

  void OnUnknownMember(std::string_view name, MakePath path) override;
  void OnUnreadableId(std::string_view name, std::string_view text, MakePath path) override;

 private:
  void Add(Rule rule, MakePath path, Collector::MakeMessage message);

  const Path& root_;
  Collector& findings_;
};

}  // namespace flarestack::check
