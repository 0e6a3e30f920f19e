// SPDX-License-Identifier: Apache-2.0
//
// dist/viewer.html: the page of one-file profiles, with inlined script and style. The program inserts the data at the
// marker. Its content security policy allows only this script, and no requests.
import { createHash } from "node:crypto";
import { defineConfig, type Plugin } from "vite";

const hashOf = (text: string): string => `'sha256-${createHash("sha256").update(text).digest("base64")}'`;

function inOneFile(): Plugin {
  return {
    name: "in-one-file",
    enforce: "post",
    generateBundle(_, bundle) {
      const page = bundle["viewer.html"];
      if (page?.type !== "asset") throw new Error("viewer.html is missing");
      let html = String(page.source);
      let script = "";
      let style = "";
      for (const [name, file] of Object.entries(bundle)) {
        if (file.type === "chunk") script += file.code;
        else if (name.endsWith(".css")) style += String(file.source);
        else continue;
        delete bundle[name];
      }
      // String literals in the script may contain text that ends a script element.
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
      if (/(?:src|href)="\.\//.test(html.replace(script, "")))
        throw new Error("viewer.html still refers to another file");
      page.source = html;
    },
  };
}

export default defineConfig({
  base: "./",
  publicDir: false, // the icon is a separate file
  esbuild: { jsx: "automatic", jsxImportSource: "preact" },
  plugins: [inOneFile()],
  build: {
    target: "es2022",
    emptyOutDir: false, // keep the pages
    cssCodeSplit: false,
    modulePreload: false,
    reportCompressedSize: false,
    rollupOptions: { input: "viewer.html", output: { inlineDynamicImports: true } },
  },
});
