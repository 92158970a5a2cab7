// Many rows on one axis: their verdicts follow the ROPE, are counted in a sentence, searched, filtered and sorted.

function growing(root, data, rows) {
  const find = (selector) => root.querySelector(selector);
  const lines = Array.from(root.querySelectorAll(".op-forest tbody tr"));
  const order = Object.keys(data.short);
  const averages = rows.some((row) => row.single); // an average over classes is no class
  const counted = rows.filter((row) => row.single || !averages);
  const place = (value) => ((value - data.forest[0]) / (data.forest[1] - data.forest[0])) * data.cell;

  function draw(line, { name, hdi, rope, inside }, row) {
    const cells = line.querySelectorAll("td");
    line.dataset.verdict = name || "";
    cells[2].textContent = interval(hdi, row.digits);
    cells[3].textContent = inside === null ? "–" : percent(inside);
    cells[4].textContent = name ? `${data.symbols[name]} ${data.short[name]}` : "–";
    cells[3].dataset.value = inside === null ? -1 : inside;
    cells[4].dataset.value = name ? order.indexOf(name) : -1;
    const [low, high] = (rope || [0, 0]).map(place);
    const [whisker, region] = [line.querySelector(".op-whisker"), line.querySelector(".op-region")];
    whisker.setAttribute("x1", place(hdi[0]));
    whisker.setAttribute("x2", place(hdi[1]));
    region.setAttribute("x", low);
    region.setAttribute("width", Math.max(high - low, 0));
  }

  // Of 20 classes, a against b: better in 6, worse in 1; 13 unresolved (9 leaning towards a).
  // Without a ROPE: ahead in 9; 11 not distinguishable. No verdict without a margin (ROPE).
  function tally(counts, rope) {
    const [first] = counted;
    if (counted.some((row) => row.a !== first.a || row.b !== first.b)) return "";
    const said = (outcomes) =>
      outcomes
        .filter(([name]) => counts[name])
        .map(([name, words]) => words.replace(/\{(n|a|b)\}/g, (_, key) => (key === "n" ? counts[name] : first[key])))
        .join(", ");
    const settled = rope ? data.tally.settled : data.tally.ahead;
    const open = counted.length - settled.reduce((n, [name]) => n + (counts[name] || 0), 0);
    const leaning = said(data.tally.leaning);
    const [same, without] = rope ? [`unresolved${leaning && ` (${leaning})`}`, ""] : data.without;
    const told = [said(settled), open ? `${open} ${same}` : ""].filter(Boolean).join("; ");
    return `Of ${counted.length} ${data.tally.what}, ${first.a} against ${first.b}: ${told}. ${without}`.trim();
  }

  // Averages stay in sight.
  function filter() {
    const [search, verdict] = [find(".op-search"), find(".op-filter")];
    if (!search) return;
    const wanted = search.value.trim().toLocaleLowerCase();
    let found = 0;
    for (const line of lines) {
      const row = rows[line.dataset.row];
      const fits = row.label.toLocaleLowerCase().includes(wanted) && (!verdict.value || line.dataset.verdict === verdict.value);
      line.hidden = !fits && counted.includes(row);
      found += fits && counted.includes(row);
    }
    find(".op-found").textContent = found === counted.length ? "" : `${found} of ${counted.length} shown`;
  }

  function sorting(button, column) {
    button.addEventListener("click", () => {
      const head = button.closest("th");
      const down = head.getAttribute("aria-sort") === "ascending";
      root.querySelectorAll(".op-forest th[aria-sort]").forEach((other) => other.removeAttribute("aria-sort"));
      head.setAttribute("aria-sort", down ? "descending" : "ascending");
      const key = (line) => {
        const cell = line.children[column];
        return cell.dataset.value === undefined ? cell.textContent.trim() : Number(cell.dataset.value);
      };
      const compare = (x, y) =>
        typeof x === "number" && typeof y === "number" ? x - y : String(x).localeCompare(String(y), undefined, { numeric: true });
      lines.sort((x, y) => (down ? -1 : 1) * compare(key(x), key(y)));
      find(".op-forest tbody").replaceChildren(...lines);
    });
  }

  root.querySelectorAll(".op-forest thead button").forEach(sorting);
  find(".op-search")?.addEventListener("input", filter);
  find(".op-filter")?.addEventListener("change", filter);

  const [told, onward, next] = [find(".op-tally").textContent, find(".op-onward"), find(".op-onward")?.textContent];

  // What to do next goes with the verdicts of the report, or with none.
  function showWhole(counts, rope) {
    const said = tally(counts, rope);
    find(".op-tally").textContent = said;
    if (find(".op-margin")) find(".op-margin").textContent = rope ? `Margin (ROPE) ${margin(rope, rows[0].digits)}.` : "No margin (ROPE).";
    if (!onward) return;
    onward.textContent = rope ? next : data.open[1];
    onward.hidden = Boolean(rope) && said !== told;
  }

  return (judge, chosen) => {
    const counts = {};
    let rope = null;
    for (const line of lines) {
      const index = Number(line.dataset.row);
      const found = judge(rows[index]);
      rope = found.rope;
      draw(line, found, rows[index]);
      line.classList.toggle("op-chosen", index === chosen);
      line.querySelector("button").setAttribute("aria-pressed", index === chosen);
      const outcome = found.name || found.ahead;
      if (counted.includes(rows[index])) counts[outcome] = (counts[outcome] || 0) + 1;
    }
    showWhole(counts, rope);
    filter();
  };
}

