# SPDX-License-Identifier: Apache-2.0
#
# The UI of the server: ui/dist, which the build embeds. It needs Node 18.20 or newer and npm, from Debian or elsewhere. If
# these or the npm packages are not available, the program is built without a UI and reports that.

# Uses an installed npm, or installs Debian's. Runs in a subshell: without npm there is no UI, but the build continues.
have_npm() {
  command -v npm >/dev/null || (need_packages ui) >"$(log_file npm)" 2>&1 || true
  hash -r
  command -v npm >/dev/null
}

ui_packages_are_there() {
  local name
  for name in vitest vite tsc biome; do
    [[ -x "ui/node_modules/.bin/$name" ]] || return 1
  done
  for name in playwright-core axe-core; do
    [[ -f "ui/node_modules/$name/package.json" ]] || return 1
  done
}

# Installs the packages of the lock file. Debian 12's npm fails after a complete installation, so check the result instead.
install_ui_packages() {
  ui_packages_are_there && return 0
  # `npm ci` fails if the registry lacks packages of other platforms; `npm install` needs only those of ours.
  (cd ui && { npm ci --no-audit --no-fund || npm install --no-audit --no-fund --no-save; }) >"$(log_file ui-packages)" 2>&1 || true
  ui_packages_are_there
}

build_ui() {
  if ! have_npm; then
    echo "dev: npm is not available; building the server without a UI"
    return 0
  fi
  ui_is_built && return 0
  say "UI"
  { install_ui_packages && (cd ui && npm run --silent build) >"$(log_file ui)" 2>&1; } ||
    echo "dev: cannot build the UI; see build/log/ui*.log. The server gets the previous UI, or none"
}

# Succeeds if nothing has changed since the last build.
ui_is_built() {
  [[ -f ui/dist/index.html.gz && -f ui/dist/viewer.html.gz ]] &&
    [[ -z "$(find ui/src ui/public ui/tools ui/*.html ui/package*.json ui/vite*.ts -newer ui/dist/index.html.gz -print -quit)" ]]
}

# Checks format, lint rules, types, tests, build, and the download size of the first screen.
check_ui() {
  (cd ui && npm run --silent check)
}

# browser_tests REPORT: tests all pages in a browser, with the program of the preset dev. Status 77: no browser.
browser_tests() {
  (cd ui && node --test-reporter=spec --test-reporter-destination=stdout --test-reporter=tap --test-reporter-destination="$1" e2e/run.mjs)
}
