# SPDX-License-Identifier: Apache-2.0
#
# Checks that need no build. Each is a function that prints its complaints and fails.

CHECKS=(check_format check_layers check_tree check_shell)

# Prints the C++ files of the tree, NUL-separated.
cpp_files() {
  local directory directories=()
  for directory in src tests bench include tools; do
    [[ ! -d "$directory" ]] || directories+=("$directory")
  done
  ((${#directories[@]} == 0)) ||
    find "${directories[@]}" -type f \( -name '*.h' -o -name '*.cc' \) -print0 | sort -z
}

check_format() { cpp_files | xargs -0 -r clang-format-14 --dry-run --Werror; }

check_layers() { python3 tools/check_layers.py; }

check_tree() { python3 tools/check_tree.py; }

check_shell() {
  local script failed=0
  for script in dev .ci/run tools/pre-commit tools/*.sh tools/dev/*.sh packaging/debian/p*; do
    [[ ! -e "$script" ]] || bash -n "$script" || failed=1
  done
  return "$failed"
}
