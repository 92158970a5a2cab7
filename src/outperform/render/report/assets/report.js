// The reader's own ROPE: what Python has drawn follows it. `mount(root, data)` runs on one report.

const SVG = "http://www.w3.org/2000/svg";

// The papers' rule, borders inclusive; the same as `outperform.decide`, on the same table of cases.
function decide(hdi, rope, midError, greaterIsBetter) {
  if (!greaterIsBetter) {
    hdi = [-hdi[1], -hdi[0]];
    rope = [-rope[1], -rope[0]];
  }
  if (rope[0] <= hdi[0] && hdi[1] <= rope[1]) return "equivalent";
  if (hdi[1] <= rope[0]) return "worse";
  if (hdi[0] >= rope[1]) return "better";
  const apart = (hdi[0] + hdi[1]) / 2 - (rope[0] + rope[1]) / 2;
  if (Math.abs(apart) <= 2 * midError) return "undecided";
  return apart > 0 ? "slightly_better" : "slightly_worse";
}

// What holds beyond the rule: too few units tell nothing, exchangeable classifiers have no sides.
function outcome(row, mass, rope) {
  if (row.few) return "undecided";
  const [low, high, midError] = row.hdi[mass];
  const name = decide([low, high], rope, midError, row.greater);
  if (row.exchangeable && name !== "equivalent") return "undecided";
  return name.startsWith("slightly") && !leans(row, name, rope) ? "undecided" : name;
}

// Whether most of the posterior lies on the side of the ROPE's middle that the HDI leans to.
function leans(row, name, rope) {
  const above = below(row.drawn, (rope[0] + rope[1]) / 2) < 0.5;
  return above === ((name === "slightly_better") === row.greater);
}

// Quantiles come as 16-bit steps between the least and the largest.
function unpack(row) {
  const bytes = Uint8Array.from(atob(row.quantiles), (character) => character.charCodeAt(0));
  const [least, most] = row.range;
  const at = (k) => least + ((bytes[2 * k] + 256 * bytes[2 * k + 1]) / 65535) * (most - least);
  return Array.from({ length: bytes.length / 2 }, (_, k) => at(k));
}

// The share of the posterior below a value, straight between quantiles, which are closer to each other in the tails.
function below(quantiles, value) {
  const last = quantiles.length - 1;
  if (value <= quantiles[0]) return 0;
  if (value >= quantiles[last]) return 1;
  let [low, high] = [0, last];
  while (high - low > 1) {
    const middle = (low + high) >> 1;
    if (quantiles[middle] <= value) low = middle;
    else high = middle;
  }
  const level = (k) => (1 - Math.cos((Math.PI * k) / last)) / 2;
  const step = quantiles[high] - quantiles[low];
  return level(low) + (step > 0 ? (value - quantiles[low]) / step : 0) * (level(high) - level(low));
}

const within = (quantiles, rope) => below(quantiles, rope[1]) - below(quantiles, rope[0]);

function signed(value, digits) {
  const written = Math.abs(value).toFixed(digits);
  return (value <= -1e-12 ? "-" : "+") + written;
}

function percent(share) {
  if (share > 0 && share < 0.0005) return "<0.1%";
  if (share > 0.9995 && share < 1) return ">99.9%";
  return (100 * share).toFixed(1) + "%";
}

const interval = (ends, digits) => `[${signed(ends[0], digits)}, ${signed(ends[1], digits)}]`;

// Words with names in them, each name isolated, so that one written right to left leaves the rest alone.
function worded(template, names) {
  return template.split(/(\{[ab]\})/).map((part) => {
    if (part !== "{a}" && part !== "{b}") return part;
    const name = document.createElement("bdi");
    name.textContent = names[part[1]];
    return name;
  });
}

function copying(block) {
  const button = document.createElement("button");
  button.type = "button";
  button.textContent = `Copy ${block.dataset.copy}`;
  button.addEventListener("click", async () => {
    const text = block.querySelector("pre").textContent;
    try {
      await navigator.clipboard.writeText(text);
    } catch {
      const area = document.createElement("textarea");
      area.value = text;
      block.append(area);
      area.select();
      document.execCommand("copy");
      area.remove();
    }
    button.textContent = "Copied";
    setTimeout(() => (button.textContent = `Copy ${block.dataset.copy}`), 1500);
  });
  block.querySelector("summary").after(button);
}

function mount(root, data) {
  root.querySelectorAll(".op-copy").forEach(copying);
  if (data.rows.length) follow(root, data);
}

function follow(root, data) {
  const find = (selector) => root.querySelector(selector);
  const all = (selector) => Array.from(root.querySelectorAll(selector));
  const rows = data.rows.map((row) => ({ ...row, drawn: unpack(row) }));
  const own = data.rope;
  const state = { rope: own, mass: data.mass, row: 0, symmetric: !own || own[0] === -own[1] };
  const bar = find(".op-bar");
  const [left, right] = data.frame;
  const place = (value, axis) => left + ((value - axis[0]) / (axis[1] - axis[0])) * (right - left);
  const clipped = (value, axis) => Math.min(Math.max(place(value, axis), left), right);
  const current = () => rows[state.row];
  const mark = (element, attributes) => {
    for (const [name, value] of Object.entries(attributes)) element.setAttribute(name, value);
    return element;
  };
  const drawn = (name, attributes, text) => {
    const element = mark(document.createElementNS(SVG, name), attributes);
    if (text !== undefined) element.textContent = text;
    return element;
  };

  // Of the ROPE that came with the report the share is known exactly.
  const ownRope = () => own && state.rope && own[0] === state.rope[0] && own[1] === state.rope[1];
  const inRope = (row) => (ownRope() ? row.inside : within(row.drawn, state.rope));
  // With the settings of the report, a verdict that was withheld beside the others stays withheld.
  const judged = (row) =>
    ownRope() && state.mass === data.mass && row.withheld ? row.withheld : outcome(row, state.mass, state.rope);

  function setRope(rope) {
    const most = current().most;
    state.rope = rope && [Math.min(Math.max(rope[0], -most), 0), Math.max(Math.min(rope[1], most), 0)];
    show();
  }

  // One end moves; the other follows where the ROPE is symmetric.
  function move(side, value) {
    const rope = state.rope ? [...state.rope] : [0, 0];
    rope[side] = side === 0 ? Math.min(value, 0) : Math.max(value, 0);
    if (state.symmetric) rope[1 - side] = rope[side] === 0 ? 0 : -rope[side];
    setRope(rope);
  }

  const rounded = (value) => Number(value.toFixed(current().digits));

  function showVerdict() {
    const row = current();
    const verdict = find(".op-verdict");
    const name = state.rope && judged(row);
    const [symbol, words] = name ? data.words[name] : ["", data.open];
    verdict.dataset.verdict = name || "";
    verdict.replaceChildren(...worded(words, row), ...(symbol ? [` (${symbol})`] : []));
    find(".op-scores").textContent = row.scores;
    const shares = find(".op-shares");
    if (state.rope) {
      const less = below(row.drawn, state.rope[0]);
      const inside = inRope(row);
      const more = Math.max(1 - less - inside, 0);
      shares.dataset.rope = inside;
      shares.textContent =
        `P(Δ below the ROPE) = ${percent(less)}   P(Δ in ROPE ${interval(state.rope, row.digits)}) = ` +
        `${percent(inside)}   P(Δ above) = ${percent(more)}`;
    } else {
      delete shares.dataset.rope;
      shares.textContent = "";
    }
  }

  function showPosterior() {
    const row = current();
    const [low, high] = row.hdi[state.mass];
    const axis = row.axis;
    const step = (right - left) / row.heights.length;
    const [top, base] = data.density;
    const points = row.heights.map((height, k) => {
      const y = base - ((base - top) * height) / 1000;
      return `${(left + (k + 0.5) * step).toFixed(1)},${y.toFixed(1)}`;
    });
    find(".op-curve").setAttribute("d", `M${left},${base}L${points.join("L")}L${right},${base}Z`);
    find(".op-zero").setAttribute("transform", `translate(${place(0, axis)})`);
    find(".op-mean").setAttribute("transform", `translate(${place(row.mean, axis)})`);
    mark(bar, { x1: place(low, axis), x2: place(high, axis) });
    const ends = all(".op-end");
    mark(ends[0], { x: place(low, axis) }).textContent = signed(low, row.digits);
    mark(ends[1], { x: place(high, axis) }).textContent = signed(high, row.digits);
    find(".op-sides").textContent = `${percent(row.less)} < 0 < ${percent(row.more)}`;
    const ticks = row.ticks.map(([at, text]) => drawn("text", { x: place(at, axis), y: data.tick }, text));
    find(".op-ticks").replaceChildren(...ticks);
    const rope = state.rope || [0, 0];
    const edges = rope.map((end) => clipped(end, axis));
    mark(find(".op-band"), { x: edges[0], width: edges[1] - edges[0] });
    all(".op-handle").forEach((handle, side) => {
      mark(handle, {
        transform: `translate(${edges[side]})`,
        "aria-valuenow": rope[side],
        "aria-valuetext": signed(rope[side], row.digits),
        "aria-valuemin": side === 0 ? -row.most : 0,
        "aria-valuemax": side === 0 ? 0 : row.most,
      });
    });
    find(".op-rope").classList.toggle("op-none", !state.rope);
    showInputs(root.getRootNode().activeElement);
  }

  // All but the one that is being typed into.
  function showInputs(typing) {
    all(".op-input").forEach((input, side) => {
      if (input !== typing) input.value = state.rope ? Number(state.rope[side].toPrecision(6)) : "";
    });
  }

  function showMargins() {
    const row = current();
    const [low, high] = row.hdi[state.mass];
    const axis = [0, row.margin];
    const [top, bottom] = data.margins;
    const points = Array.from({ length: 81 }, (_, k) => (k / 80) * row.margin).map((m) => {
      const y = bottom - within(row.drawn, [-m, m]) * (bottom - top);
      return `${place(m, axis).toFixed(1)},${y.toFixed(1)}`;
    });
    find(".op-within").setAttribute("d", "M" + points.join("L"));
    const starts = [...new Set([0, Math.abs(low), Math.abs(high)])].sort((x, y) => x - y);
    const parts = [];
    starts.forEach((start, k) => {
      const end = k + 1 < starts.length ? starts[k + 1] : Infinity;
      const inner = end === Infinity ? 2 * start + 1 : (start + end) / 2;
      const name = outcome(row, state.mass, [-inner, inner]);
      const last = parts.at(-1);
      if (last && last.name === name) last.end = end;
      else parts.push({ start, end, name });
    });
    find(".op-strip").replaceChildren(
      ...parts.filter(({ start }) => start < row.margin).flatMap(({ start, end, name }) => {
        const from = place(start, axis);
        const to = clipped(end, axis);
        const box = drawn("rect", { x: from, y: bottom + 6, width: to - from, height: 20, class: `op-v-${name}` });
        const middle = { x: (from + to) / 2, y: bottom + 20, class: "op-symbol" };
        return [box, drawn("text", middle, to - from > 12 ? data.words[name][0] : "")];
      }),
    );
    const ticks = row.marginTicks.map(([at, text]) => drawn("text", { x: place(at, axis), y: data.marginTick }, text));
    find(".op-margin-ticks").replaceChildren(...ticks);
    const level = state.rope && state.rope[0] === -state.rope[1];
    const marker = find(".op-now");
    marker.setAttribute("display", level ? "inline" : "none");
    if (level) marker.setAttribute("transform", `translate(${clipped(state.rope[1], axis)})`);
  }

  function showForest() {
    const counts = {};
    const perClass = rows.some((row) => row.single); // the average over classes is no class
    all(".op-forest tbody tr").forEach((line) => {
      const index = Number(line.dataset.row);
      const row = rows[index];
      const [low, high] = row.hdi[state.mass];
      const name = state.rope && judged(row);
      if (name && (row.single || !perClass)) counts[name] = (counts[name] || 0) + 1;
      line.dataset.verdict = name || "";
      line.classList.toggle("op-chosen", index === state.row);
      line.querySelector("button").setAttribute("aria-pressed", index === state.row);
      const cells = line.querySelectorAll("td");
      const inside = state.rope ? inRope(row) : null;
      cells[2].textContent = interval([low, high], row.digits);
      cells[3].textContent = inside === null ? "–" : percent(inside);
      cells[4].textContent = name ? data.words[name][0] : "–";
      cells[3].dataset.value = inside === null ? -1 : inside;
      cells[4].dataset.value = name ? data.order.indexOf(name) : -1;
      const x = (value) => ((value - data.forest[0]) / (data.forest[1] - data.forest[0])) * 200;
      mark(line.querySelector(".op-whisker"), { x1: x(low), x2: x(high) });
      const rope = state.rope || [0, 0];
      mark(line.querySelector(".op-region"), { x: x(rope[0]), width: Math.max(x(rope[1]) - x(rope[0]), 0) });
    });
    const tally = find(".op-tally");
    if (tally) {
      const told = data.order.filter((name) => counts[name]).map((name) => `${data.words[name][0]} ${counts[name]}`);
      tally.textContent = told.join("   ");
    }
  }

  // What was computed for the settings that came with the report is hidden under others.
  function showSettings() {
    const which = find(".op-which bdi");
    if (which) which.textContent = current().label;
    find(".op-mass-said").textContent = `${Number((100 * state.mass).toPrecision(6))}% HDI`;
    const same = JSON.stringify(state.rope) === JSON.stringify(own) && state.mass === data.mass && state.row === 0;
    all(".op-own").forEach((element) => (element.hidden = !same));
  }

  function show() {
    showVerdict();
    showPosterior();
    showMargins();
    showForest();
    showSettings();
  }

  function dragging(handle, side) {
    const svg = find(".op-posterior");
    const value = (event) => {
      const at = new DOMPoint(event.clientX, event.clientY).matrixTransform(svg.getScreenCTM().inverse()).x;
      const axis = current().axis;
      return axis[0] + ((at - left) / (right - left)) * (axis[1] - axis[0]);
    };
    handle.addEventListener("pointerdown", (event) => {
      handle.setPointerCapture(event.pointerId);
      handle.focus();
      event.preventDefault();
    });
    handle.addEventListener("pointermove", (event) => {
      if (handle.hasPointerCapture(event.pointerId)) move(side, rounded(value(event)));
    });
    handle.addEventListener("keydown", (event) => {
      const unit = 10 ** -current().digits;
      const steps = { ArrowRight: 1, ArrowUp: 1, ArrowLeft: -1, ArrowDown: -1, PageUp: 10, PageDown: -10 };
      const now = state.rope ? state.rope[side] : 0;
      if (event.key in steps) move(side, rounded(now + steps[event.key] * unit));
      else if (event.key === "Home") move(side, side === 0 ? -current().most : 0);
      else if (event.key === "End") move(side, side === 0 ? 0 : current().most);
      else return;
      event.preventDefault();
    });
    mark(handle, { tabindex: 0, role: "slider", "aria-label": side === 0 ? "low end of the ROPE" : "high end of the ROPE" });
  }

  function sorting(button, column) {
    button.addEventListener("click", () => {
      const head = button.closest("th");
      const down = head.getAttribute("aria-sort") === "ascending";
      all(".op-forest th[aria-sort]").forEach((other) => other.removeAttribute("aria-sort"));
      head.setAttribute("aria-sort", down ? "descending" : "ascending");
      const body = find(".op-forest tbody");
      const key = (line) => {
        const cell = line.children[column];
        return cell.dataset.value === undefined ? cell.textContent.trim() : Number(cell.dataset.value);
      };
      const order = (x, y) =>
        typeof x === "number" && typeof y === "number" ? x - y : String(x).localeCompare(String(y), undefined, { numeric: true });
      const lines = Array.from(body.children).sort((x, y) => (down ? -1 : 1) * order(key(x), key(y)));
      body.replaceChildren(...lines);
    });
  }

  all(".op-live").forEach((element) => (element.hidden = false));
  all(".op-handle").forEach(dragging);
  all(".op-input").forEach((input, side) => {
    input.addEventListener("input", () => {
      if (Number.isFinite(input.valueAsNumber)) move(side, input.valueAsNumber);
      else setRope(null);
    });
    input.addEventListener("change", () => showInputs(null));
  });
  const both = find(".op-symmetric");
  both.checked = state.symmetric;
  both.addEventListener("change", () => {
    state.symmetric = both.checked;
    if (state.rope && state.symmetric) move(1, Math.max(-state.rope[0], state.rope[1]));
  });
  find(".op-mass").addEventListener("change", (event) => {
    state.mass = event.target.value;
    show();
  });
  find(".op-reset").addEventListener("click", () => {
    state.symmetric = both.checked = !own || own[0] === -own[1];
    setRope(own);
  });
  all(".op-forest tbody button").forEach((button) => {
    button.addEventListener("click", () => {
      state.row = Number(button.closest("tr").dataset.row);
      show();
    });
  });
  all(".op-forest thead button").forEach(sorting);
  root.outperform = { decide, state, setRope };
  show();
}
