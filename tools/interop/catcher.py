# SPDX-License-Identifier: Apache-2.0
"""A server that accepts any POST and stores the bytes, to inspect what a sender puts on the wire."""

import http.server
import threading


class Catcher:
    def __init__(self):
        self.requests = []  # path and body of each

        class Handler(http.server.BaseHTTPRequestHandler):
            def do_POST(handler):  # the name is part of the interface of http.server
                body = handler.rfile.read(int(handler.headers["Content-Length"]))
                self.requests.append((handler.path, body))
                handler.send_response(200)
                handler.send_header("Content-Type", handler.headers["Content-Type"])
                handler.send_header("Content-Length", "0")
                handler.end_headers()

            def log_message(handler, *_):
                pass

        self.server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.url = f"http://127.0.0.1:{self.server.server_port}"

    @property
    def bodies(self):
        return [body for _, body in self.requests]

    def __enter__(self):
        threading.Thread(target=self.server.serve_forever, daemon=True).start()
        return self

    def __exit__(self, *_):
        self.server.shutdown()
        self.server.server_close()
