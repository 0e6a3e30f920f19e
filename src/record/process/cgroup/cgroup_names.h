// SPDX-License-Identifier: Apache-2.0
//
// Derives the container, pod and service from a cgroup path. Container engines write their ids into
// paths, each in its own format:
//
//   /kubepods.slice/kubepods-pod8f1c....slice/cri-containerd-4bdc....scope
//   /docker/4bdc...
//   /system.slice/nginx.service
//
// For nested containers, the innermost one counts.
#pragma once

#include <string>
#include <string_view>

namespace flarestack::record::agent {

struct CgroupNames {
  std::string container_id;  // usually 64 digits; empty outside of containers
  // "docker", "containerd", "cri-o", "podman", "garden"; empty if the path does not say. Static
  // storage.
  std::string_view runtime;
  std::string pod_uid;  // Kubernetes pod, with dashes
  // "nginx.service"; a unit of the system or of the inside of a container, never of a user session.
  // systemd escapes ("\x2d") are decoded.
  std::string systemd_unit;

  friend bool operator==(const CgroupNames&, const CgroupNames&) = default;
};

CgroupNames ParseCgroupPath(std::string_view path);

}  // namespace flarestack::record::agent
