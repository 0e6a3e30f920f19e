// SPDX-License-Identifier: Apache-2.0
#include "codec/svg/svg_page.h"

namespace flarestack::codec::svg {

const std::string_view kPageStyle = R"css(
svg { --page: #ffffff; --ink: #1c2128; --faint: #66707c; --line: #d5dae1; --card: #ffffff; --accent: #0b61d8;
  --light: 72%; --ink-box: #20180a; --root: #e3e6eb; --other: #c9ced6; background: var(--page);
  font-family: system-ui, -apple-system, "Segoe UI", Roboto, "DejaVu Sans", sans-serif; }
@media (prefers-color-scheme: dark) {
  svg { --page: #14171c; --ink: #e6e9ee; --faint: #949eab; --line: #343b46; --card: #20252d; --accent: #6fa8ff;
    --light: 35%; --ink-box: #f4f1ea; --root: #333a45; --other: #48505c; } }
#page { fill: var(--page); }
text { fill: var(--ink); font-size: 12px; }
#title { font-size: 19px; font-weight: 650; }
#sums, .note, #legend text { fill: var(--faint); }
#sums tspan { fill: var(--ink); font-weight: 600; }
.f text, #hint text { font-family: ui-monospace, SFMono-Regular, Menlo, Consolas, "DejaVu Sans Mono", monospace;
  font-size: 11px; white-space: pre; }
.f text { fill: var(--ink-box); pointer-events: none; }
.f { cursor: pointer; }
.f:hover rect { stroke: var(--ink); stroke-width: 1.2; }
.f.above rect { opacity: .45; }
.f.miss { opacity: .35; }
.f.hit rect { stroke: var(--accent); stroke-width: 1.6; }
.root { fill: var(--root); }
.root + text, .other + text { fill: var(--ink) !important; }
.other { fill: var(--other); }
.a { --d: -3.5%; } .b { --d: 0%; } .c { --d: 3.5%; }
.k0, .k1, .k2, .k3, .n0, .n1, .n2, .n3, .r0, .r1, .r2, .r3, .u0, .u1, .u2, .u3, .p0, .p1, .p2, .p3, .p4, .p5 {
  fill: hsl(var(--h), var(--s), calc(var(--light) + var(--d, 0%))); }
.k0 { --h: 208; --s: 62%; } .k1 { --h: 215; --s: 58%; } .k2 { --h: 221; --s: 52%; } .k3 { --h: 201; --s: 56%; }
.n0 { --h: 40; --s: 88%; } .n1 { --h: 33; --s: 86%; } .n2 { --h: 47; --s: 78%; } .n3 { --h: 25; --s: 80%; }
.r0, .r1, .r2, .r3 { --s: var(--q, 22%); }
.r0 { --h: var(--t, 30); } .r1 { --h: calc(var(--t, 30) + 5); } .r2 { --h: calc(var(--t, 30) - 5); }
.r3 { --h: calc(var(--t, 30) + 9); }
.be, .cu, .dn, .go, .js, .jv, .lj, .ph, .pl, .py, .rb { --q: 44%; }
.js { --t: 58; } .cu { --t: 84; } .jv { --t: 110; } .lj { --t: 136; } .pl { --t: 162; } .go { --t: 188; }
.py { --t: 236; } .ph { --t: 264; } .dn { --t: 292; } .be { --t: 320; } .rb { --t: 346; }
.u0 { --h: 220; --s: 5%; } .u1 { --h: 220; --s: 8%; } .u2 { --h: 240; --s: 6%; } .u3 { --h: 200; --s: 9%; }
.p0 { --h: 44; --s: 90%; } .p1 { --h: 37; --s: 90%; } .p2 { --h: 30; --s: 86%; } .p3 { --h: 22; --s: 82%; }
.p4 { --h: 14; --s: 76%; } .p5 { --h: 50; --s: 84%; }
#hint { pointer-events: none; }
#hint rect { fill: var(--card); stroke: var(--line); filter: drop-shadow(0 2px 5px rgba(0, 0, 0, .25)); }
#hint .strong { font-weight: 700; }
#hint .dim { fill: var(--faint); }
#tools { font: 12px system-ui, -apple-system, "Segoe UI", Roboto, "DejaVu Sans", sans-serif; color: var(--ink);
  display: flex; gap: 8px; justify-content: flex-end; align-items: center; height: 30px; }
#tools input { width: 230px; padding: 5px 8px; border: 1px solid var(--line); border-radius: 6px; font: inherit;
  background: var(--card); color: var(--ink); }
#tools input:focus { outline: 2px solid var(--accent); outline-offset: -1px; }
#tools input.bad { outline: 2px solid #d1242f; }
#tools button { padding: 5px 10px; border: 1px solid var(--line); border-radius: 6px; background: var(--card);
  color: var(--ink); font: inherit; cursor: pointer; }
#tools button:disabled { opacity: .4; cursor: default; }
#found { min-width: 118px; text-align: right; white-space: nowrap; }
)css";

const std::string_view kPageScript = R"js(
'use strict';
(() => {
  const svgNs = 'http://www.w3.org/2000/svg', htmlNs = 'http://www.w3.org/1999/xhtml';
  const svg = document.documentElement, pad = 10, toolsWidth = 480;
  if (svg.localName !== 'svg') return;  // embedded in another page: remain an image
  const byId = (id) => document.getElementById(id);
  const all = Number(svg.dataset.total);
  const boxes = Array.from(document.querySelectorAll('.f'), (g, id) => {
    const title = g.querySelector('title'), lines = title.textContent.split('\n');
    title.remove();  // the hint shows the same text without a delay
    const start = Number(g.dataset.s), total = Number(g.dataset.t);
    return {g, id, lines, name: lines[0], start, end: start + total, total, row: Number(g.dataset.r),
            rect: g.querySelector('rect'), text: g.querySelector('text'), hit: false};
  });
  if (boxes.length === 0) return;
  let zoomed = boxes[0], pattern = null;

  // One column of the fixed-width font, as this browser draws it.
  const probe = document.createElementNS(svgNs, 'text');
  probe.textContent = 'm'.repeat(50);
  boxes[0].g.append(probe);
  const column = probe.getComputedTextLength() / 50 || 6.62;
  probe.remove();

  const columnsOf = (c) => {
    const code = c.codePointAt(0);
    return code < 0x1100 || (code >= 0x2000 && code < 0x3000) ? 1 : 2;
  };
  const fit = (name, columns) => {
    if (columns < 4) return '';
    let used = 0, cut = '', kept = '';
    for (const c of name) {
      used += columnsOf(c);
      if (used > columns) return cut + '\u2026';
      kept += c;
      if (used < columns) cut = kept;
    }
    return name;
  };

  const layOut = () => {
    const width = Math.max(svg.clientWidth || window.innerWidth, 480) - 2 * pad;
    for (const box of boxes) {
      const inside = box.row >= zoomed.row && box.start >= zoomed.start && box.end <= zoomed.end;
      const above = box.row < zoomed.row && box.start <= zoomed.start && box.end >= zoomed.end;
      box.g.style.display = inside || above ? '' : 'none';
      if (!inside && !above) continue;
      box.g.classList.toggle('above', above);
      const x = above ? pad : pad + (box.start - zoomed.start) / zoomed.total * width;
      const w = above ? width : box.total / zoomed.total * width;
      box.rect.setAttribute('x', x.toFixed(2));
      box.rect.setAttribute('width', Math.max(w - 0.6, w * 0.6).toFixed(2));
      const label = fit(box.name, Math.floor((w - 7) / column));
      if (box.text.textContent !== label) box.text.textContent = label;
      box.text.setAttribute('x', (x + 4).toFixed(2));
    }
    byId('tools-place').setAttribute('x', String(width + pad - toolsWidth));
  };

  const percent = (part, whole) => (whole > 0 ? part / whole * 100 : 0).toFixed(2) + ' %';

  // Counts a match below another match once. Callers come before callees, so a match is known before the boxes it covers.
  const search = () => {
    let matched = 0;
    const covers = [];
    for (const box of boxes) {
      box.hit = pattern !== null && pattern.test(box.name);
      box.g.classList.toggle('hit', box.hit);
      box.g.classList.toggle('miss', pattern !== null && !box.hit);
      const inside = box.row >= zoomed.row && box.start >= zoomed.start && box.end <= zoomed.end;
      if (box.hit && inside) covers.push(box);
    }
    covers.sort((a, b) => a.start - b.start || b.end - a.end);
    let end = -1;
    for (const box of covers) {
      if (box.end <= end) continue;
      matched += box.end - Math.max(box.start, end);
      end = box.end;
    }
    byId('found').textContent = pattern === null ? '' : 'matched ' + percent(matched, zoomed.total);
  };

  const remember = () => {
    const state = new URLSearchParams();
    if (zoomed !== boxes[0]) state.set('zoom', String(zoomed.id));
    if (pattern !== null) state.set('search', byId('search').value);
    try { history.replaceState(null, '', '#' + state); } catch { /* some viewers forbid it */ }
  };
  const zoom = (box) => {
    zoomed = box;
    byId('reset').disabled = box === boxes[0];
    layOut();
    search();
    remember();
  };
  const setPattern = (text) => {
    const input = byId('search');
    input.classList.remove('bad');
    try {
      pattern = text === '' ? null : new RegExp(text, /[A-Z]/.test(text) ? 'u' : 'iu');
    } catch {
      pattern = null;
      input.classList.add('bad');
    }
    search();
    remember();
  };

  const element = (name, attributes, parent) => {
    const made = document.createElementNS(htmlNs, name);
    for (const [key, value] of Object.entries(attributes)) made.setAttribute(key, value);
    parent.append(made);
    return made;
  };
  const makeTools = () => {
    const place = document.createElementNS(svgNs, 'foreignObject');
    for (const [key, value] of [['id', 'tools-place'], ['y', 12], ['width', toolsWidth], ['height', 32]]) {
      place.setAttribute(key, value);
    }
    svg.append(place);
    const tools = element('div', {id: 'tools'}, place);
    element('span', {id: 'found'}, tools);
    const input = element('input', {id: 'search', type: 'search', spellcheck: 'false',
                                    placeholder: 'Search: regular expression  ( / )'}, tools);
    input.addEventListener('input', () => setPattern(input.value));
    const reset = element('button', {id: 'reset', disabled: '', title: 'Show everything (Esc)'}, tools);
    reset.textContent = 'Reset zoom';
    reset.addEventListener('click', () => zoom(boxes[0]));
  };

  const hint = document.createElementNS(svgNs, 'g');
  hint.id = 'hint';
  hint.style.display = 'none';
  const wrap = (text, columns) => {
    const lines = [];
    const characters = Array.from(text);
    for (let i = 0; i < characters.length && lines.length < 5; i += columns) {
      lines.push(characters.slice(i, i + columns).join(''));
    }
    if (characters.length > columns * 5) lines[4] = lines[4].slice(0, -1) + '\u2026';
    return lines;
  };
  const showHint = (box, event) => {
    const columns = Math.max(30, Math.min(90, Math.floor((svg.clientWidth - 60) / column)));
    const lines = wrap(box.name, columns).map((line) => [line, 'strong']);
    for (const line of box.lines.slice(1)) lines.push([line, '']);
    if (zoomed !== boxes[0] && box.row >= zoomed.row) {
      lines.push([percent(box.total, zoomed.total) + ' of the zoomed frame', 'dim']);
    }
    const frame = document.createElementNS(svgNs, 'rect');
    const texts = lines.map(([line, kind], i) => {
      const text = document.createElementNS(svgNs, 'text');
      text.textContent = line;
      text.setAttribute('class', kind);
      text.setAttribute('x', '10');
      text.setAttribute('y', String(19 + 16 * i));
      return text;
    });
    const longest = Math.max(...lines.map(([line]) => Array.from(line).reduce((sum, c) => sum + columnsOf(c), 0)));
    const width = longest * (column + 0.2) + 22, height = 16 * lines.length + 14;
    for (const [key, value] of [['width', width], ['height', height], ['rx', 6]]) frame.setAttribute(key, value);
    hint.replaceChildren(frame, ...texts);
    hint.style.display = '';
    const bottom = window.scrollY + window.innerHeight;
    let x = event.pageX + 14, y = event.pageY + 16;
    if (x + width > svg.clientWidth - 6) x = Math.max(6, svg.clientWidth - width - 6);
    if (y + height > bottom - 6) y = Math.max(6, event.pageY - height - 12);
    hint.setAttribute('transform', `translate(${x},${y})`);
  };

  const boxOf = new Map(boxes.map((box) => [box.g, box]));
  const boxAt = (event) => boxOf.get(event.target.closest?.('.f'));
  svg.addEventListener('click', (event) => {
    const box = boxAt(event);
    if (box) zoom(box);
  });
  svg.addEventListener('mousemove', (event) => {
    const box = boxAt(event);
    if (box) showHint(box, event); else hint.style.display = 'none';
  });
  svg.addEventListener('mouseleave', () => { hint.style.display = 'none'; });
  window.addEventListener('resize', layOut);
  window.addEventListener('keydown', (event) => {
    const input = byId('search');
    const typing = document.activeElement === input;
    if ((event.key === 'f' && (event.ctrlKey || event.metaKey) && !typing) || (event.key === '/' && !typing)) {
      event.preventDefault();  // a second Ctrl-F, with the search focused, opens the browser's search
      input.focus();
      input.select();
    } else if (event.key === 'Escape') {
      if (input.value !== '') { input.value = ''; setPattern(''); } else { input.blur(); zoom(boxes[0]); }
    }
  });

  svg.removeAttribute('viewBox');
  svg.setAttribute('width', '100%');
  byId('page').setAttribute('width', '100%');
  makeTools();
  svg.append(hint);
  const state = new URLSearchParams(location.hash.slice(1));
  byId('search').value = state.get('search') ?? '';
  if (byId('search').value !== '') setPattern(byId('search').value);
  zoom(boxes[Number(state.get('zoom'))] ?? boxes[0]);
})();
)js";

}  // namespace flarestack::codec::svg
