"use strict";
// Without this script everything is shown; with it, one metric, model and number at a time.
(() => {
  const views = [...document.querySelectorAll(".view")];
  const kinds = { metric: "Metric", model: "Model", n: "Number of features" };
  const chosen = {};
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
    document.querySelector("#settings").after(bar);
    show();
  }
})();
