// SPDX-License-Identifier: Apache-2.0
//
// Sends a little story of four services to a server, as OTLP/JSON: traces, logs, metrics and profiles that name each
// other. In the last third of it a new version of "checkout" matches coupons by a regular expression that backtracks.
//
//   node tools/story.mjs [http://127.0.0.1:4318] [minutes]
//
// The same seed gives the same story; only the clock differs.

const ENDPOINT = process.argv[2] ?? "http://127.0.0.1:4318";
const MINUTES = Number(process.argv[3] ?? 60);
const NANO = 1_000_000n;
const REQUEST_EVERY_MS = 2000;
const SAMPLE_NS = 10_000_000;

let state = 20260504;
function random() {
  state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
  return state / 4294967296;
}
function spread(middle) {
  return middle * Math.exp((random() + random() + random() - 1.5) * 0.8);
}
function hex(bytes) {
  let text = "";
  for (let i = 0; i < bytes; ++i) text += Math.floor(random() * 256).toString(16).padStart(2, "0");
  return text;
}
const attribute = (key, value) => ({
  key,
  value: typeof value === "number" ? { intValue: String(value) } : { stringValue: value },
});

// What each kind of work looks like: stacks root first, with weights. "name@file:line#type" of each frame.
const CODE = {
  storefront: [
    [6, "Server.onRequest@server.js:41#v8js;route@router.js:88#v8js;renderPage@render.js:12#v8js;Template.fill@template.js:140#v8js"],
    [3, "Server.onRequest@server.js:41#v8js;route@router.js:88#v8js;renderPage@render.js:12#v8js;JSON.parse@#v8js"],
    [2, "Server.onRequest@server.js:41#v8js;route@router.js:88#v8js;callCheckout@clients.js:61#v8js;encodeBody@clients.js:19#v8js"],
    [1, "Server.onRequest@server.js:41#v8js;route@router.js:88#v8js;writev@#kernel;tcp_sendmsg@net/ipv4/tcp.c:1390#kernel"],
    [1, "node::Start@node.cc:1199#native;uv_run@uv/core.c:425#native;epoll_wait@#kernel;do_epoll_wait@fs/eventpoll.c:2261#kernel"],
    [2, "node::Start@node.cc:1199#native;v8::internal::Heap::Scavenge@heap.cc:2210#native;ScavengerCollector::CollectGarbage@scavenger.cc:330#native"],
  ],
  checkout: [
    [5, "main@main.cc:31#native;shop::Server::Run@server.cc:77#native;shop::Checkout::Handle@checkout.cc:44#native;shop::read_basket@basket.cc:18#native;json::parse@json.cc:210#native;json::parse_string@json.cc:96#native"],
    [2, "main@main.cc:31#native;shop::Server::Run@server.cc:77#native;shop::Checkout::Handle@checkout.cc:44#native;shop::read_basket@basket.cc:18#native;operator new@new_op.cc:50#native;malloc@malloc.c:3301#native"],
    [4, "main@main.cc:31#native;shop::Server::Run@server.cc:77#native;shop::Checkout::Handle@checkout.cc:44#native;shop::Checkout::apply_coupons@coupon.cc:71#native;shop::Coupon::matches@coupon.cc:52#native"],
    [3, "main@main.cc:31#native;shop::Server::Run@server.cc:77#native;shop::Checkout::Handle@checkout.cc:44#native;shop::Checkout::total@checkout.cc:120#native;shop::Money::round@money.h:40#native"],
    [2, "main@main.cc:31#native;shop::Server::Run@server.cc:77#native;sendmsg@#kernel;tcp_sendmsg@net/ipv4/tcp.c:1390#kernel;ip_queue_xmit@net/ipv4/ip_output.c:544#kernel"],
    [1, "main@main.cc:31#native;shop::Server::Run@server.cc:77#native;shop::Checkout::Handle@checkout.cc:44#native;log::Info@log.cc:12#native;std::basic_string<char, std::char_traits<char>, std::allocator<char>>::append@string.h:1420#native"],
  ],
  checkout_regex: [
    [6, "main@main.cc:31#native;shop::Server::Run@server.cc:77#native;shop::Checkout::Handle@checkout.cc:44#native;shop::Checkout::apply_coupons@coupon.cc:71#native;shop::Coupon::matches@coupon.cc:88#native;std::regex_search@regex.h:2352#native;std::__detail::_Executor::_M_dfs@regex_executor.tcc:488#native;std::__detail::_Executor::_M_dfs@regex_executor.tcc:488#native;std::__detail::_Executor::_M_rep_once_more@regex_executor.tcc:201#native"],
    [2, "main@main.cc:31#native;shop::Server::Run@server.cc:77#native;shop::Checkout::Handle@checkout.cc:44#native;shop::Checkout::apply_coupons@coupon.cc:71#native;shop::Coupon::matches@coupon.cc:88#native;std::regex_search@regex.h:2352#native;std::vector<std::sub_match>::resize@vector.h:1010#native;operator new@new_op.cc:50#native;malloc@malloc.c:3301#native"],
  ],
  inventory: [
    [5, "Thread.run@Thread.java:1583#jvm;Worker.loop@Worker.java:70#jvm;StockService.reserve@StockService.java:112#jvm;HashMap.get@HashMap.java:564#jvm"],
    [4, "Thread.run@Thread.java:1583#jvm;Worker.loop@Worker.java:70#jvm;StockService.reserve@StockService.java:112#jvm;ResultSet.next@ResultSet.java:220#jvm;SocketInputStream.read@SocketInputStream.java:181#jvm"],
    [3, "Thread.run@Thread.java:1583#jvm;Worker.loop@Worker.java:70#jvm;Protobuf.decode@Protobuf.java:301#jvm"],
    [3, "G1ParTask::work@g1CollectedHeap.cpp:901#native;G1ParScanThreadState::trim_queue@g1ParScan.cpp:244#native"],
    [1, "CompileBroker::compiler_thread_loop@compileBroker.cpp:1940#native;C2Compiler::compile_method@c2compiler.cpp:120#native"],
  ],
  payments: [
    [4, "runtime.goexit@asm_amd64.s:1700#go;main.(*server).serve@server.go:88#go;main.(*server).charge@charge.go:41#go;crypto/tls.(*Conn).Write@conn.go:1160#go;crypto/internal/fips140/aes/gcm.gcmAesEnc@gcm_asm.go:12#go"],
    [3, "runtime.goexit@asm_amd64.s:1700#go;main.(*server).serve@server.go:88#go;main.(*server).charge@charge.go:41#go;encoding/json.Marshal@encode.go:165#go;encoding/json.(*encodeState).reflectValue@encode.go:310#go"],
    [2, "runtime.goexit@asm_amd64.s:1700#go;runtime.gcBgMarkWorker@mgc.go:1366#go;runtime.gcDrain@mgcmark.go:1080#go;runtime.scanobject@mgcmark.go:1370#go"],
    [1, "runtime.mcall@asm_amd64.s:458#go;runtime.schedule@proc.go:3995#go;runtime.findRunnable@proc.go:3430#go;runtime.futex@sys_linux_amd64.s:558#go"],
  ],
};
const WAITS = {
  checkout: [
    [3, "main@main.cc:31#native;shop::Server::Run@server.cc:77#native;shop::Checkout::Handle@checkout.cc:44#native;shop::Inventory::reserve@inventory.cc:30#native;recvmsg@#kernel;schedule@kernel/sched/core.c:6780#kernel"],
    [1, "main@main.cc:31#native;shop::Server::Run@server.cc:77#native;shop::Checkout::Handle@checkout.cc:44#native;std::mutex::lock@mutex:100#native;futex_wait@#kernel;schedule@kernel/sched/core.c:6780#kernel"],
  ],
};

// The dictionary of one profiles message.
class Dictionary {
  strings = new Map([["", 0]]);
  functions = [{}];
  locations = [{}];
  mappings = [{}];
  stacks = [{}];
  links = [{}];
  attributes = [{ value: {} }];
  known = new Map();

  string(text) {
    if (!this.strings.has(text)) this.strings.set(text, this.strings.size);
    return this.strings.get(text);
  }
  once(table, key, make) {
    const name = table + "\0" + key;
    if (!this.known.has(name)) {
      const entry = make();  // may add to the tables itself
      this[table].push(entry);
      this.known.set(name, this[table].length - 1);
    }
    return this.known.get(name);
  }
  attribute(key, value) {
    return this.once("attributes", key + "=" + value, () => ({ keyStrindex: this.string(key), value: { stringValue: value } }));
  }
  mapping(file) {
    return this.once("mappings", file, () => ({ memoryStart: "4194304", memoryLimit: "8388608", filenameStrindex: this.string(file) }));
  }
  stack(text, binary) {
    return this.once("stacks", text, () => ({
      locationIndices: text.split(";").reverse().map((frame) => {
        const [, name, file, line, type] = /^(.*)@([^:#]*):?(\d*)#(\w+)$/.exec(frame);
        const functionIndex = this.once("functions", name, () => ({ nameStrindex: this.string(name), filenameStrindex: this.string(file) }));
        return this.once("locations", frame, () => ({
          mappingIndex: type === "kernel" ? 0 : this.mapping(binary),
          lines: [{ functionIndex, line: line || "0" }],
          attributeIndices: [this.attribute("profile.frame.type", type)],
        }));
      }),
    }));
  }
  link(traceId, spanId) {
    return this.once("links", traceId + spanId, () => ({ traceId, spanId }));
  }
  json() {
    return {
      stringTable: [...this.strings.keys()],
      functionTable: this.functions,
      locationTable: this.locations,
      mappingTable: this.mappings,
      stackTable: this.stacks,
      linkTable: this.links,
      attributeTable: this.attributes,
    };
  }
}

function pick(weighted) {
  let at = random() * weighted.reduce((sum, [weight]) => sum + weight, 0);
  for (const [weight, stack] of weighted) if ((at -= weight) < 0) return stack;
  return weighted[0][1];
}

const now = BigInt(Date.now()) * NANO;
const begin = now - BigInt(MINUTES) * 60_000n * NANO;
const deployAt = now - BigInt(Math.round(MINUTES / 3)) * 60_000n * NANO;
const versionOf = (service, time) =>
  service === "checkout" ? (time >= deployAt ? "1.4.2" : "1.4.1") : { storefront: "7.0.3", inventory: "2.11.0", payments: "0.9.1" }[service];
const resourceOf = (service, time, instance = 1) => ({
  attributes: [
    attribute("service.name", service),
    attribute("service.version", versionOf(service, time)),
    attribute("service.instance.id", `${service}-${instance}`),
    attribute("host.name", `web-${instance}`),
    attribute("deployment.environment.name", "production"),
  ],
});

async function send(signal, body) {
  const path = signal === "profiles" ? "v1development/profiles" : `v1/${signal}`;
  const answer = await fetch(`${ENDPOINT}/${path}`, { method: "POST", headers: { "Content-Type": "application/json" }, body: JSON.stringify(body) });
  const text = await answer.text();
  if (!answer.ok || /reject/i.test(text)) console.error(signal, answer.status, text.slice(0, 300));
}

// One request through the shop: spans with their service, time and what they execute.
function request(start) {
  const trace = hex(16);
  const spans = [];
  const slow = start >= deployAt;
  const add = (service, name, parent, offset, ms, cpuMs, kind, more = {}) => {
    const span = { trace, id: hex(8), parent: parent?.id ?? "", service, name, start: start + BigInt(Math.round(offset * 1e6)), ms, offset, cpuMs, kind, ...more };
    spans.push(span);
    return span;
  };
  const isCheckout = random() < 0.6;
  if (!isCheckout) {
    const ms = spread(18);
    const root = add("storefront", random() < 0.5 ? "GET /" : "GET /item/{id}", null, 0, ms, ms * 0.6, 2);
    add("storefront", "render page", root, ms * 0.2, ms * 0.7, 0, 1);
    const stock = add("inventory", "Stock/Get", root, ms * 0.05, ms * 0.14, ms * 0.1, 2);
    stock.code = "inventory";
    return spans;
  }
  const coupon = slow ? spread(46) : spread(5);
  const basket = spread(6), stock = spread(14), pay = spread(30), total = spread(3);
  const inner = basket + coupon + stock + pay + total + 4;
  const root = add("storefront", "POST /checkout", null, 0, inner + 9, 6, 2);
  const call = add("storefront", "checkout.Checkout/Place", root, 3, inner + 3, 0, 3);
  const handle = add("checkout", "Checkout/Place", call, 4, inner + 1, total, 2);
  add("checkout", "read basket", handle, 5, basket, basket * 0.9, 1);
  const coupons = add("checkout", "apply coupons", handle, 5.5 + basket, coupon, coupon * 0.95, 1);
  coupons.code = slow ? "checkout_regex" : "checkout";
  const reserve = add("checkout", "inventory.Stock/Reserve", handle, 6 + basket + coupon, stock, 0, 3, { waits: stock * 0.85 });
  add("inventory", "Stock/Reserve", reserve, 6.6 + basket + coupon, stock - 1.4, stock * 0.5, 2);
  const failed = random() < 0.03;
  const charge = add("checkout", "payments.Payments/Charge", handle, 6.5 + basket + coupon + stock, pay, 0, 3, { failed, waits: pay * 0.9 });
  add("payments", "Payments/Charge", charge, 7.2 + basket + coupon + stock, pay - 1.6, pay * 0.35, 2, { failed });
  if (failed) {
    root.failed = true;
    handle.failed = true;
  }
  return spans;
}

function samplesOf(span, dictionary, out) {
  const linkIndex = dictionary.link(span.trace, span.id);
  const thread = [dictionary.attribute("thread.name", `${span.service}-worker-${Number(span.start % 4n)}`)];
  const code = CODE[span.code ?? span.service];
  const count = span.cpuMs / 10;
  const whole = Math.floor(count) + (random() < count % 1 ? 1 : 0);
  for (let i = 0; i < whole; ++i) {
    const time = span.start + BigInt(Math.round(((i + random()) / whole) * span.ms * 1e6));
    out.cpu.push({ stackIndex: dictionary.stack(pick(code), `/srv/${span.service}`), linkIndex, values: [String(SAMPLE_NS)], timestampsUnixNano: [String(time)], attributeIndices: thread });
  }
  if (span.waits && WAITS[span.service]) {
    const time = span.start + BigInt(Math.round(span.waits * 1e6));
    out.offcpu.push({ stackIndex: dictionary.stack(pick(WAITS[span.service]), `/srv/${span.service}`), linkIndex, values: [String(Math.round(span.waits * 1e6))], timestampsUnixNano: [String(time)], attributeIndices: thread });
  }
}

function background(service, from, seconds, dictionary, out) {
  for (let i = 0; i < seconds * 2; ++i) {
    const time = from + BigInt(Math.floor(random() * seconds * 1e9));
    out.cpu.push({ stackIndex: dictionary.stack(pick(CODE[service]), `/srv/${service}`), values: [String(SAMPLE_NS)], timestampsUnixNano: [String(time)] });
  }
}

const LOGS = {
  "Checkout/Place": (span) => [9, "INFO", `order placed in ${span.ms.toFixed(1)} ms`],
  "Payments/Charge": (span) => (span.failed ? [17, "ERROR", "card refused by the bank: code 51"] : [5, "DEBUG", "charge accepted"]),
  "apply coupons": (span) => (span.ms > 40 ? [13, "WARN", `coupon rules took ${span.ms.toFixed(0)} ms, limit is 20 ms`] : null),
};

function histogramPoint(values, from, to, service, exemplars) {
  const bounds = [5, 10, 25, 50, 75, 100, 250, 500, 1000];
  const counts = new Array(bounds.length + 1).fill(0);
  for (const value of values) counts[bounds.findIndex((bound) => value <= bound) < 0 ? bounds.length : bounds.findIndex((bound) => value <= bound)] += 1;
  return {
    attributes: [attribute("http.route", service === "storefront" ? "/checkout" : "rpc")],
    startTimeUnixNano: String(from), timeUnixNano: String(to),
    count: String(values.length), sum: values.reduce((a, b) => a + b, 0),
    bucketCounts: counts.map(String), explicitBounds: bounds, exemplars,
  };
}

const WINDOW_S = 30;
let traces = 0;
for (let from = begin; from < now; from += BigInt(WINDOW_S) * 1000n * NANO) {
  const to = from + BigInt(WINDOW_S) * 1000n * NANO;
  const spans = [];
  for (let ms = 0; ms < WINDOW_S * 1000; ms += REQUEST_EVERY_MS) {
    const start = from + BigInt(Math.floor(ms + random() * 500)) * NANO;
    if (start + 1000n * NANO < now) { spans.push(...request(start)); ++traces; }
  }
  const services = ["storefront", "checkout", "inventory", "payments"];
  const dictionary = new Dictionary();
  const resourceProfiles = [], resourceSpans = [], resourceLogs = [], resourceMetrics = [];
  for (const service of services) {
    const mine = spans.filter((span) => span.service === service);
    const resource = resourceOf(service, from);
    const out = { cpu: [], offcpu: [] };
    for (const span of mine) samplesOf(span, dictionary, out);
    background(service, from, WINDOW_S, dictionary, out);
    const profiles = Object.entries(out).filter(([, samples]) => samples.length > 0).map(([type, samples]) => ({
      sampleType: { typeStrindex: dictionary.string(type === "cpu" ? "cpu" : "off_cpu"), unitStrindex: dictionary.string("nanoseconds") },
      samples, timeUnixNano: String(from), durationNano: String(WINDOW_S * 1e9), profileId: hex(16),
      periodType: { typeStrindex: dictionary.string("cpu"), unitStrindex: dictionary.string("nanoseconds") }, period: String(SAMPLE_NS),
    }));
    resourceProfiles.push({ resource, scopeProfiles: [{ scope: { name: "story" }, profiles }] });
    resourceSpans.push({
      resource,
      scopeSpans: [{ scope: { name: "story" }, spans: mine.map((span) => ({
        traceId: span.trace, spanId: span.id, parentSpanId: span.parent, name: span.name, kind: span.kind,
        startTimeUnixNano: String(span.start), endTimeUnixNano: String(span.start + BigInt(Math.round(span.ms * 1e6))),
        attributes: [attribute("thread.name", `${service}-worker-${Number(span.start % 4n)}`), ...(span.kind === 2 ? [attribute("http.response.status_code", span.failed ? 502 : 200)] : [])],
        events: span.name === "apply coupons" && span.code === "checkout_regex" ? [{ timeUnixNano: String(span.start + 1000000n), name: "coupon rule loaded", attributes: [attribute("rule", "SUMMER(A+)+B")] }] : [],
        status: span.failed ? { code: 2, message: "card refused" } : {},
      })) }],
    });
    const records = [];
    for (const span of mine) {
      const line = LOGS[span.name]?.(span);
      if (line) records.push({ timeUnixNano: String(span.start + BigInt(Math.round(span.ms * 0.9e6))), severityNumber: line[0], severityText: line[1], body: { stringValue: line[2] }, traceId: span.trace, spanId: span.id, attributes: [attribute("thread.name", `${service}-worker-1`)] });
    }
    if (service === "checkout" && from <= deployAt && deployAt < to) records.push({ timeUnixNano: String(deployAt), severityNumber: 9, severityText: "INFO", body: { stringValue: "coupon rule loaded: SUMMER(A+)+B" } });
    resourceLogs.push({ resource, scopeLogs: [{ scope: { name: "story" }, logRecords: records }] });
    const servers = mine.filter((span) => span.kind === 2);
    if (servers.length > 0) {
      const worst = [...servers].sort((a, b) => b.ms - a.ms).slice(0, 2);
      resourceMetrics.push({ resource, scopeMetrics: [{ scope: { name: "story" }, metrics: [
        { name: "http.server.request.duration", unit: "ms", description: "How long requests took", histogram: { aggregationTemporality: 1, dataPoints: [histogramPoint(servers.map((span) => span.ms), from, to, service, worst.map((span) => ({ timeUnixNano: String(span.start), asDouble: span.ms, traceId: span.trace, spanId: span.id })))] } },
        { name: "requests", unit: "1", description: "Requests served", sum: { aggregationTemporality: 1, isMonotonic: true, dataPoints: [{ attributes: [attribute("code", 200)], startTimeUnixNano: String(from), timeUnixNano: String(to), asInt: String(servers.length) }] } },
        { name: "process.memory.usage", unit: "By", description: "Memory in use", gauge: { dataPoints: [{ timeUnixNano: String(to), asInt: String(Math.round(180e6 + 40e6 * Math.sin(Number(from / 1_000_000_000n) / 300) + random() * 8e6)) }] } },
      ] }] });
    }
  }
  await send("traces", { resourceSpans });
  await send("logs", { resourceLogs });
  await send("metrics", { resourceMetrics });
  await send("profiles", { resourceProfiles, dictionary: dictionary.json() });
}
console.log(`sent ${traces} traces over ${MINUTES} minutes to ${ENDPOINT}`);
