// SPDX-License-Identifier: Apache-2.0
#include "demo/shop.h"

#include <algorithm>

#include "base/text/text.h"

namespace flarestack::demo {
namespace {

constexpr uint64_t kMebibyte = 1 << 20;

constexpr ServiceFacts kFacts[] = {{.service = Service::kStorefront,
                                    .name = "storefront",
                                    .version = "7.0.3",
                                    .language = "nodejs",
                                    .executable = "/usr/bin/node",
                                    .build_id = "5a0c1f0b7c9a4c7f8e1d2b3a4958677685a4b3c2",
                                    .worker = "node-worker",
                                    .helper = "node",
                                    .instance_count = 2,
                                    .background_ticks = 1.2,
                                    .background = Code::kStorefrontBackground,
                                    .queued = Code::kStorefrontQueued,
                                    .memory_bytes = 62 * kMebibyte},
                                   {.service = Service::kCheckout,
                                    .name = "checkout",
                                    .version = kOldVersion,
                                    .language = "cpp",
                                    .executable = "/srv/shop/checkout",
                                    .build_id = "e2b61d1f40c85a97b3d20c6f7e518a9402c3d4e5",
                                    .worker = "checkout",
                                    .helper = "checkout",
                                    .instance_count = 2,
                                    .background_ticks = 1.2,
                                    .background = Code::kCheckoutBackground,
                                    .queued = Code::kCheckoutQueued,
                                    .memory_bytes = 18 * kMebibyte},
                                   {.service = Service::kInventory,
                                    .name = "inventory",
                                    .version = "2.11.0",
                                    .language = "java",
                                    .executable = "/usr/lib/jvm/java-21-openjdk-amd64/bin/java",
                                    .build_id = "0b8f4a5c6d7e8f90a1b2c3d4e5f60718293a4b5c",
                                    .worker = "stock-worker",
                                    .helper = "GC Thread#0",
                                    .instance_count = 1,
                                    .background_ticks = 3.0,
                                    .background = Code::kInventoryBackground,
                                    .queued = Code::kInventoryQueued,
                                    .memory_bytes = 140 * kMebibyte},
                                   {.service = Service::kPayments,
                                    .name = "payments",
                                    .version = "0.9.1",
                                    .language = "go",
                                    .executable = "/srv/shop/payments",
                                    .build_id = "7d6c5b4a39281706f5e4d3c2b1a0998877665544",
                                    .worker = "payments",
                                    .helper = "payments",
                                    .instance_count = 1,
                                    .background_ticks = 1.0,
                                    .background = Code::kPaymentsBackground,
                                    .queued = Code::kPaymentsQueued,
                                    .memory_bytes = 12 * kMebibyte},
                                   {.service = Service::kRecommendations,
                                    .name = "recommendations",
                                    .version = "3.2.0",
                                    .language = "python",
                                    .executable = "/usr/bin/python3.11",
                                    .build_id = "91e2d3c4b5a6978812034f5e6d7c8b9aa0b1c2d3",
                                    .worker = "gthread",
                                    .helper = "gunicorn",
                                    .instance_count = 1,
                                    .background_ticks = 0.8,
                                    .background = Code::kRecommendationsBackground,
                                    .queued = Code::kRecommendationsQueued,
                                    .memory_bytes = 44 * kMebibyte}};

}  // namespace

const ServiceFacts& FactsOf(Service service) { return kFacts[static_cast<size_t>(service)]; }

std::string_view VersionOf(const Process& process) {
  return process.is_new_version ? kNewVersion : FactsOf(process.service).version;
}

int64_t PidOf(const Process& process) {
  constexpr int64_t kFirst = 2100;
  return kFirst + static_cast<int64_t>(process.service) * 400 + process.instance * 100 +
         (process.is_new_version ? 50 : 0);
}

std::string BuildIdOf(const Process& process) {
  std::string id(FactsOf(process.service).build_id);
  if (process.is_new_version)
    std::ranges::reverse(id);
  return id;
}

Attributes ResourceOf(const Process& process) {
  const ServiceFacts& facts = FactsOf(process.service);
  const uint32_t number = process.instance + 1;
  return {{"service.name", std::string(facts.name)},
          {"service.namespace", "shop"},
          {"service.version", std::string(VersionOf(process))},
          {"service.instance.id", base::StrCat(facts.name, "-", number)},
          {"deployment.environment.name", "production"},
          {"host.name", base::StrCat("shop-", number)},
          {"process.pid", PidOf(process)},
          {"process.executable.path", std::string(facts.executable)},
          {"telemetry.sdk.language", std::string(facts.language)}};
}

Attributes ThreadOf(const Process& process, uint32_t thread) {
  const ServiceFacts& facts = FactsOf(process.service);
  const bool is_worker = thread < kWorkers;
  const std::string name =
      is_worker ? base::StrCat(facts.worker, "-", thread) : std::string(facts.helper);
  return {{"thread.id", PidOf(process) + 1 + (is_worker ? thread : kWorkers)},
          {"thread.name", name}};
}

}  // namespace flarestack::demo
