# SPDX-License-Identifier: Apache-2.0
#
# ./dev package: builds the Debian packages flarestack and flarestack-dev of the release build in build/package.

verb_package() {
  need_packages build package
  build_ui
  build_preset release
  say "Debian package"
  cpack --config build/release/CPackConfig.cmake -B "$PWD/build/package" >"$(log_file package)" 2>&1 ||
    { cat "$(log_file package)"; return 1; }
  rm -rf build/package/_CPack_Packages
  local package
  for package in build/package/*.deb; do
    dpkg-deb --info "$package"
    dpkg-deb --contents "$package"
  done
  printf '%s\n' build/package/*.deb
}
