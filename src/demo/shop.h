// SPDX-License-Identifier: Apache-2.0
//
// The cast of the story: five services, each on one or two hosts.
//
//   storefront --> checkout --> inventory
//      | `------------|------------^
//      |              `--------> payments
//      `--> recommendations
#pragma once

#include <array>
#include <compare>
#include <cstdint>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "demo/code/shop_code.h"

namespace flarestack::demo {

// An attribute of the story: text or an integer.
struct Attribute {
  std::string_view key;  // static text
  std::variant<std::string, int64_t> value;
};

using Attributes = std::vector<Attribute>;

enum class Service : uint8_t { kStorefront, kCheckout, kInventory, kPayments, kRecommendations };

inline constexpr std::array kServices = {Service::kStorefront, Service::kCheckout,
                                         Service::kInventory, Service::kPayments,
                                         Service::kRecommendations};

struct ServiceFacts {
  Service service;
  std::string_view name;
  std::string_view version;     // for checkout, the old version
  std::string_view language;    // telemetry.sdk.language
  std::string_view executable;  // path of the mapped file
  std::string_view build_id;    // of that file; for checkout, of the old version
  std::string_view worker;      // name prefix of threads that serve requests; a number follows
  std::string_view helper;      // the thread for everything else
  uint32_t instance_count;
  double background_ticks;  // per instance and second
  Code background;
  Code queued;
  uint64_t memory_bytes;  // in addition to the heap
};

const ServiceFacts& FactsOf(Service service);

inline constexpr std::string_view kOldVersion = "1.4.1";
inline constexpr std::string_view kNewVersion = "1.4.2";

// One running program.
struct Process {
  Service service = Service::kStorefront;
  uint32_t instance = 0;
  bool is_new_version = false;

  friend auto operator<=>(const Process&, const Process&) = default;
};

std::string_view VersionOf(const Process& process);
int64_t PidOf(const Process& process);
std::string BuildIdOf(const Process& process);  // of its executable
Attributes ResourceOf(const Process& process);

// Workers have numbers 0 to kWorkers - 1; kWorkers is the thread for everything else.
inline constexpr uint32_t kWorkers = 32;
Attributes ThreadOf(const Process& process, uint32_t thread);

// The scope of everything the services send.
inline constexpr std::string_view kScopeName = "shop";

}  // namespace flarestack::demo
