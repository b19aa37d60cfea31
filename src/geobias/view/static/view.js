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

// Runs that are still going.
const runs = find("#runs");
if (runs) {
  const update = async () => {
    try {
      const answer = await fetch("/runs.json", { headers: { Accept: "application/json" } });
      const told = await answer.json();
      const there = (run) => {
        const place = document.getElementById(`run-${run.id}`);
        return place && Boolean(find(".state", place)) === !run.fault;
      };
      // A run that is new, or can be read by now, needs more than new numbers.
      if (told.length !== all(".run", runs).length || !told.every(there)) return location.reload();
      for (const run of told) {
        if (run.fault) continue;
        const place = document.getElementById(`run-${run.id}`);
        const state = find(".state", place);
        state.textContent = run.state;
        state.className = `state ${run.state}`;
        find(".calls", place).textContent = run.calls.toLocaleString("en");
        find(".cost", place).textContent = run.cost === null ? "–" : `$${run.cost.toFixed(4)}`;
        for (const probe of run.probes) {
          const line = find(`[data-probe="${CSS.escape(probe.probe)}"]`, place);
          if (!line) continue;
          find("progress", line).value = probe.share;
          find(".count", line).textContent =
            `${probe.done.toLocaleString("en")} of ${probe.planned.toLocaleString("en")}`;
          find(".outcomes", line).textContent =
            probe.outcomes.map(([word, n]) => `${n.toLocaleString("en")} ${word}`).join(", ");
        }
      }
    } catch { /* the application was stopped; the page stays as it is */ }
    setTimeout(update, document.hidden ? 5000 : 1000);
  };
  setTimeout(update, 1000);
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
  if (key === "b") follow("[data-back]");
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
    if (event.key === "z") { event.preventDefault(); find("#undo")?.click(); }
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
