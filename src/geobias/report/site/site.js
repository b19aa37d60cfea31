"use strict";
// The table of models: sorting and filtering. The address keeps both.
const table = document.querySelector("table.models");
const rows = [...table.tBodies[0].rows];
const given = new URLSearchParams(location.hash.slice(1));
const keep = (name, value) => {
  if (value) given.set(name, value); else given.delete(name);
  history.replaceState(null, "", `#${given}`);
};
const sort = (head, up) => {
  const column = +head.dataset.column;
  table.querySelectorAll("th[aria-sort]").forEach((one) => one.removeAttribute("aria-sort"));
  head.setAttribute("aria-sort", up ? "ascending" : "descending");
  const key = (row) => row.cells[column].dataset.value;
  rows.sort((a, b) => {
    const [x, y] = [key(a), key(b)];
    if (x === "" || y === "") return (x === "") - (y === ""); // What has no number stands last.
    return (up ? 1 : -1) * (column ? x - y : x.localeCompare(y));
  });
  table.tBodies[0].append(...rows);
  keep("sort", `${column},${up ? "up" : "down"}`);
};
for (const head of table.querySelectorAll("th[data-column]")) {
  head.querySelector("button").addEventListener("click", () => sort(head, head.getAttribute("aria-sort") !== "ascending"));
}
const filter = document.getElementById("filter");
const apply = () => {
  const words = filter.value.toLowerCase().split(/\s+/).filter(Boolean);
  for (const row of rows) row.hidden = !words.every((word) => row.textContent.toLowerCase().includes(word));
  document.getElementById("shown").textContent = `${rows.filter((row) => !row.hidden).length} of ${rows.length} models`;
  keep("find", filter.value);
};
filter.addEventListener("input", apply);
filter.value = given.get("find") ?? "";
const [column, way] = (given.get("sort") ?? "").split(",");
if (column) sort(table.querySelector(`th[data-column="${+column}"]`), way === "up");
apply();
