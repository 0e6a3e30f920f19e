// SPDX-License-Identifier: Apache-2.0
import { defineConfig } from "vitest/config";

// The server for `npm run dev`: FLARESTACK_SERVER=http://127.0.0.1:4040.
const server = process.env["FLARESTACK_SERVER"] ?? "http://127.0.0.1:4040";

export default defineConfig({
  // Relative to the <base> of the page, so that the same files work under any path of a reverse proxy.
  base: "./",
  esbuild: { jsx: "automatic", jsxImportSource: "preact" },
  build: {
    target: "es2022",
    assetsInlineLimit: 0, // the content security policy does not allow data: for scripts and styles
    modulePreload: { polyfill: false },
    reportCompressedSize: false,
    rollupOptions: {
      output: {
        entryFileNames: "assets/[name]-[hash].js",
        chunkFileNames: "assets/[name]-[hash].js",
        assetFileNames: "assets/[name]-[hash][extname]",
      },
    },
  },
  server: {
    port: 5173,
    proxy: { "/api": server, "/s/": server },
  },
  test: { include: ["src/**/*.test.ts"], testTimeout: 120_000 }, // the machine may be busy
});
