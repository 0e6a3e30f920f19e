# SPDX-License-Identifier: Apache-2.0
#
# The pages of the server: ui/dist, which the build embeds. They need Node 18.20 or newer and npm; without them, or where
# the packages cannot be had, the program is built without pages and says so.

build_ui() {
  if ! command -v npm >/dev/null; then
    echo "dev: npm is not installed: the server will have its API alone, without pages"
    return 0
  fi
  ui_is_built && return 0
  say "the pages"
  (cd ui && { [[ -d node_modules ]] || npm ci --no-audit --no-fund; } && npm run --silent build) >"$(log_file ui)" 2>&1 ||
    echo "dev: the pages could not be built; see build/log/ui.log. The server will have those of before, or none"
}

# Whether nothing changed since the last build.
ui_is_built() {
  [[ -f ui/dist/index.html.gz ]] &&
    [[ -z "$(find ui/src ui/public ui/tools ui/index.html ui/package-lock.json ui/vite.config.ts -newer ui/dist/index.html.gz -print -quit)" ]]
}

# Types, tests, and the size of what the first screen loads; nothing where npm is not.
check_ui() {
  command -v npm >/dev/null || return 0
  (cd ui && { [[ -d node_modules ]] || npm ci --no-audit --no-fund; } && npm run --silent check)
}
