#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Records this host, sends the profiles through the OpenTelemetry Collector, and checks that none are lost.

    tools/interop/agent.py PROGRAM COLLECTOR FOLDER

    flarestack agent --> Collector --> flarestack serve     every request of the agent arrives, completely
    flarestack agent --> Collector --> FOLDER               the Collector's messages pass `check --strict`

Over gRPC and HTTP. Needs root, like the agent. Exits with 1 if anything is lost or rejected.
"""

import os
import re
import signal
import subprocess
import sys
import tempfile
import time

import catcher
import processes

RECORDED_SECONDS = 3


def record(program, endpoint, folder):
    """Runs the agent for a while and returns its log and exit status."""
    log_path = os.path.join(folder, "agent.log")
    with processes.Process([program, "agent", "--endpoint", endpoint, "-F", "99", "--interval", "500ms",
                            "--metrics-interval", "1s"], log_path) as agent:
        time.sleep(RECORDED_SECONDS)
        agent.process.send_signal(signal.SIGTERM)
        agent.process.wait(processes.PATIENCE_SECONDS)
        return agent.log(), agent.process.returncode


def endpoint_of(collector, protocol):
    return f"grpc://{collector.grpc}" if protocol == "gRPC" else f"http://{collector.http}"


def into_server(program, collector_program, protocol):
    """Returns the problems, one per line."""
    with tempfile.TemporaryDirectory() as folder, processes.Serve(program, folder) as serve, processes.Collector(
            collector_program, {"otlp_grpc": {"endpoint": serve.grpc, "tls": "{insecure: true}"}}, folder) as collector:
        said, status = record(program, endpoint_of(collector, protocol), folder)
        sent = re.search(r"sent (\d+) of (\d+) requests", said)
        if status != 0 or not sent or sent[1] != sent[2] or int(sent[1]) == 0:
            return [f"the agent exited with {status}: {said.strip()[-300:]}"]

        def requests(kind):
            return serve.counters().get(("otlp_requests_total", f'signal="{kind}"'), 0)

        processes.wait_for(lambda: requests("profiles") >= int(sent[1]) and requests("metrics") > 0)
        wrong = []
        if requests("profiles") != int(sent[1]):
            wrong.append(f"{sent[1]} requests of profiles sent, {requests('profiles')} arrived")
        if requests("metrics") == 0:
            wrong.append("no agent metrics arrived")
        wrong += [f"{name}{{{labels}}} is {value}" for (name, labels), value in serve.counters().items()
                  if value and name in ("otlp_requests_failed_total", "otlp_items_rejected_total")]
        wrong += [f"the Collector: {line}" for line in collector.log().splitlines() if "Exporting failed" in line]
        if not wrong:
            print(f"{protocol:<5} {sent[1]} requests of profiles and {requests('metrics')} of metrics arrived")
        return wrong


def into_files(program, collector_program, protocol, folder):
    with tempfile.TemporaryDirectory() as scratch, catcher.Catcher() as receiver, processes.Collector(
            collector_program, {"otlp_http": {"endpoint": receiver.url, "compression": "none", "encoding": "proto"}},
            scratch) as collector:
        record(program, endpoint_of(collector, protocol), scratch)
        processes.wait_for(lambda: any(path.endswith("/profiles") for path, _ in receiver.requests))
        paths = []
        for number, (path, body) in enumerate(list(receiver.requests)):
            if path.endswith("/profiles"):
                paths.append(os.path.join(folder, f"agent-{protocol}-{number}.otlp"))
                with open(paths[-1], "wb") as file:
                    file.write(body)
    if not paths:
        return ["the Collector forwarded no profiles"]
    check = subprocess.run([program, "check", "--strict", *paths], capture_output=True, text=True, check=False)
    if check.returncode != 0:
        return [f"check --strict: {line}" for line in (check.stdout + check.stderr).splitlines()[:8]]
    print(f"{protocol:<5} {len(paths)} messages of the Collector pass check --strict")
    return []


def main():
    program, collector_program, folder = sys.argv[1:]
    os.makedirs(folder, exist_ok=True)
    wrong = []
    for protocol in ("gRPC", "HTTP"):
        wrong += into_server(program, collector_program, protocol)
        wrong += into_files(program, collector_program, protocol, folder)
    print("\n".join(wrong) if wrong else "all profiles passed through the Collector unchanged")
    sys.exit(1 if wrong else 0)


main()
