# SPDX-License-Identifier: Apache-2.0
"""Runs the programs of an interop test as child processes on free loopback ports."""

import os
import re
import socket
import subprocess
import time
import urllib.error
import urllib.request

PATIENCE_SECONDS = 30


def wait_for(condition):
    """Returns the first true result of `condition`, or None after a timeout."""
    end = time.monotonic() + PATIENCE_SECONDS
    while time.monotonic() < end:
        result = condition()
        if result:
            return result
        time.sleep(0.02)
    return None


def http(url, body=None):
    """Returns status and body; status 0 if the server is unreachable."""
    request = urllib.request.Request(url, body, {"Content-Type": "application/json"} if body else {})
    try:
        with urllib.request.urlopen(request, timeout=PATIENCE_SECONDS) as response:
            return response.status, response.read().decode("utf-8")
    except urllib.error.HTTPError as error:
        return error.code, error.read().decode("utf-8", "replace")
    except OSError as error:
        return 0, str(error)


def free_port():
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


class Process:
    """A process that is stopped at the end of the `with` block. Its output goes to a file."""

    def __init__(self, command, log):
        self.log_path = log
        with open(log, "wb") as output:
            self.process = subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=output, stderr=output)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.process.terminate()
        try:
            self.process.wait(PATIENCE_SECONDS)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()

    def log(self):
        with open(self.log_path, encoding="utf-8", errors="replace") as file:
            return file.read()

    def wait_until(self, condition):
        answer = wait_for(lambda: condition() or self.process.poll() is not None)
        if not answer or self.process.poll() is not None:
            self.__exit__()  # the `with` block was not entered yet
            raise RuntimeError(f"{self.process.args[0]} did not start:\n{self.log()}")


class Serve(Process):
    """flarestack serve, with a data directory in `folder`."""

    def __init__(self, program, folder):
        anywhere = "127.0.0.1:0"
        super().__init__([program, "serve", "--data-dir", os.path.join(folder, "data"), "--otlp-grpc", anywhere,
                          "--otlp-http", anywhere, "--http", anywhere], os.path.join(folder, "serve.log"))
        self.wait_until(lambda: "send to it" in self.log())
        self.grpc, self.otlp_http, self.api = (self.after(label) for label in ("OTLP/gRPC", "OTLP/HTTP", "UI and API"))

    def after(self, label):
        return re.search(rf"{label} +(\S+)", self.log())[1]

    def counters(self):
        """{(name without prefix, labels): value} of /metrics."""
        _, text = http(f"{self.api}/metrics")
        rows = re.findall(r"^flarestack_(\w+)\{(.*)\} (\d+)$", text, re.MULTILINE)
        return {(name, labels): int(value) for name, labels, value in rows}


class Collector(Process):
    """The Collector with one exporter for all four signals."""

    def __init__(self, program, exporter, folder):
        self.grpc, self.http = (f"127.0.0.1:{free_port()}" for _ in range(2))
        config = os.path.join(folder, "collector.yaml")
        with open(config, "w", encoding="utf-8") as file:
            file.write(self.settings(exporter))
        super().__init__([program, "--config", config, "--feature-gates=service.profilesSupport"],
                         os.path.join(folder, "collector.log"))
        self.wait_until(lambda: "Everything is ready" in self.log())

    def settings(self, exporter):
        name = next(iter(exporter))
        lines = [f"    {key}: {value}" for key, value in exporter[name].items()]
        signals = [f"    {signal}: {{receivers: [otlp], exporters: [{name}]}}"
                   for signal in ("traces", "metrics", "logs", "profiles")]
        # No retries, so that a failed export is visible immediately.
        return "\n".join(["receivers:", "  otlp:", "    protocols:", f"      grpc: {{endpoint: {self.grpc}}}",
                          f"      http: {{endpoint: {self.http}}}", "exporters:", f"  {name}:", *lines,
                          "    retry_on_failure: {enabled: false}", "service:", "  telemetry: {metrics: {level: none}}",
                          "  pipelines:", *signals, ""])
