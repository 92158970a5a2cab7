// The reader's own ROPE: what Python has drawn follows it. `mount(root, data)` runs on one report.

const SVG = "http://www.w3.org/2000/svg";

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
  addEventListener("beforeprint", () => {
    root.querySelectorAll("details:not(.op-copy)").forEach((block) => (block.open = true));
  });
  if (data.rows.length) follow(root, data);
}

function follow(root, data) {
  const find = (selector) => root.querySelector(selector);
  const inCard = (selector) => find(`.op-pair ${selector}`); // of one comparison; a card of all rows may lie above it
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
  const isOwn = () => (own ? ownRope() : !state.rope) && state.mass === data.mass;
  const judged = (row) => (isOwn() && row.withheld ? row.withheld : outcome(row, state.mass, state.rope));

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
    root.dispatchEvent(new Event("moved"));
  }

  const rounded = (value) => Number(value.toFixed(current().digits));

  // How the card words an outcome: as the row's own where the settings are those of the report.
  function said(row, name) {
    if (!name) return data.open.map((words) => words.replace("{higher}", row.higher));
    const same = isOwn();
    const open = !["better", "worse", "equivalent"].includes(name);
    const withheld = row.few.includes(state.mass) || (same && row.withheld);
    const [low, high] = row.hdi[state.mass];
    const ahead = name.startsWith("slightly") && (low > 0 || high < 0);
    const kind = !open || withheld ? name : inRope(row) > 0.5 ? "probably_same" : ahead ? `${name}_ahead` : name;
    const [words, next] = data.words[kind];
    return [`${words} ({a} ${data.symbols[name]} {b})`, same ? row.next : (open && row.reason) || next];
  }

  function showCard() {
    const row = current();
    const verdict = inCard(".op-verdict");
    const name = state.rope && judged(row);
    const [words, next] = said(row, name);
    verdict.dataset.verdict = name || "";
    verdict.replaceChildren(...worded(words, row));
    inCard(".op-next").replaceChildren(...worded(next, row));
    find(".op-measure").textContent = row.measure;
    inCard(".op-basis").textContent = row.basis;
    all(".op-facts tbody tr").forEach((line, k) => {
      line.querySelector("bdi").textContent = row.facts[k][0];
      line.querySelectorAll("td").forEach((cell, column) => (cell.textContent = row.facts[k][column + 1]));
    });
    showShares(row);
  }

  function showShares(row) {
    const inside = state.rope && inRope(row);
    const less = state.rope ? below(row.drawn, state.rope[0]) : row.less;
    const shares = { below: less, within: inside || 0, above: state.rope ? Math.max(1 - less - inside, 0) : row.more };
    for (const [side, share] of Object.entries(shares)) find(`.op-region-${side} b`).textContent = percent(share);
    find(".op-region-within").hidden = !state.rope;
    ["below", "above"].forEach((side, k) => {
      find(`.op-region-${side} bdi`).textContent = (k === 0) === row.greater ? row.b : row.a;
    });
    const sure = inCard(".op-sure");
    sure.dataset.rope = state.rope ? inside : "";
    const how = state.rope
      ? `Margin (ROPE) ${margin(state.rope, row.digits)}: ${chance("within it", inside)}, ${row.higher}.`
      : `No margin (ROPE). ${row.higher}.`;
    sure.replaceChildren(...worded(how, row));
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
    find(".op-large .op-axis-title").textContent = row.title;
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
    const ends = [...row.hdi[state.mass].slice(0, 2), ...(row.alone ? row.alone[state.mass] : [])];
    const axis = [0, row.margin];
    const [top, bottom] = data.margins;
    const points = Array.from({ length: 81 }, (_, k) => (k / 80) * row.margin).map((m) => {
      const y = bottom - within(row.drawn, [-m, m]) * (bottom - top);
      return `${place(m, axis).toFixed(1)},${y.toFixed(1)}`;
    });
    find(".op-within").setAttribute("d", "M" + points.join("L"));
    const starts = [...new Set([0, ...ends.map(Math.abs)])].sort((x, y) => x - y);
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
        return [box, drawn("text", middle, to - from > data.narrow ? data.symbols[name] : "")];
      }),
    );
    const ticks = row.marginTicks.map(([at, text]) => drawn("text", { x: place(at, axis), y: data.marginTick }, text));
    find(".op-margin-ticks").replaceChildren(...ticks);
    const level = state.rope && state.rope[0] === -state.rope[1];
    const marker = find(".op-now");
    marker.setAttribute("display", level ? "inline" : "none");
    if (level) marker.setAttribute("transform", `translate(${clipped(state.rope[1], axis)})`);
  }

  const opened = find(".op-opened"); // one of the rows, where a card of all of them comes first
  const forest = find(".op-forest") && growing(root, data, rows);
  const showForest = () =>
    forest?.((row) => {
      const name = state.rope && judged(row);
      const ahead = outcome(row, state.mass, state.rope || [0, 0]); // without a ROPE, on which side of 0 the HDI lies
      return { name, ahead, hdi: row.hdi[state.mass], rope: state.rope, inside: state.rope ? inRope(row) : null };
    }, opened?.hidden ? -1 : state.row);

  function showSettings() {
    const which = find(".op-which");
    if (which) which.textContent = current().which;
    all(".op-own").forEach((section) => (section.hidden = state.row !== 0 || !isOwn()));
    all(".op-mass-said").forEach((said) => (said.textContent = `${Number((100 * state.mass).toPrecision(6))}% HDI`));
  }

  function show() {
    showCard();
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
      if (opened) Object.assign(opened, { hidden: false, open: true });
      show();
      if (opened) opened.scrollIntoView();
      else find(".op-answer").scrollIntoView({ block: "nearest" });
    });
  });
  if (opened) opened.hidden = true; // until a row is chosen
  root.outperform = { decide, state, setRope };
  show();
}
