# SPDX-License-Identifier: Apache-2.0
#
# ./dev run: `flarestack up` in the foreground, with a shipped example in it, and what to do next. Flags go to it; data
# stays in build/run unless they say otherwise.

verb_run() {
  need_packages run
  verb_build
  local program=build/release/flarestack server line log
  log="$(log_file run)"
  [[ " $* " == *" --data-dir"* ]] || set -- --data-dir build/run "$@"

  say "the server, with a recorder of this machine; Ctrl-C to stop"
  : >"$log"
  "$program" up "$@" > >(tee "$log") &
  server=$!
  trap 'kill -TERM "$server" 2>/dev/null' INT TERM
  # The last line of its greeting says where to send; without one it has ended and said why.
  until line="$(grep -m 1 '^send to it:' "$log")"; do
    kill -0 "$server" 2>/dev/null || { wait "$server"; return; }
    sleep 0.1
  done
  try_it "$program" "${line##* }" "$(sed -n 's/^ *API *//p' "$log")"

  # A signal ends the first wait, and the server takes a moment to stop.
  wait "$server" || true
  wait "$server"
}

# try_it PROGRAM ENDPOINT API
try_it() {
  say "an example, sent as if it had been recorded now"
  show "$1 send --now --endpoint $2 testdata/examples/checkout.pb.gz" || return 0
  show "curl -s '$3/api/v1/export?format=pprof&type=cpu' | $1 top -n 6 -"
  say "what next"
  cat <<END
  What this machine does:       $1 top --server $3 -q '{service.name=~".+"}' --type cpu
  Send a profile of your own:   $1 send cpu.pb.gz --now --endpoint $2
  Point an OpenTelemetry SDK, agent or Collector at it: OTLP/HTTP at $2, OTLP/gRPC beside it
  Read back:                    curl '$3/api/v1/export?format=folded&from=now-1h'
  How it is doing:              curl '$3/metrics'
  Without a server:             $1 top cpu.pb.gz      and: tree, peek, lines, flame, diff, check, convert
  All commands:                 $1 help
END
}

# show COMMAND: prints it and runs it.
show() {
  printf '$ %s\n' "$1"
  bash -o pipefail -c "$1"
}
