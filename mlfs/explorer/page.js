"use strict";
// The explorer: selects as mlfs.select does, from the numbers that are embedded, and shows it.
(() => {
  const data = JSON.parse(document.getElementById("data").textContent);
  const bytes = (text) => Uint8Array.from(atob(text), (c) => c.charCodeAt(0)).buffer;
  const doubles = (text) => new Float64Array(bytes(text));
  const m = data.names.length, q = data.labels.length, TIE = 1e-12;
  const R = doubles(data.relevance), H = doubles(data.entropy), given = doubles(data.given);
  const byLabel = new Float32Array(bytes(data.by_label));
  const packed = doubles(data.mi), mi = new Float64Array(m * m);
  for (let i = 0, k = 0; i < m; i++) {
    for (let j = i; j < m; j++, k++) mi[i * m + j] = mi[j * m + i] = packed[k];
  }

  // ---- selecting ---------------------------------------------------------------------------

  const ratio = (above, below) => (below > 0 ? above / below : 0);
  const quantity = {
    mi: (f, s) => mi[s * m + f],
    f_given_s: (f, s) => given[s * m + f],
    s_given_f: (f, s) => given[f * m + s],
    relevance: (f) => R[f],
  };
  const weight = {
    1: () => 1,
    labels: () => q,
    f: (f) => ratio(R[f], H[f]),
    s: (f, s) => ratio(R[s], H[s]),
    least: (f, s) => ratio(q, Math.min(H[f], H[s])),
  };

  function term(fold, f, s) {
    let sum = 0;
    for (const [factor, name] of fold.parts) sum += factor * quantity[name](f, s);
    return sum * weight[fold.weight](f, s);
  }

  function leaders(scores, open, tolerance) {
    let best = -1, second = -1;
    for (let f = 0; f < m; f++) {
      if (!open[f] || scores[f] === -Infinity) continue;
      if (best < 0 || scores[f] > scores[best]) [second, best] = [best, f];
      else if (second < 0 || scores[f] > scores[second]) second = f;
    }
    if (best < 0) return [-1, -1, []];
    const limit = scores[best] - tolerance(best);
    const tied = [];
    for (let f = 0; f < m; f++) if (open[f] && scores[f] >= limit) tied.push(f);
    return tied.length > 1 ? [tied[0], tied[1], tied.slice(1)] : [best, second, []];
  }

  function select(state) {
    const fold = data.folds[state.criterion], picks = [];
    const relevance = R.map((r, f) => (fold.skips_constant && !(H[f] > 0) ? -Infinity : r));
    const total = new Float64Array(m).fill(fold.least ? Infinity : 0);
    const open = new Array(m).fill(true);
    for (const f of state.forbid) open[f] = false;
    while (picks.length < state.n) {
      const n = picks.length;
      const over = { 1: 1, n, half: (n + 1) / 2 }[fold.over];
      const scores = relevance.map((r, f) => {
        if (!n || !fold.parts.length) return r;
        const t = (fold.total * total[f]) / over;
        return fold.score === "total" ? t : fold.score === "least" ? Math.min(r, t) : r + t;
      });
      const size = (f) => Math.abs(relevance[f]) + (n && isFinite(total[f]) ? Math.abs(total[f]) : 0);
      const tolerance = (f) => TIE * Math.max(1, size(f));
      let pick, second, ties;
      const forced = n < state.force.length;
      if (forced) {
        pick = state.force[n];
        const others = open.slice();
        others[pick] = false;
        let best = -1;
        for (let f = 0; f < m; f++) {
          if (others[f] && scores[f] > (best < 0 ? -Infinity : scores[best])) best = f;
        }
        [second, ties] = [best, []];
      } else {
        [pick, second, ties] = leaders(scores, open, tolerance);
      }
      if (pick < 0) break;
      const margin = second < 0 ? NaN : scores[pick] - scores[second];
      picks.push({
        f: pick, score: scores[pick], relevance: relevance[pick], second, ties, forced,
        margin: forced ? margin : Math.max(0, margin),
      });
      open[pick] = false;
      for (let f = 0; f < m; f++) {
        const t = term(fold, f, pick);
        total[f] = fold.least ? Math.min(total[f], t) : total[f] + t;
      }
    }
    return picks;
  }

  // ---- the state, which is in the address ----------------------------------------------------

  const places = new Map(data.index.map((index, f) => [index, f]));
  const state = { criterion: data.criterion, n: data.n, force: [], forbid: [], at: -1 };

  function readAddress() {
    const parts = new URLSearchParams(location.hash.slice(1));
    const list = (key) => (parts.get(key) || "").split(",").filter(Boolean)
      .map((index) => places.get(Number(index))).filter((f) => f !== undefined);
    state.criterion = Object.hasOwn(data.folds, parts.get("c")) ? parts.get("c") : data.criterion;
    const n = Number(parts.get("n"));
    state.n = Number.isInteger(n) && n > 0 ? Math.min(n, m) : data.n;
    state.force = [...new Set(list("force"))];
    state.forbid = list("forbid").filter((f) => !state.force.includes(f));
    state.at = list("at")[0] ?? -1;
  }

  function writeAddress() {
    const parts = [`c=${state.criterion}`, `n=${state.n}`];
    for (const key of ["force", "forbid"]) {
      if (state[key].length) parts.push(`${key}=${state[key].map((f) => data.index[f]).join(",")}`);
    }
    if (state.at >= 0) parts.push(`at=${data.index[state.at]}`);
    history.replaceState(null, "", `#${parts.join("&")}`);
  }

  function mark(f, how) {
    state.force = state.force.filter((other) => other !== f);
    state.forbid = state.forbid.filter((other) => other !== f);
    if (how !== "release") state[how].push(f);
    state.n = Math.max(state.n, state.force.length);
    state.at = f;
    show();
  }

  // ---- showing -------------------------------------------------------------------------------

  const SVG = "http://www.w3.org/2000/svg";
  const shortName = (f) => (data.names[f].length > 80 ? `${data.names[f].slice(0, 79)}…` : data.names[f]);
  const number = (x) => (Number.isFinite(x) ? x.toFixed(6) : "–");

  function make(tag, attributes = {}, ...children) {
    const isSvg = ["svg", "circle", "rect", "line", "text", "title"].includes(tag);
    const node = isSvg ? document.createElementNS(SVG, tag) : document.createElement(tag);
    for (const [key, value] of Object.entries(attributes)) {
      if (key.startsWith("on")) node.addEventListener(key.slice(2), value);
      else if (value !== null) node.setAttribute(key, value);
    }
    node.append(...children);
    return node;
  }

  const nameOf = (f) => make("bdi", { class: "name" }, shortName(f));
  const heading = (text) => make("h2", {}, text);

  function meter(score, relevance, most) {
    // the relevance, and what the picks add to it or take from it
    const low = Math.min(relevance, score), high = Math.max(relevance, score);
    const at = (x) => (most > 0 && isFinite(x) ? Math.max(0, Math.min(1, x / most)) * 110 : 0);
    const bar = make("svg", { class: "meter", viewBox: "0 0 110 12", "aria-hidden": "true" });
    bar.append(make("rect", { class: "plus", x: 0, y: 1, height: 10, width: at(low) }));
    const kind = score < relevance ? "minus" : "plus";
    bar.append(make("rect", { class: kind, x: at(low), y: 4, height: 4, width: at(high) - at(low) }));
    return bar;
  }

  function button(text, label, pressed, act) {
    const state = pressed === null ? null : String(pressed);
    return make("button", { type: "button", "aria-label": label, "aria-pressed": state, onclick: (e) => {
      e.stopPropagation();
      act();
    } }, text);
  }

  function buttons(f) {
    const forced = state.force.includes(f), banned = state.forbid.includes(f), name = shortName(f);
    return make("span", { class: "tools" },
      button("force", `force ${name}`, forced, () => mark(f, forced ? "release" : "force")),
      button("forbid", `forbid ${name}`, banned, () => mark(f, banned ? "release" : "forbid")));
  }

  function row(f, cells, extra = {}) {
    const line = make("tr", {
      tabindex: "0", "data-f": f, "aria-label": shortName(f), "aria-selected": String(f === state.at),
      ...extra,
      onclick: () => { state.at = f; show(); },
      onkeydown: (event) => {
        if (event.target !== line || event.ctrlKey || event.metaKey || event.altKey) return;
        const how = { p: "force", f: "forbid", r: "release" }[event.key.toLowerCase()];
        const step = { ArrowDown: "nextElementSibling", ArrowUp: "previousElementSibling" }[event.key];
        if (how) mark(f, how);
        else if (event.key === "Enter") line.click();
        else if (step) line[step]?.focus();
        else return;
        event.preventDefault();
      },
    });
    for (const cell of cells) line.append(make("td", {}, cell));
    return line;
  }

  function table(head, rows, label) {
    const top = make("tr", {}, ...head.map((text) => make("th", { scope: "col" }, text)));
    return make("div", { class: "wide" }, make("table", { "aria-label": label },
      make("thead", {}, top), make("tbody", {}, ...rows)));
  }

  // what resampling said of a pick, as long as it and those before it are the first ones
  function sureOf(picks, f) {
    const at = picks.findIndex((p) => p.f === f), sure = data.sure ?? [];
    const same = (p, i) => sure[i] && data.index[p.f] === sure[i].index;
    return state.criterion === data.criterion && at >= 0 && picks.slice(0, at + 1).every(same)
      ? sure[at] : null;
  }

  const share = (x) => `${Math.round(100 * x)} %`;

  function showPicks(picks) {
    const most = Math.max(...picks.map((p) => Math.max(p.score, p.relevance)), 0);
    const rows = picks.map((p, i) => row(p.f, [
      String(i + 1), nameOf(p.f), buttons(p.f), number(p.score), meter(p.score, p.relevance, most),
      number(p.relevance), number(p.relevance - p.score), number(p.margin),
      p.second < 0 ? "–" : nameOf(p.second),
      ...(data.sure ? [sureOf(picks, p.f) ? share(sureOf(picks, p.f).kept) : "–"] : []),
      p.forced ? "forced" : p.ties.length ? `ties with ${p.ties.length}` : "",
    ]));
    const head = ["rank", "name", "", "score", "", "relevance", "redundancy", "margin", "runner-up",
      ...(data.sure ? ["kept"] : []), ""];
    parts.picks.replaceChildren(heading("Picks"), table(head, rows, "picks"));
  }

  function sharedWith(f, picks) {
    const others = picks.filter((p) => p.f !== f);
    return others.length ? others.reduce((sum, p) => sum + mi[p.f * m + f], 0) / others.length : 0;
  }

  function showMap(picks) {
    const chosen = new Set(picks.map((p) => p.f));
    const shared = Array.from(R, (_, f) => sharedWith(f, picks));
    const right = Math.max(...R) || 1, top = Math.max(...shared) || 1;
    const map = make("svg", { viewBox: "0 0 420 300", role: "img", "aria-label": "map of candidates" });
    map.append(make("line", { class: "axis", x1: 40, y1: 265, x2: 410, y2: 265 }),
      make("line", { class: "axis", x1: 40, y1: 10, x2: 40, y2: 265 }));
    for (const [x, y, text, anchor] of [
      [410, 290, "relevance: information about the labels", "end"], [44, 14, "shared with the picks", "start"],
      [410, 278, number(right), "end"],
    ]) map.append(make("text", { x, y, "text-anchor": anchor }, text));
    for (let f = 0; f < m; f++) {
      const kind = (chosen.has(f) ? " pick" : "") + (state.forbid.includes(f) ? " ban" : "") +
        (f === state.at ? " at" : "");
      const x = 40 + (Math.max(0, R[f]) / right) * 362, y = 265 - (Math.max(0, shared[f]) / top) * 245;
      map.append(make("circle", { class: `dot${kind}`, cx: x, cy: y, r: 4.5, onclick: () => {
        state.at = f;
        show();
      } }, make("title", {}, shortName(f))));
    }
    parts.map.replaceChildren(heading("Map of candidates"), map);
  }

  function similarity(f, s) {
    return f === s ? 1 : ratio(2 * mi[f * m + s], H[f] + H[s]);
  }

  function showMatrix(picks) {
    const size = Math.max(1, picks.length);
    const canvas = make("canvas", { id: "matrix", width: size, height: size, role: "img",
      "aria-label": "symmetrical uncertainty of the picks, in their order" });
    const pen = canvas.getContext("2d");
    picks.forEach((a, i) => picks.forEach((b, j) => {
      pen.fillStyle = `rgba(0,114,178,${Math.max(0, Math.min(1, similarity(a.f, b.f)))})`;
      pen.fillRect(j, i, 1, 1);
    }));
    const open = parts.matrix.querySelector("details")?.open ?? false;
    const fold = make("details", open ? { open: "" } : {}, make("summary", {}, "Similarity of the picks"), canvas);
    parts.matrix.replaceChildren(fold);
  }

  function showColumn(picks) {
    const f = state.at;
    if (f < 0) {
      parts.column.replaceChildren(heading("One column"), make("p", {}, "Choose a column to see which labels it tells."));
      return;
    }
    const values = data.labels.map((label, l) => [label, byLabel[f * q + l]]);
    const most = Math.max(...values.map(([, value]) => value), 0);
    const shown = values.sort((a, b) => b[1] - a[1]).slice(0, 12).map(([label, value]) =>
      make("tr", {}, make("td", {}, make("bdi", { class: "name" }, label.slice(0, 80))),
        make("td", {}, meter(value, value, most)), make("td", {}, number(value))));
    const alike = Array.from(R, (_, s) => [s, similarity(f, s)]).filter(([s]) => s !== f)
      .sort((a, b) => b[1] - a[1]).slice(0, 5)
      .map(([s, value]) => row(s, [nameOf(s), number(value)]));
    const substitutes = (sureOf(picks, f)?.substitutes ?? []).map(([index, won, shared]) => {
      const s = places.get(index);
      return row(s, [nameOf(s), share(won), number(shared)]);
    });
    parts.column.replaceChildren(heading("One column"), make("p", {}, nameOf(f), " "), buttons(f),
      ...(substitutes.length ? [make("h3", {}, "What could stand in its place"),
        table(["column", "wins", "SU"], substitutes, "substitutes")] : []),
      make("h3", {}, "Labels that it tells"), table(["label", "", "I(f;l)"], shown, "labels that it tells"),
      make("h3", {}, "Columns most like it"), table(["column", "SU"], alike, "columns most like it"));
  }

  function showCandidates(picks) {
    const rank = new Map(picks.map((p, i) => [p.f, i + 1])), words = search.value.toLowerCase();
    const order = Array.from(R, (_, f) => f).sort((a, b) => R[b] - R[a] || a - b)
      .filter((f) => data.names[f].toLowerCase().includes(words));
    const rows = order.map((f) => row(f, [nameOf(f), number(R[f]), String(rank.get(f) ?? ""), buttons(f)]));
    const of = data.features > m ? `${m} of ${data.features}` : String(m);
    list.replaceChildren(table(["column", "relevance", "rank", ""], rows, "candidates"));
    count.textContent = `${rows.length} shown; the candidates are ${of} features`;
  }

  function show() {
    const focus = document.activeElement?.closest?.("tr[data-f]");
    const from = focus && [focus.closest("section")?.id, focus.dataset.f];
    const picks = select(state);
    criterion.value = state.criterion;
    size.value = state.n;
    showPicks(picks);
    showMap(picks);
    showMatrix(picks);
    showColumn(picks);
    showCandidates(picks);
    said.textContent = `${picks.length} picks by ${state.criterion}; ${state.force.length} forced, ` +
      `${state.forbid.length} forbidden`;
    writeAddress();
    if (from) document.querySelector(`#${from[0]} tr[data-f="${from[1]}"]`)?.focus();
    return picks;
  }

  // ---- what leaves the page ------------------------------------------------------------------

  const records = () => select(state).map((p, i) => ({
    rank: i + 1, index: data.index[p.f], name: data.names[p.f], score: p.score,
    relevance: p.relevance, margin: Number.isNaN(p.margin) ? null : p.margin, forced: p.forced,
  }));

  function download(name, kind, text) {
    const link = make("a", { href: URL.createObjectURL(new Blob([text], { type: kind })), download: name });
    link.click();
    setTimeout(() => URL.revokeObjectURL(link.href), 1000);
  }

  function csv() {
    const quoted = (value) => `"${String(value ?? "").replaceAll('"', '""')}"`;
    const lines = records().map((record) => Object.values(record).map(quoted).join(","));
    return `${["rank,index,name,score,relevance,margin,forced", ...lines].join("\n")}\n`;
  }

  async function copy() {
    const text = records().map((record) => record.name).join("\n");
    try {
      await navigator.clipboard.writeText(text);
    } catch {
      const area = make("textarea");
      area.value = text;
      document.body.append(area);
      area.select();
      document.execCommand("copy");
      area.remove();
    }
    said.textContent = "The names are in the clipboard.";
  }

  // ---- the page ------------------------------------------------------------------------------

  const parts = Object.fromEntries(["picks", "map", "matrix", "column", "candidates"]
    .map((id) => [id, make("section", { id })]));
  const criterion = make("select", { id: "criterion", onchange: () => { state.criterion = criterion.value; show(); } },
    ...Object.keys(data.folds).map((name) => make("option", { value: name }, name)));
  const size = make("input", { id: "n", type: "number", min: 1, max: m, onchange: () => {
    state.n = Math.max(1, state.force.length, Math.min(m, Math.floor(Number(size.value)) || 1));
    show();
  } });
  const search = make("input", { id: "search", type: "search", oninput: () => showCandidates(select(state)) });
  const said = make("span", { role: "status" }), list = make("div", { class: "list" }), count = make("p", { class: "told" });
  const reset = () => {
    Object.assign(state, { criterion: data.criterion, n: data.n, force: [], forbid: [], at: -1 });
    show();
  };
  parts.candidates.append(heading("Candidates"),
    make("label", {}, "search by name ", search), count, list);
  document.querySelector("main").append(
    make("h1", {}, "Explorer of a selection"),
    make("p", { class: "told" }, data.data ? make("bdi", {}, `${data.data.slice(0, 80)}: `) : "", `${data.rows.toLocaleString("en")} rows, ${data.features.toLocaleString("en")} features, ${q} labels; ` +
      "scores in nats. Click on a column, or go to it with the Tab and arrow keys; P forces it, F forbids it, R releases it."),
    make("div", { class: "panel" }, make("div", { class: "bar" },
      make("label", {}, "criterion ", criterion), make("label", {}, "picks ", size),
      button("copy names", "copy the names of the picks", null, copy),
      button("CSV", "download the picks as CSV", null, () => download("picks.csv", "text/csv", csv())),
      button("JSON", "download the picks as JSON", null, () => download("picks.json", "application/json",
        JSON.stringify({ criterion: state.criterion, selected: records() }, null, 1))),
      button("reset", "forget what is forced and forbidden", null, reset), said)),
    make("div", { class: "columns" }, make("div", {}, parts.picks, parts.candidates),
      make("div", {}, parts.map, parts.column, parts.matrix)));
  window.addEventListener("hashchange", () => { readAddress(); show(); });
  window.explorer = { state, show, select: (changes) => select({ ...state, ...changes }), places };
  readAddress();
  show();
})();
