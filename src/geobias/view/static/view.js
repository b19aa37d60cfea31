"use strict";
// Nothing here makes HTML: what models said reaches the page as text alone.
const find = (selector, within = document) => within.querySelector(selector);
const all = (selector, within = document) => [...within.querySelectorAll(selector)];

// Filters apply as soon as one is chosen.
for (const select of all(".filters select")) {
  select.addEventListener("change", () => {
    for (const field of select.form.elements) if (!field.value) field.disabled = true;
    select.form.requestSubmit();
  });
}

// Keys. A person who types into a field means the field.
const typing = (event) =>
  event.ctrlKey || event.metaKey || event.altKey ||
  (event.target.matches("input, textarea, select") && event.key !== "Escape");

let row = -1;
function step(by) {
  const rows = all(".list tbody tr");
  if (!rows.length) return;
  rows[row]?.classList.remove("current");
  row = Math.min(rows.length - 1, Math.max(0, row + by));
  rows[row].classList.add("current");
  rows[row].scrollIntoView({ block: "nearest" });
}

const follow = (selector) => find(selector)?.click();
document.addEventListener("keydown", (event) => {
  if (typing(event)) return;
  const help = find("#keys");
  const { key } = event;
  if (key === "?" && help) { help.open ? help.close() : help.showModal(); return; }
  if (key === "Escape") { event.target.blur(); return; }
  if (key === "/" && find("#q")) { event.preventDefault(); find("#q").focus(); return; }
  if (find(".list")) {
    if (key === "j" || key === "ArrowDown") { event.preventDefault(); step(1); }
    if (key === "k" || key === "ArrowUp") { event.preventDefault(); step(-1); }
    if (key === "Enter" && row >= 0) find("a", all(".list tbody tr")[row]).click();
  }
  if (key === "n" || key === "ArrowRight") follow("[data-next]");
  if (key === "p" || key === "ArrowLeft") follow("[data-previous]");
});

// Checking: one key for each verdict.
const judging = find("#judging");
if (judging) {
  let sent = false;
  judging.addEventListener("submit", (event) => {
    if (sent) event.preventDefault(); // a key held down is one verdict
    sent = true;
  });
  document.addEventListener("keydown", (event) => {
    if (event.repeat || typing(event)) return;
    const button = all("button[data-keys]", judging).find((one) => one.dataset.keys.includes(event.key));
    if (button) {
      event.preventDefault();
      const value = find(`#value-${button.value}`);
      if (value && !value.value.trim()) value.focus();
      else judging.requestSubmit(button);
    }
    if (event.key === "z") { event.preventDefault(); find("#last")?.click(); }
    if (event.key === "s") { event.preventDefault(); find("#later")?.click(); }
  });
  for (const value of all("input[data-verdict]", judging)) {
    value.addEventListener("keydown", (event) => {
      if (event.key !== "Enter") return;
      event.preventDefault();
      if (value.value.trim()) judging.requestSubmit(find(`button[value="${value.dataset.verdict}"]`, judging));
    });
  }
}
