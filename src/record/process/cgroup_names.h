// SPDX-License-Identifier: Apache-2.0
//
// What the path of a cgroup says about who runs in it: which container, pod and service. Container
// engines write their ids into paths, each in its own way:
//
//   /kubepods.slice/kubepods-pod8f1c....slice/cri-containerd-4bdc....scope
//   /docker/4bdc...
//   /system.slice/nginx.service
//
// Of nested containers the innermost counts.
#pragma once

#include <string>
#include <string_view>

namespace flarestack::record::agent {

struct CgroupNames {
  std::string container_id;  // mostly 64 digits; empty outside of containers
  // "docker", "containerd", "cri-o", "podman", "garden"; empty where the path does not say. Lives
  // for ever.
  std::string_view runtime;
  std::string pod_uid;  // of Kubernetes, with dashes
  // "nginx.service"; of the system or of what runs inside of the container, never of a user's
  // session. Escapes of systemd ("\x2d") are undone.
  std::string systemd_unit;

  friend bool operator==(const CgroupNames&, const CgroupNames&) = default;
};

CgroupNames ParseCgroupPath(std::string_view path);

}  // namespace flarestack::record::agent
