// SPDX-License-Identifier: Apache-2.0
//
// All pages, as URLs with demo data, and a text that proves that they show it.
import { theDemo } from "./browser.mjs";

export const RANGE = "from=now-2h";
export const CHECKOUT = `q=${encodeURIComponent('{service.name="checkout"}')}`;
export const SLOW_FUNCTION = "shop::Coupon::matches";

async function get(path) {
  const { url } = await theDemo();
  return (await fetch(`${url}/api/v1/${path}`)).json();
}

// The slowest trace of the demo.
export async function slowTrace() {
  const { traces } = await get(`traces?${RANGE}&sort=duration&limit=1`);
  return traces[0].trace_id;
}

const explore = (view, more = "") => `/explore?${CHECKOUT}&${RANGE}&view=${view}${more}`;
const checkoutOf = (version) => encodeURIComponent(`{service.name="checkout",service.version="${version}"}`);
const selected = `&sel=${encodeURIComponent(SLOW_FUNCTION)}`;

export async function routes() {
  return [
    ["fleet", `/?${RANGE}`, "Top functions, all services"],
    ["service", `/service/checkout?${RANGE}`, "What changed from 1.4.1 to 1.4.2"],
    ["icicle", explore("icicle"), "of the total"],
    ["flame", explore("flame", "&s=regex"), "1 frame"],
    ["sandwich", explore("sandwich", selected), "Callers"],
    ["table", explore("table"), "Share of total"],
    ["tree", explore("tree"), "Call tree"],
    ["heat", explore("heat"), "Drag over cells"],
    ["lines", explore("lines", selected), "return std::regex_search(code, pattern_);"],
    ["time", explore("chart", "&from=now-10m"), "of the total"],
    ["both", explore("both"), "Function"],
    ["compare", `/diff?${CHECKOUT}&${RANGE}`, "Version 1.4.1 vs 1.4.2"],
    [
      "comparison",
      `/diff?${RANGE}&q=${checkoutOf("1.4.2")}&b.q=${checkoutOf("1.4.1")}`,
      "What explains 80 % of the change",
    ],
    ["traces", `/traces?${RANGE}`, "Durations"],
    ["trace", `/trace/${await slowTrace()}`, "Time breakdown"],
    ["metrics", `/charts?${RANGE}&metric=http.server.request.duration`, "http.server.request.duration"],
    ["logs", `/logs?${RANGE}`, "records"],
    ["function", `/fn/${encodeURIComponent(SLOW_FUNCTION)}?${RANGE}`, "shop::Checkout::apply_coupons"],
    ["profiles", `/profiles?${RANGE}`, "As received"],
    ["open", "/open", "Drop a profile here"],
    ["symbols", `/symbols?${RANGE}`, "has unsymbolized frames"],
    ["server", "/health", "Received since startup"],
    ["nowhere", "/trace/no-such-id", "There is no page"],
  ].map(([name, path, text]) => ({ name, path, text }));
}
