// SPDX-License-Identifier: Apache-2.0
//
// dist/viewer.html: the page of one-file profiles, with its script and its style in it. The program puts the data where
// the marker stands. Its policy lets nothing run but that script, and nothing be fetched from anywhere.
import { createHash } from "node:crypto";
import { defineConfig, type Plugin } from "vite";

const hashOf = (text: string): string => `'sha256-${createHash("sha256").update(text).digest("base64")}'`;

function inOneFile(): Plugin {
  return {
    name: "in-one-file",
    enforce: "post",
    generateBundle(_, bundle) {
      const page = bundle["viewer.html"];
      if (page?.type !== "asset") throw new Error("there is no viewer.html");
      let html = String(page.source);
      let script = "";
      let style = "";
      for (const [name, file] of Object.entries(bundle)) {
        if (file.type === "chunk") script += file.code;
        else if (name.endsWith(".css")) style += String(file.source);
        else continue;
        delete bundle[name];
      }
      // What ends a script in the eyes of HTML may stand in a text of it.
      script = script.trim().replace(/<(\/script|!--)/gi, "\\x3c$1");
      if (/<\/style/i.test(style)) throw new Error("the style would end its element");
      html = html.replace(/^\s*<(?:script|link)\b[^>]*(?:src|href)="\.\/[^>]*>(?:<\/script>)?\n/gm, "");
      const policy = [
        "default-src 'none'",
        `script-src ${hashOf(script)}`,
        `style-src ${hashOf(style)}`,
        "img-src data: blob:",
        "base-uri 'none'",
        "form-action 'none'",
      ].join("; ");
      const head = [
        `<meta http-equiv="Content-Security-Policy" content="${policy}" />`,
        `    <style>${style}</style>`,
        `    <script type="module">${script}</script>`,
        "  </head>",
      ].join("\n");
      html = html.replace("</head>", () => head);
      if (/(?:src|href)="\.\//.test(html.replace(script, ""))) throw new Error("viewer.html still names another file");
      page.source = html;
    },
  };
}

export default defineConfig({
  base: "./",
  publicDir: false, // the icon is a file of its own
  esbuild: { jsx: "automatic", jsxImportSource: "preact" },
  plugins: [inOneFile()],
  build: {
    target: "es2022",
    emptyOutDir: false, // beside the pages
    cssCodeSplit: false,
    modulePreload: false,
    reportCompressedSize: false,
    rollupOptions: { input: "viewer.html", output: { inlineDynamicImports: true } },
  },
});
