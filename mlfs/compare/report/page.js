"use strict";
// Without this script everything is shown; with it, one metric, model and number at a time, and
// what the legend switches off is hidden in every chart.
(() => {
  const views = [...document.querySelectorAll(".view")];
  const kinds = { metric: "Metric", model: "Model", n: "Number of features" };
  const chosen = {};
  const panel = document.querySelector(".panel");
  const bar = document.createElement("div");
  bar.className = "choices";
  for (const [kind, words] of Object.entries(kinds)) {
    const values = [...new Set(views.map((view) => view.dataset[kind]).filter(Boolean))];
    if (values.length < 2) continue;
    const select = document.createElement("select");
    select.name = kind;
    for (const value of values) select.add(new Option(value, value));
    if (kind === "n") select.value = values[values.length - 1];
    chosen[kind] = select.value;
    select.addEventListener("change", () => { chosen[kind] = select.value; show(); });
    const label = document.createElement("label");
    label.append(words + " ", select);
    bar.append(label);
  }
  function show() {
    for (const view of views) {
      const other = Object.keys(chosen).some((kind) => {
        const own = view.dataset[kind];
        return own && own !== chosen[kind] && exists(view, kind);
      });
      view.classList.toggle("hidden", other);
    }
  }
  // a section that has nothing for the choice (curves know no "all" models) shows what it has
  function exists(view, kind) {
    const peers = [...view.parentElement.children];
    return peers.some((peer) => peer.dataset[kind] === chosen[kind]);
  }
  if (bar.children.length) {
    panel.prepend(bar);
    show();
  }

  const charts = [...document.querySelectorAll("svg[data-y]")].map((svg) => ({
    svg,
    y: svg.dataset.y.split(" ").map(Number), // low, high, where low is, where high is
    x: svg.dataset.x.split(" ").map(Number),
    series: [...svg.querySelectorAll(".series")],
  }));
  for (const key of document.querySelectorAll(".key")) {
    const mine = (series) => series.dataset.series === key.dataset.series;
    key.addEventListener("click", () => {
      const on = key.getAttribute("aria-pressed") === "false";
      key.setAttribute("aria-pressed", String(on));
      for (const chart of charts) {
        const found = chart.series.filter(mine);
        for (const series of found) series.classList.toggle("off", !on);
        if (found.length) rescale(chart);
      }
    });
    for (const [event, lit] of [["pointerenter", 1], ["focus", 1], ["pointerleave", 0], ["blur", 0]]) {
      key.addEventListener(event, () => {
        for (const series of charts.flatMap((chart) => chart.series)) {
          series.classList.toggle("dim", Boolean(lit) && !mine(series));
          series.classList.toggle("lit", Boolean(lit) && mine(series));
        }
      });
    }
  }
  // What a mark or a mean says, with its rows in a file, when it is touched or gone to.
  const told = document.createElement("div");
  told.className = "told";
  told.setAttribute("role", "status");
  panel.append(told);
  let current = null;
  function tell(one) {
    current?.classList.remove("current");
    current = one;
    current?.classList.add("current");
    if (!one) return told.replaceChildren();
    const words = [one.querySelector("title")?.textContent ?? named(one)];
    if (one.dataset.rows) {
      const link = document.createElement("a");
      link.href = one.closest("table")?.dataset.file ?? "results.csv";
      link.textContent = link.getAttribute("href");
      words.push("; ", link, ", rows " + one.dataset.rows);
    }
    told.replaceChildren(...words);
  }
  function named(cell) {
    const head = cell.closest("table").tHead.rows[0].cells[cell.cellIndex];
    return [cell.parentElement.cells[0], head, cell].map((one) => one.textContent).join(", ");
  }
  const TOLD = ".series .mark, td[data-rows]";
  document.addEventListener("click", (event) => {
    if (!event.target.closest(".told")) tell(event.target.closest(TOLD));
  });
  // The arrow keys go through the marks of a chart, and through the means of a table.
  const arrows = { ArrowRight: [1, 0], ArrowLeft: [-1, 0], ArrowDown: [0, 1], ArrowUp: [0, -1] };
  for (const place of document.querySelectorAll(".wide, svg[data-x]")) {
    if (!place.querySelector(TOLD)) continue;
    place.tabIndex = 0;
    place.addEventListener("keydown", (event) => {
      const step = arrows[event.key];
      if (!step) return;
      const all = [...place.querySelectorAll(TOLD)].filter((one) => !one.closest(".off"));
      const row = all[0]?.closest("tr")?.querySelectorAll(TOLD).length ?? 1;
      const at = all.indexOf(current);
      const next = at < 0 ? 0 : at + step[0] + row * step[1];
      if (all[next]) tell(all[next]);
      event.preventDefault();
    });
  }

  // A table is copied with tabs between its cells, as a spreadsheet takes it.
  for (const wide of document.querySelectorAll(".wide")) {
    const table = wide.querySelector("table");
    if (!table.tHead) continue;
    const button = document.createElement("button");
    button.type = "button";
    button.className = "copy";
    button.textContent = "copy";
    button.title = "copy the table for a spreadsheet";
    button.addEventListener("click", async () => {
      const lines = [...table.rows].map((row) =>
        [...row.cells].map((cell) => cell.textContent.trim().replace(/\s+/g, " ")).join("\t"));
      button.textContent = (await copied(lines.join("\n"))) ? "copied" : "not allowed";
      setTimeout(() => { button.textContent = "copy"; }, 2000);
    });
    wide.after(button);
  }
  async function copied(text) {
    try {
      await navigator.clipboard.writeText(text);
      return true;
    } catch {
      const area = document.createElement("textarea");
      area.value = text;
      document.body.append(area);
      area.select();
      const done = document.execCommand("copy");
      area.remove();
      return done;
    }
  }

  // A heading sorts its table; rows with a bold name, such as the average ranks, stay below.
  for (const table of document.querySelectorAll("table")) {
    const body = table.tBodies[0];
    const rows = [...body.rows].filter((row) => !row.cells[0].querySelector("b"));
    if (!table.tHead || rows.length < 2) continue;
    const rest = [...body.rows].filter((row) => !rows.includes(row));
    [...table.tHead.rows[0].cells].forEach((head, column) => {
      const button = document.createElement("button");
      button.type = "button";
      button.className = "sort";
      button.append(...head.childNodes);
      head.append(button);
      button.addEventListener("click", () => {
        const down = head.getAttribute("aria-sort") === "ascending";
        for (const one of table.tHead.rows[0].cells) one.removeAttribute("aria-sort");
        head.setAttribute("aria-sort", down ? "descending" : "ascending");
        rows.sort((a, b) => (down ? -1 : 1) * compared(a, b, column));
        body.append(...rows, ...rest);
      });
    });
  }
  function compared(a, b, column) {
    const [one, other] = [a, b].map((row) => row.cells[column].textContent.trim());
    const [x, y] = [one, other].map((text) => parseFloat(text.replaceAll(",", "")));
    if (Number.isNaN(x) || Number.isNaN(y)) {
      return Number.isNaN(x) - Number.isNaN(y) || one.localeCompare(other);
    }
    return x - y;
  }

  // The visible lines get the whole height.
  function rescale(chart) {
    const seen = chart.series.filter((series) => !series.classList.contains("off"));
    if (!seen.length) return;
    const least = Math.min(...seen.map((series) => Number(series.dataset.low)));
    const most = Math.max(...seen.map((series) => Number(series.dataset.high)));
    const room = (most - least) * 0.08 || Math.max(Math.abs(most) * 0.05, 0.01);
    const [low, high] = [least - room, most + room];
    const [low0, high0, start, end] = chart.y;
    const at = (value) => start + ((value - low) / (high - low)) * (end - start);
    const moved = (pixel) => at(low0 + ((pixel - start) / (end - start)) * (high0 - low0));
    for (const line of chart.svg.querySelectorAll(".series polyline")) {
      line.dataset.points ??= line.getAttribute("points");
      const points = line.dataset.points.split(" ").map((pair) => pair.split(",").map(Number));
      line.setAttribute("points", points.map(([x, y]) => `${x},${moved(y).toFixed(1)}`).join(" "));
    }
    for (const mark of chart.svg.querySelectorAll(".series .mark")) {
      mark.dataset.at ??= mark.getAttribute("transform").match(/[-\d.]+/g).join(" ");
      const [x, y] = mark.dataset.at.split(" ").map(Number);
      mark.setAttribute("transform", `translate(${x} ${moved(y).toFixed(1)})`);
    }
    draw(chart, ticks(low, high).map((value) => [at(value), value]));
  }
  function draw(chart, places) {
    const group = chart.svg.querySelector(".ticks");
    const [line, words] = [group.querySelector("polyline"), group.querySelector("text")];
    if (!line || !words) return;
    const parts = places.flatMap(([place, value]) => {
      const [rule, text] = [line.cloneNode(), words.cloneNode()];
      rule.setAttribute("points", `${chart.x[0]},${place} ${chart.x[1]},${place}`);
      text.setAttribute("y", place + 4);
      text.textContent = String(Number(value.toPrecision(4)));
      return [rule, text];
    });
    group.replaceChildren(...parts);
  }
  function ticks(low, high) {
    const raw = (high - low) / 5;
    const scale = 10 ** Math.floor(Math.log10(raw));
    const step = scale * ([1, 2, 2.5, 5, 10].find((one) => one * scale >= raw) || 10);
    const found = [];
    for (let at = Math.ceil(low / step - 1e-9); at * step <= high + step * 1e-9; at += 1) {
      found.push(at * step);
    }
    return found;
  }
})();
