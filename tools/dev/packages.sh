# SPDX-License-Identifier: Apache-2.0
#
# The Debian 12 packages we need, by purpose. docs/dependencies.md explains the libraries.

packages_for() {
  case "$1" in
    build)
      echo g++ cmake ninja-build ccache python3-minimal
      echo libabsl-dev libprotozero-dev zlib1g-dev libdeflate-dev libzstd-dev liblz4-dev libsnappy-dev
      echo libxxhash-dev
      echo libfmt-dev nlohmann-json3-dev libsimdjson-dev libcli11-dev libre2-dev librocksdb-dev
      echo libboost-dev libgrpc++-dev libssl-dev libcurl4-openssl-dev libyaml-cpp-dev
      echo libelf-dev libdw-dev liblzma-dev libseccomp-dev
      # For the recorder's BPF programs.
      echo libbpf-dev bpftool clang-14
      ;;
    # clang's run-time library is for the fuzz targets, protobuf for the oracle. elfutils and debuginfod serve for comparison
    # and as a server. musl's functions have no unwind tables, which the recorder must handle. Programs of Python, Java and
    # Node.js are recorded.
    test)
      echo libgtest-dev libgmock-dev libprotobuf-dev protobuf-compiler libclang-rt-14-dev
      echo elfutils debuginfod musl-tools mold python3
      command -v javac >/dev/null || echo openjdk-17-jdk-headless
      command -v node >/dev/null || echo nodejs
      # Runs the UI tests.
      [[ -n "${FLARESTACK_CHROMIUM:-}" ]] || command -v chromium >/dev/null || echo chromium
      ;;
    # Builds the UI, unless npm is already installed.
    ui) command -v npm >/dev/null || echo nodejs npm ;;
    run) echo curl ;;
    # For ./dev runtimes: Debian's runtimes, unless others are installed, and what downloads more.
    runtimes)
      echo python3
      python3 -m pip --version >/dev/null 2>&1 || echo python3-pip
      command -v javac >/dev/null || echo openjdk-17-jdk-headless
      command -v npm >/dev/null || echo nodejs npm
      ;;
    package) echo dpkg-dev file ;;
    bench) echo libbenchmark-dev libgtest-dev libgmock-dev libprotobuf-dev protobuf-compiler ;;
    checks) echo python3-minimal clang-format-14 ;;
    format) echo clang-format-14 ;;
    lint) echo clang-tidy-14 ;;
    cleanroom) echo debootstrap procps ;;
    # For ./dev arm64: compiler and emulators of the other architecture.
    arm64) echo g++-aarch64-linux-gnu qemu-user-static qemu-system-arm cpio kmod e2fsprogs ;;
    amd64) echo g++-x86-64-linux-gnu qemu-user-static qemu-system-x86 cpio kmod e2fsprogs ;;
    kernels) [[ "$(uname -m)" == aarch64 ]] && echo qemu-system-arm || echo qemu-system-x86; echo busybox-static cpio binutils ;;
    *) die "no package list for '$1'" ;;
  esac
}

# need_packages PURPOSE...: installs only the missing packages.
need_packages() {
  local purpose package missing=()
  if ! command -v dpkg-query >/dev/null; then
    echo "dev: not a Debian system; tools/dev/packages.sh lists the required packages" >&2
    return 0
  fi
  for purpose in "$@"; do
    for package in $(packages_for "$purpose"); do
      is_installed "$package" || missing+=("$package")
    done
  done
  ((${#missing[@]} == 0)) || install_packages "${missing[@]}"
}

is_installed() {
  [[ "$(dpkg-query --show --showformat='${db:Status-Status}' "$1" 2>/dev/null)" == installed ]]
}

# --no-remove, because some Debian -dev packages conflict: better to stop than to break a machine.
install_packages() {
  local as_root=()
  echo "dev: installing $*"
  if (($(id -u) != 0)); then
    command -v sudo >/dev/null ||
      die "packages are missing, and installing them needs root or sudo; as root: apt-get install --no-install-recommends $*"
    as_root=(sudo)
    [[ -t 0 ]] || as_root=(sudo -n)
  fi
  "${as_root[@]}" env DEBIAN_FRONTEND=noninteractive apt-get update -q
  "${as_root[@]}" env DEBIAN_FRONTEND=noninteractive \
    apt-get install -q -y --no-install-recommends --no-remove "$@" </dev/null
}
