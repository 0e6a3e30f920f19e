// SPDX-License-Identifier: Apache-2.0
#include "record/process/cgroup/cgroup_names.h"

#include <gtest/gtest.h>

#include <string>
#include <string_view>

#include "base/text/text.h"

namespace flarestack::record::agent {
namespace {

constexpr std::string_view kA = "1e2d3c4b5a69788796a5b4c3d2e1f00f1e2d3c4b5a69788796a5b4c3d2e1f00f";
constexpr std::string_view kB = "4bdc0a1f2e3d4c5b6a798897a6b5c4d3e2f1001f2e3d4c5b6a798897a6b5c4d3";
constexpr std::string_view kPod = "8f1c52f4-9d0e-4f6a-8a53-0f1b2c3d4e5f";

// Replaces A and B with ids, P and Q with the uid of a pod with dashes and underscores.
std::string Expand(std::string_view pattern) {
  std::string pod_with_underscores(kPod);
  for (char& c : pod_with_underscores)
    c = c == '-' ? '_' : c;
  std::string out;
  for (const char c : pattern) {
    switch (c) {
      case 'A':
        out += kA;
        break;
      case 'B':
        out += kB;
        break;
      case 'P':
        out += kPod;
        break;
      case 'Q':
        out += pod_with_underscores;
        break;
      default:
        out += c;
    }
  }
  return out;
}

// "id runtime pod unit", each "-" when empty.
std::string Describe(std::string_view pattern) {
  const CgroupNames names = ParseCgroupPath(Expand(pattern));
  const auto letter = [](std::string_view text) {
    return std::string(text == kA     ? "A"
                       : text == kB   ? "B"
                       : text == kPod ? "P"
                       : text.empty() ? "-"
                                      : text);
  };
  return base::StrCat(letter(names.container_id), " ", letter(names.runtime), " ",
                      letter(names.pod_uid), " ", letter(names.systemd_unit));
}

struct Golden {
  const char* path;
  const char* names;
};

TEST(CgroupNamesTest, ReadsEnginesOutsideKubernetes) {
  for (const auto& [path, names] : {
           Golden{"/docker/A", "A docker - -"},
           Golden{"/system.slice/docker-A.scope", "A docker - -"},
           Golden{"/system.slice/docker-A.scope/init.scope", "A docker - -"},
           Golden{"/my.slice/docker-A.scope", "A docker - -"},
           Golden{"/custom/A", "A - - -"},
           Golden{"/actions_job/A", "A docker - -"},
           Golden{"/system.slice/nerdctl-A.scope", "A containerd - -"},
           Golden{"/machine.slice/libpod-A.scope", "A podman - -"},
           Golden{"/machine.slice/libpod-A.scope/container", "A podman - -"},
           Golden{"/libpod_parent/libpod-A", "A podman - -"},
           Golden{"/libpod_parent/A", "A podman - -"},
           Golden{
               "/user.slice/user-1000.slice/user@1000.service/user.slice/libpod-A.scope/container",
               "A podman - -"},
           Golden{"/system.slice/web.service/libpod-payload-A", "A podman - -"},
           Golden{"/garden/6f265890-5165-7fab-6b52-18d1",
                  "6f265890-5165-7fab-6b52-18d1 garden - -"},
           Golden{"/system.slice/garden.service/garden/6f265890-5165-7fab-6b52-18d1",
                  "6f265890-5165-7fab-6b52-18d1 garden - -"},
           Golden{"/ecs/0123456789abcdef0123456789abcdef/A", "A - - -"},
           Golden{
               "/ecs/0123456789abcdef0123456789abcdef/0123456789abcdef0123456789abcdef-2550466187",
               "0123456789abcdef0123456789abcdef-2550466187 - - -"},
           Golden{"/ecstasks.slice/ecstasks-0123456789abcdef0123456789abcdef.slice/docker-A.scope",
                  "A docker - -"},
       }) {
    EXPECT_EQ(Describe(path), names) << path;
  }
}

TEST(CgroupNamesTest, ReadsKubernetes) {
  for (const auto& [path, names] : {
           Golden{"/kubepods/burstable/podP/A", "A - P -"},
           Golden{"/kubepods/podP/A", "A - P -"},
           Golden{"/kubepods/besteffort/pod0123456789abcdef0123456789abcdef/A",
                  "A - 0123456789abcdef0123456789abcdef -"},
           Golden{"/kubepods.slice/kubepods-podQ.slice/cri-containerd-A.scope", "A containerd P -"},
           Golden{"/kubepods.slice/kubepods-burstable.slice/kubepods-burstable-podQ.slice/"
                  "cri-containerd-A.scope",
                  "A containerd P -"},
           Golden{"/kubepods.slice/kubepods-besteffort.slice/kubepods-besteffort-podQ.slice/"
                  "crio-A.scope",
                  "A cri-o P -"},
           Golden{"/kubepods.slice/kubepods-besteffort.slice/kubepods-besteffort-podQ.slice/"
                  "crio-A.scope/container",
                  "A cri-o P -"},
           Golden{"/kubepods.slice/kubepods-besteffort.slice/kubepods-besteffort-podQ.slice/"
                  "docker-A.scope",
                  "A docker P -"},
           Golden{"/system.slice/containerd.service/kubepods-burstable-podQ.slice:cri-containerd:A",
                  "A containerd P -"},
           Golden{"/kubepods-besteffort-podQ.slice:cri-containerd:A", "A containerd P -"},
           Golden{"/kubepods/burstable/podP/crio-A", "A cri-o P -"},
           Golden{"/../../kubepods/burstable/podP/A", "A - P -"},
           Golden{"/../cri-containerd-A.scope", "A containerd - -"},
           Golden{"/kubepods.slice/kubepods-burstable.slice/kubepods-burstable-podQ.slice",
                  "- - P -"},
       }) {
    EXPECT_EQ(Describe(path), names) << path;
  }
}

TEST(CgroupNamesTest, InnermostContainerWins) {
  for (const auto& [path, names] : {
           Golden{"/docker/A/docker/B", "B docker - -"},
           Golden{"/docker/A/kubelet.slice/kubelet-kubepods.slice/kubelet-kubepods-burstable.slice/"
                  "kubelet-kubepods-burstable-podQ.slice/cri-containerd-B.scope",
                  "B containerd P -"},
           Golden{"/kubepods/podP/A/docker/B", "B docker P -"},
           Golden{"/docker/A/system.slice/nginx.service", "A docker - nginx.service"},
           Golden{"/system.slice/docker-A.scope/system.slice/cron.service",
                  "A docker - cron.service"},
       }) {
    EXPECT_EQ(Describe(path), names) << path;
  }
}

TEST(CgroupNamesTest, ContainerMonitorIsOutsideTheContainer) {
  EXPECT_EQ(Describe("/machine.slice/libpod-conmon-A.scope"), "- - - -");
  EXPECT_EQ(Describe("/kubepods.slice/kubepods-podQ.slice/crio-conmon-A.scope"), "- - P -");
}

TEST(CgroupNamesTest, ReportsSystemServicesButNotUserSessions) {
  for (const auto& [path, names] : {
           Golden{"/system.slice/nginx.service", "- - - nginx.service"},
           Golden{"/system.slice/nginx.service/workers/3", "- - - nginx.service"},
           Golden{"/system.slice/system-postgresql.slice/postgresql@15-main.service",
                  "- - - postgresql@15-main.service"},
           Golden{R"(/system.slice/my\x2dapp.service)", "- - - my-app.service"},
           Golden{"/batch.slice/report.service", "- - - report.service"},
           Golden{"/machine.slice/systemd-nspawn@web.service/payload/system.slice/cron.service",
                  "- - - cron.service"},
           Golden{"/user.slice/user-1000.slice/session-2.scope", "- - - -"},
           Golden{"/user.slice/user-1000.slice/user@1000.service/app.slice/editor.service",
                  "- - - -"},
           Golden{"/init.scope", "- - - -"},
           Golden{"/", "- - - -"},
           Golden{"", "- - - -"},
       }) {
    EXPECT_EQ(Describe(path), names) << path;
  }
}

TEST(CgroupNamesTest, RejectsTextThatOnlyLooksLikeAnId) {
  for (const char* path : {
           "/docker/buildx",
           "/docker/0123456789abcdef",
           "/docker/A0",
           "/docker/xA",
           "/system.slice/0123456789abcdef0123456789abcdef-2550466187",
           "/kubepods/podnot-a-uid/x",
           "/kubepods/pod8f1c52f4-9d0e-4f6a-8a53-0f1b2c3d4e5",
           "/lxc/web",
           "/tripod8f1c52f4-9d0e-4f6a-8a53-0f1b2c3d4e5f",
       }) {
    EXPECT_EQ(Describe(path), "- - - -") << path;
  }
}

TEST(CgroupNamesTest, ReadsAVeryDeepPathFromItsEnd) {
  std::string path = "/docker/A";
  for (int i = 0; i < 100'000; ++i)
    path += "/x";
  EXPECT_EQ(Describe(path), "- - - -");
  EXPECT_EQ(Describe(path + "/docker/B"), "B docker - -");
}

}  // namespace
}  // namespace flarestack::record::agent
