"use strict";
// The table of models: sorting and filtering. Text is only ever set as text.
const table = document.getElementById("models");
if (table) {
  const body = table.tBodies[0];
  const rows = Array.from(body.rows, (row) => ({
    row,
    text: row.textContent.toLowerCase(),
    keys: Array.from(row.cells, (cell) =>
      cell.dataset.value === undefined ? cell.textContent.trim() : Number(cell.dataset.value.replace("−", "-"))),
  }));
  const heads = Array.from(table.querySelectorAll(".heads th[aria-sort]"));
  heads.forEach((head, column) => head.querySelector("button").addEventListener("click", () => {
    const down = head.getAttribute("aria-sort") === "ascending";
    heads.forEach((one) => one.setAttribute("aria-sort", "none"));
    head.setAttribute("aria-sort", down ? "descending" : "ascending");
    const numbers = rows.some((one) => typeof one.keys[column] === "number");
    rows.sort((a, b) => {
      const [x, y] = [a.keys[column], b.keys[column]];
      // What has no number stands last in either direction.
      if (numbers && typeof x !== typeof y) return typeof x === "number" ? -1 : 1;
      const order = typeof x === "number" ? x - y : x.localeCompare(y);
      return down ? -order : order;
    });
    body.append(...rows.map((one) => one.row));
  }));
  const filter = document.getElementById("filter");
  const shown = document.getElementById("shown");
  const apply = () => {
    const words = filter.value.toLowerCase().split(/\s+/).filter(Boolean);
    let count = 0;
    for (const one of rows) {
      one.row.hidden = !words.every((word) => one.text.includes(word));
      count += one.row.hidden ? 0 : 1;
    }
    shown.textContent = `${count} of ${rows.length} models`;
  };
  filter.addEventListener("input", apply);
  apply();
}
// Two models side by side; the address keeps which.
const pair = document.getElementById("pair");
if (pair) {
  const wanted = new URLSearchParams(location.hash.slice(1));
  const selects = ["first", "second"].map((name, place) => {
    const select = document.getElementById(name);
    MODELS.forEach((one) => select.add(new Option(one.model, one.file)));
    select.value = wanted.get(name) || "";
    if (select.selectedIndex < 0) select.selectedIndex = Math.min(place, MODELS.length - 1);
    select.addEventListener("change", show);
    return select;
  });
  function show() {
    const both = selects.map((select) => MODELS[select.selectedIndex]);
    both.forEach((one, place) => { pair.tHead.rows[0].cells[place + 2].textContent = one.model; });
    const names = new Set(both.flatMap((one) => Object.keys(one.metrics)));
    pair.tBodies[0].replaceChildren(...Array.from(names, (name) => {
      const row = document.createElement("tr");
      const found = both.map((one) => one.metrics[name]);
      const about = found.find(Boolean);
      row.insertCell().textContent = about.probe;
      row.insertCell().textContent = about.label;
      for (const one of found) {
        const cell = row.insertCell();
        cell.textContent = one ? one.text : "not run";
        if (one && one.n) cell.append(" ", Object.assign(document.createElement("small"), { textContent: `n = ${one.n}` }));
        if (one && one.why) cell.title = one.why;
      }
      return row;
    }));
    history.replaceState(null, "", `#first=${selects[0].value}&second=${selects[1].value}`);
  }
  show();
}
