"use strict";
/* The page works without this: it adds tooltips, sorting, searching and country profiles.
   Everything a model said goes through textContent. */
(async () => {
  const root = document.documentElement;
  const one = (selector, within = document) => within.querySelector(selector);
  const all = (selector, within = document) => [...within.querySelectorAll(selector)];
  const packed = Uint8Array.from(atob(one("#page-data").textContent), (c) => c.charCodeAt(0));
  const unpacked = new Blob([packed]).stream().pipeThrough(new DecompressionStream("gzip"));
  const data = await new Response(unpacked).json();
  const SVG = "http://www.w3.org/2000/svg";

  const made = (tag, words = "", kind = "") => {
    const element = document.createElement(tag);
    if (kind) element.className = kind;
    if (words !== "") element.textContent = words;
    return element;
  };

  /* Tooltips, by mouse, finger and arrow keys. */
  const tip = made("div");
  tip.id = "tip";
  tip.hidden = true;
  tip.setAttribute("aria-hidden", "true");
  document.body.append(tip);
  const live = made("div", "", "skip");
  live.setAttribute("aria-live", "polite");
  document.body.append(live);
  const MARKS = ".panel svg [aria-label]";

  /* Neighbours are drawn over half of an economy's own outline; this one lies on top of them. */
  const outline = document.createElementNS(SVG, "use");
  outline.setAttribute("class", "outline");
  const trace = (mark) => {
    const shape = mark.getAttribute("href");
    if (!shape) { outline.remove(); return; }
    outline.setAttribute("href", shape);
    if (outline.parentNode !== mark.parentNode) mark.parentNode.append(outline);
  };

  const show = (mark, x, y) => {
    trace(mark);
    tip.textContent = mark.getAttribute("aria-label");
    tip.hidden = false;
    const box = tip.getBoundingClientRect();
    const left = Math.min(Math.max(8, x + 14), innerWidth - box.width - 8);
    const top = y + 18 + box.height > innerHeight ? y - box.height - 10 : y + 18;
    tip.style.left = `${left}px`;
    tip.style.top = `${Math.max(4, top)}px`;
  };
  const hide = () => { tip.hidden = true; outline.remove(); };

  document.addEventListener("pointermove", (event) => {
    const mark = event.target.closest?.(MARKS);
    if (mark) show(mark, event.clientX, event.clientY); else if (!one("svg .current")) hide();
  });
  document.addEventListener("scroll", hide, { passive: true, capture: true });

  const leave = (svg) => all(".current", svg).forEach((mark) => mark.classList.remove("current"));
  const visit = (svg, mark) => {
    leave(svg);
    mark.classList.add("current");
    const box = mark.getBoundingClientRect();
    show(mark, box.left + box.width / 2, box.top + box.height / 2);
    live.textContent = tip.textContent;
  };
  const wireMarks = (within) => all(".panel svg", within).forEach((svg) => {
    const marks = all("[aria-label]", svg);
    for (const mark of marks) mark.setAttribute("role", "graphics-symbol");
    if (!marks.length) return;
    svg.tabIndex = 0;
    let at = -1;
    let sorted = !one(".economy", svg);
    svg.addEventListener("keydown", (event) => {
      if (!sorted) {
        sorted = true; /* Not before it is wanted: a page may have many maps. */
        marks.sort((a, b) => order.compare(a.getAttribute("aria-label"), b.getAttribute("aria-label")));
      }
      const step = { ArrowRight: 1, ArrowDown: 1, ArrowLeft: -1, ArrowUp: -1 }[event.key];
      if (step) {
        at = (at + step + marks.length) % marks.length;
        visit(svg, marks[at]);
        event.preventDefault();
      } else if (event.key === "Escape") {
        leave(svg);
        hide();
      } else if (event.key === "Enter" && at >= 0 && marks[at].dataset.iso) {
        openProfile(marks[at].dataset.iso);
      }
    });
    svg.addEventListener("blur", () => { leave(svg); hide(); });
  });
  wireMarks(document);

  /* Saving the numbers, and printing. */
  const download = (blob, name) => {
    const link = made("a");
    link.href = URL.createObjectURL(blob);
    link.download = name;
    document.body.append(link);
    link.click();
    link.remove();
    setTimeout(() => URL.revokeObjectURL(link.href), 10000);
  };
  document.addEventListener("click", (event) => {
    const take = event.target.closest?.("button[data-take]")?.dataset.take;
    if (take === "print") print();
    if (take === "csv") download(new Blob([data.numbers], { type: "text/csv;charset=utf-8" }), "geobias-report.csv");
  });

  /* The address tells what is shown: #section, then the country, the order of the table, the model. */
  const place = () => {
    const [id, ...rest] = location.hash.slice(1).split("&").map(decodeURIComponent);
    return { id, ...Object.fromEntries(rest.map((part) => part.split("="))) };
  };
  const keep = (changes) => {
    const { id, ...rest } = { ...place(), ...changes };
    const parts = Object.entries(rest).filter(([, value]) => value !== undefined).map((pair) => pair.join("="));
    history.replaceState(null, "", `#${[id, ...parts].map(encodeURIComponent).join("&").replaceAll("%3D", "=")}`);
  };

  /* Tables that are sorted by a click on a head, and the search for a country. */
  const fold = (text) => text.normalize("NFD").replace(/\p{M}/gu, "").toLowerCase();
  const order = new Intl.Collator("en", { numeric: true });
  const wireSort = (table, name) => {
    const body = table.tBodies[0];
    const rows = [...body.rows];
    const [wanted, way] = (place()[name] ?? "").split(",");
    for (const button of all("button.sort", table)) {
      const head = button.closest("th");
      const column = +head.dataset.column;
      const sort = (up) => {
        all("th[aria-sort]", table).forEach((other) => other.removeAttribute("aria-sort"));
        head.setAttribute("aria-sort", up ? "ascending" : "descending");
        const key = (row) => row.cells[column].dataset.value ?? "";
        const sign = up ? 1 : -1;
        const number = head.classList.contains("number") || button.classList.contains("numeric");
        rows.sort((a, b) => {
          const [x, y] = [key(a), key(b)];
          if (x === "" || y === "") return (x === "") - (y === "");
          return sign * (number ? x - y : order.compare(x, y));
        });
        body.append(...rows);
        for (const row of rows) {
          one(".pooled.sorted", row)?.classList.remove("sorted");
          one(".pooled", row.cells[column])?.classList.add("sorted");
        }
        keep({ [name]: `${column},${up ? "up" : "down"}` });
      };
      button.addEventListener("click", () => sort(head.getAttribute("aria-sort") !== "ascending"));
      if (wanted === String(column)) sort(way === "up");
    }
  };
  const wireCountries = () => {
    const table = one("#countries table");
    if (!table) return;
    wireSort(table, "sort");
    const rows = [...table.tBodies[0].rows];
    const names = new Map(rows.map((row) => [row, fold(row.dataset.search)]));
    const search = one("#search");
    const count = one("#count");
    search.addEventListener("input", () => {
      const wanted = fold(search.value.trim());
      let shown = 0;
      for (const row of rows) {
        row.hidden = !names.get(row).includes(wanted);
        shown += !row.hidden;
      }
      count.textContent = `${shown} of ${rows.length}`;
    });
  };
  wireCountries();

  /* Many models: a table of all, and the details of one. The first stand in the page, the others
     are packed. Their text was escaped when the page was made. */
  const models = one("table.models");
  if (models) wireSort(models, "order");
  if (models && one("#choose")) {
    const unpack = async (text) => {
      const bytes = Uint8Array.from(atob(text), (c) => c.charCodeAt(0));
      return new Response(new Blob([bytes]).stream().pipeThrough(new DecompressionStream("gzip"))).json();
    };
    const box = one("#details");
    const seen = [box.innerHTML];
    const select = one("#choose");
    const mark = (at) => all("[data-choose]", models).forEach((link) => link.closest("tr").classList.toggle("shown", +link.dataset.choose === at));
    const choose = async (at) => {
      seen[at] ??= await unpack(one(`#model-${at}`).textContent);
      hide();
      box.innerHTML = seen[at];
      one("#chosen strong").textContent = data.models[at];
      select.value = at;
      mark(at);
      keep({ model: at || undefined });
      wireMarks(box);
      wireCountries();
      live.textContent = `Details of ${data.models[at]}`;
    };
    select.addEventListener("change", () => choose(+select.value));
    models.addEventListener("click", (event) => {
      const link = event.target.closest("[data-choose]");
      if (!link) return;
      event.preventDefault();
      choose(+link.dataset.choose).then(() => one("#chosen").scrollIntoView());
    });
    if (+place().model) await choose(+place().model); else mark(0);
  }

  /* A link into what is folded opens it; a fold that is opened is in the address. */
  const unfold = () => {
    const target = document.getElementById(place().id);
    for (let box = target; box; box = box.parentElement) if (box.tagName === "DETAILS") box.open = true;
    if (target) target.scrollIntoView();
  };
  addEventListener("hashchange", unfold);
  document.addEventListener("click", (event) => {
    const fold = event.target.closest?.("summary")?.parentElement;
    if (fold?.id) keep({ id: fold.open ? "" : fold.id });
  });
  addEventListener("beforeprint", () => all("details:not([open])").forEach((box) => { box.open = true; box.dataset.opened = ""; }));
  addEventListener("afterprint", () => all("details[data-opened]").forEach((box) => { box.open = false; delete box.dataset.opened; }));

  /* Country profiles. */
  const dialog = one("#profile");
  const PROBES = data.probes;
  const reply = (shown, several) => {
    const box = made("div", "", "reply");
    const head = made("p", "", "head");
    head.append(made("strong", several ? `${shown.title} · ${data.models[shown.model]}` : shown.title), made("span", shown.verdict));
    box.append(head);
    if (shown.turns) {
      const list = made("ol");
      for (const [asked, answer] of shown.turns) {
        const item = made("li", `${asked} `);
        item.append(made("span", answer));
        list.append(item);
      }
      box.append(list);
      if (shown.more) box.append(made("p", `… ${shown.more} more turns`, "asked"));
    } else {
      box.append(made("p", shown.asked, "asked"), made("p", shown.said, "words"));
    }
    return box;
  };
  const openProfile = (iso3) => {
    const country = data.countries[iso3];
    if (!country) return;
    const inside = made("div", "", "profile");
    const header = made("header");
    const close = made("button", "Close", "close");
    close.addEventListener("click", () => dialog.close());
    const name = made("h2", country.name);
    name.id = "profile-name";
    header.append(name, close);
    inside.append(header, made("p", [country.region, country.income ?? "no income group", country.continent].join(" · "), "muted"));
    if (country.measures.length) {
      const grid = made("table");
      const top = grid.createTHead().insertRow();
      const several = data.models.length > 1;
      const heads = ["measure", ...(several ? ["model"] : []), "value", "95% interval", "pooled", "n", "asked"];
      for (const title of heads) {
        const cell = made("th", title, ["measure", "model"].includes(title) ? "" : "number");
        cell.scope = "col";
        if (title === "pooled") cell.title = "Draws on all countries as well, most where this one has few replies";
        top.append(cell);
      }
      const lines = grid.createTBody();
      for (const [title, model, value, interval, pooled, n, asked, measurable] of country.measures) {
        const line = lines.insertRow();
        const head = made("th", title);
        head.scope = "row";
        if (!measurable) {
          line.className = "grey";
          head.append(made("small", "not measurable"));
        }
        line.append(head);
        if (several) line.append(made("td", data.models[model]));
        line.append(made("td", value, "number"), made("td", interval, "number interval"), made("td", pooled, "number interval"), made("td", n, "number"), made("td", asked, "number"));
      }
      const scroll = made("div", "", "scroll");
      scroll.append(grid);
      inside.append(scroll);
      if (country.measures.some((one) => one[4])) inside.append(made("p", "Pooled: draws on all countries as well, most where this one has few replies. The table of countries is sorted by it.", "note"));
    } else {
      inside.append(made("p", "This run did not ask about it."));
    }
    const told = data.replies[iso3];
    for (const probe of Object.keys(PROBES)) {
      const total = (told?.counts ?? []).filter((one) => one[1] === probe).reduce((sum, one) => sum + one[2], 0);
      if (!total) continue;
      const shown = told.shown.filter((one) => one.probe === probe);
      const [title, counted] = PROBES[probe];
      inside.append(made("h4", `${title}: ${shown.length} of ${total.toLocaleString("en")} ${counted}`));
      for (const one of shown) inside.append(reply(one, data.models.length > 1));
    }
    if (told) {
      const line = made("p", "All of them: ", "note");
      for (const file of data.files) line.append(made("code", `geobias replies ${file} --country ${iso3} --limit 1000`), " ");
      inside.append(line);
    }
    dialog.replaceChildren(inside);
    if (!dialog.open) dialog.showModal();
    keep({ country: iso3 });
    dialog.scrollTop = 0;
    hide();
  };
  dialog?.addEventListener("close", () => keep({ country: undefined }));
  dialog?.addEventListener("click", (event) => { if (event.target === dialog) dialog.close(); });
  document.addEventListener("click", (event) => {
    const mark = event.target.closest?.("[data-iso]");
    if (mark) openProfile(mark.dataset.iso);
  });

  /* The place in the page, marked in the line of sections: the last one that has begun. */
  const links = all(".top nav a:not(.home)");
  const mark = () => {
    const begun = links.filter((link) => (one(link.getAttribute("href"))?.getBoundingClientRect().top ?? Infinity) < innerHeight / 3);
    const here = begun.at(-1);
    for (const link of links) {
      if (link === here) link.setAttribute("aria-current", "location"); else link.removeAttribute("aria-current");
    }
  };
  let waiting = false;
  addEventListener("scroll", () => {
    if (waiting) return;
    waiting = true;
    requestAnimationFrame(() => { waiting = false; mark(); });
  }, { passive: true });
  mark();
  root.classList.remove("no-script");
  if (location.hash) unfold();
  if (place().country) openProfile(place().country);
})();
