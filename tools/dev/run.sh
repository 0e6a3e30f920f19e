# SPDX-License-Identifier: Apache-2.0
#
# ./dev run: starts `flarestack up` in the foreground, sends it a shipped example, and prints next steps. Passes flags on;
# the data directory is build/run by default.

verb_run() {
  need_packages run
  verb_build
  local program=build/release/flarestack server line log
  log="$(log_file run)"
  [[ " $* " == *" --data-dir"* ]] || set -- --data-dir build/run "$@"

  say "server with a recorder of this machine; Ctrl-C to stop"
  : >"$log"
  "$program" up "$@" > >(tee "$log") &
  server=$!
  trap 'kill -TERM "$server" 2>/dev/null' INT TERM
  # The last line of its greeting has the endpoint. If the server ends before that, it has printed why.
  until line="$(grep -m 1 '^send to it:' "$log")"; do
    kill -0 "$server" 2>/dev/null || { wait "$server"; return; }
    sleep 0.1
  done
  try_it "$program" "${line##* }" "$(sed -n 's/^ *UI and API *//p' "$log")"

  # A signal interrupts the first wait; the second waits until the server has stopped.
  wait "$server" || true
  wait "$server"
}

# try_it PROGRAM ENDPOINT API
try_it() {
  say "example profile, sent as if recorded now"
  show "$1 send --now --endpoint $2 testdata/examples/checkout.pb.gz" || return 0
  show "curl -s '$3/api/v1/export?format=pprof&type=cpu' | $1 top -n 6 -"
  say "next steps"
  cat <<END
  Profile of this machine:      $1 top --server $3 -q '{service.name=~".+"}' --type cpu
  Send your own profile:        $1 send cpu.pb.gz --now --endpoint $2
  Point an OpenTelemetry SDK, agent or Collector at it: OTLP/HTTP at $2, OTLP/gRPC as printed above
  Read back:                    curl '$3/api/v1/export?format=folded&from=now-1h'
  Server metrics:               curl '$3/metrics'
  Without a server:             $1 top cpu.pb.gz      and: tree, peek, lines, flame, diff, check, convert
  All commands:                 $1 help
END
}

# show COMMAND: prints and runs the command.
show() {
  printf '$ %s\n' "$1"
  bash -o pipefail -c "$1"
}
