# SPDX-License-Identifier: Apache-2.0
#
# The pages of the server: ui/dist, which the build embeds. They need Node 18.20 or newer and npm, Debian's or others;
# where these or their packages cannot be had, the program is built without pages and says so.

# npm of the system, or Debian's. In a subshell: where it cannot be had there are no pages, and that is no reason to stop.
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

# The packages of the lock file. Debian 12's npm ends with an error after a complete installation, so the result counts.
install_ui_packages() {
  ui_packages_are_there && return 0
  # A registry that has not the packages of all platforms makes `npm ci` fail; `npm install` needs those of ours alone.
  (cd ui && { npm ci --no-audit --no-fund || npm install --no-audit --no-fund --no-save; }) >"$(log_file ui-packages)" 2>&1 || true
  ui_packages_are_there
}

build_ui() {
  if ! have_npm; then
    echo "dev: npm is not installed, and could not be: the server will have its API alone, without pages"
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

# Format, lint rules, types, tests, build, and the size of what the first screen loads.
check_ui() {
  (cd ui && npm run --silent check)
}

# browser_tests REPORT: all pages in a browser, against the program of the preset dev. Status 77: there is no browser.
browser_tests() {
  (cd ui && node --test-reporter=spec --test-reporter-destination=stdout --test-reporter=tap --test-reporter-destination="$1" e2e/run.mjs)
}
