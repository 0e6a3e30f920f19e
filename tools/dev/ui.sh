# SPDX-License-Identifier: Apache-2.0
#
# The pages of the server: ui/dist, which the build embeds. They need Node 18.20 or newer and npm, Debian's or others;
# where these or their packages cannot be had, the program is built without pages and says so.

has_npm() {
  command -v npm >/dev/null || (need_packages ui) || true
  command -v npm >/dev/null
}

# The packages of the lock file. Debian 12's npm ends with an error after a complete installation, so the result counts.
install_ui_packages() {
  [[ -x ui/node_modules/.bin/vitest ]] && return 0
  # A registry that has not the packages of all platforms makes `npm ci` fail; `npm install` needs those of ours alone.
  (cd ui && { npm ci --no-audit --no-fund || npm install --no-audit --no-fund --no-save; }) >"$(log_file ui-packages)" 2>&1 || true
  [[ -x ui/node_modules/.bin/vitest && -x ui/node_modules/.bin/vite && -x ui/node_modules/.bin/tsc ]]
}

build_ui() {
  if ! has_npm; then
    echo "dev: npm cannot be installed: the server will have its API alone, without pages"
    return 0
  fi
  ui_is_built && return 0
  say "the pages"
  { install_ui_packages && (cd ui && npm run --silent build) >"$(log_file ui)" 2>&1; } ||
    echo "dev: the pages could not be built; see build/log/ui*.log. The server will have those of before, or none"
}

# Whether nothing changed since the last build.
ui_is_built() {
  [[ -f ui/dist/index.html.gz && -f ui/dist/viewer.html.gz ]] &&
    [[ -z "$(find ui/src ui/public ui/tools ui/*.html ui/package*.json ui/vite*.ts -newer ui/dist/index.html.gz -print -quit)" ]]
}

# Types, tests, build, and the size of what the first screen loads.
check_ui() {
  (cd ui && npm run --silent check)
}
