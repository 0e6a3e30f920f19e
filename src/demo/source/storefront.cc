// SPDX-License-Identifier: Apache-2.0
//
// Source text of storefront, JavaScript in Node.js.
#include "demo/source/files.h"

namespace flarestack::demo {
namespace {

constexpr std::string_view kServerJs = R"__(// storefront: the pages of the shop.
import { createServer } from "node:http";
import { readSession } from "./session.js";
import { matchRoute } from "./router.js";
import { renderPage } from "./render.js";
import { placeOrder, readStock, readSuggestions } from "./clients.js";

class Storefront {
  constructor(config) {
    this.config = config;
    this.routes = config.routes;
  }

  async onRequest(request, response) {
    const session = readSession(request.headers.cookie);
    const { page, parameters } = matchRoute(this.routes, request);
    const data = await this.load(page, { session, ...parameters });
    const html = renderPage(page, data);
    this.answer(response, html);
  }

  async load(page, parameters) {
    if (page.isOrder) return placeOrder(parameters);
    const [item, others] = await Promise.all([readStock(parameters), readSuggestions(parameters)]);
    return { item, others };
  }

  answer(response, html) {
    response.writeHead(200, { "content-type": "text/html; charset=utf-8" });
    response.end(html);
  }
}

function main(config) {
  const shop = new Storefront(config);
  createServer((request, response) => shop.onRequest(request, response)).listen(config.port);
}

main(JSON.parse(process.env.STOREFRONT_CONFIG));
)__";

constexpr std::string_view kRenderJs =
    R"__(// Pages from templates: what stands between {{ and }} is a path into the data.
import { formatPrice } from "./money.js";
import { templates } from "./templates.js";

const ENTITIES = { "&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;" };

export function escapeHtml(text) {
  return text.replace(/[&<>"]/g, (letter) => ENTITIES[letter]);
}

export class Template {
  constructor(source) {
    this.parts = source.split(/{{|}}/);
  }

  fill(data) {
    let html = "";
    for (let i = 0; i < this.parts.length; ++i) {
      if (i % 2 === 0) html += this.parts[i];
      else html += escapeHtml(this.lookUp(this.parts[i], data));
    }
    return html;
  }

  lookUp(path, data) {
    return String(path.trim().split(".").reduce((value, key) => value?.[key] ?? "", data));
  }
}

function renderItem(item) {
  const price = formatPrice(item.price, item.currency);
  return templates.item.fill({ ...item, price });
}

export function renderPage(page, data) {
  const items = (data.items ?? [data.item]).map(renderItem);
  const body = templates[page.name].fill({ ...data, items: items.join("\n") });
  return templates.layout.fill({ title: page.title, body });
}
)__";

}  // namespace

std::span<const SourceFile> StorefrontSources() {
  static constexpr SourceFile kFiles[] = {{"server.js", kServerJs}, {"render.js", kRenderJs}};
  return kFiles;
}

}  // namespace flarestack::demo
