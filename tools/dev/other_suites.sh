# SPDX-License-Identifier: Apache-2.0
#
# Packages of other Debian suites, from the mirror of this machine, without installing them: unpacked into a folder, with all that
# they depend on. Programs in it run with their own libraries, see tools/runtimes/in_root.sh.

# suite_apt SUITE FOLDER PROGRAM [ARGUMENT...]: runs apt-get or apt-cache with a package list of its own in FOLDER, where no
# package is installed.
suite_apt() {
  local suite="$1" folder program="$3" mirror keyring
  folder="$(realpath --no-symlinks --canonicalize-missing "$2")"
  shift 3
  mirror="$(debian_sources | awk -v suite="$DEBIAN_SUITE" '$2 == suite && $3 == "main" { print $1; exit }')"
  keyring=/usr/share/keyrings/debian-archive-keyring.gpg
  [[ -f "$keyring" ]] && keyring="[signed-by=$keyring]" || keyring=""
  [[ -n "$mirror" ]] || return 1
  mkdir -p "$folder/lists/partial" "$folder/archives/partial"
  : >>"$folder/status"
  printf '%s %s %s %s main\n' deb "$keyring" "$mirror" "$suite" deb-src "$keyring" "$mirror" "$suite" >"$folder/sources.list"
  "$program" -o Dir::Etc::sourcelist="$folder/sources.list" -o Dir::Etc::sourceparts=/dev/null -o Dir::Etc::preferencesparts=/dev/null \
    -o Dir::State="$folder" -o Dir::State::status="$folder/status" -o Dir::Cache="$folder" -o APT::Sandbox::User=root \
    -o Debug::NoLocking=true -o APT::Install-Recommends=false -o APT::Update::Post-Invoke::=true "$@"
}

# unpack_packages SUITE ROOT PACKAGE...
unpack_packages() {
  local suite="$1" root="$2" apt="build/runtimes/apt-$1" file name
  shift 2
  update_suite "$suite" "$apt" || return 1
  rm -rf "$root" "$apt/archives"
  suite_apt "$suite" "$apt" apt-get install --yes --download-only "$@" || return 1
  mkdir -p "$root"/{proc,dev,tmp,usr/{bin,sbin,lib,lib64}}
  # Packages of these suites expect the merged /usr, which a package creates when it is installed.
  for name in bin sbin lib lib64; do
    ln -s "usr/$name" "$root/$name"
  done
  for file in "$apt"/archives/*.deb; do
    dpkg-deb --fsys-tarfile "$file" | tar --extract --keep-directory-symlink --directory "$root" || return 1
  done
  rm -rf "$apt/archives"
}

# download_source SUITE FOLDER PACKAGE: only the upstream tar file.
download_source() {
  local apt
  apt="$(realpath --no-symlinks --canonicalize-missing "build/runtimes/apt-$1")"
  update_suite "$1" "$apt" || return 1
  mkdir -p "$2"
  (cd "$2" && suite_apt "$1" "$apt" apt-get source --download-only --tar-only "$3")
}

# update_suite SUITE FOLDER: reads the package list once.
update_suite() {
  [[ ! -e "$2/updated" ]] || return 0
  suite_apt "$1" "$2" apt-get update || return 1
  [[ -n "$(find "$2/lists" -maxdepth 1 -name '*_Packages*')" ]] || return 1
  : >"$2/updated"
}
