"use strict";

const WAIT = 250; // ms without another key before the server is asked
const ENDINGS = { html: "html", latex: "tex", markdown: "md", json: "json", csv: "csv" };
const EXAMPLE = { truth: "true", a: "svm_l2", b: "nb_bern", pos_label: "8", average: "binary", rope: "0.05" };

const NARROW = 16; // longest name of a column that half a row holds
const ROLES = ["truth", "a", "b", "id", "count", "cluster"];
const CHOICES = ["metric", "filter"]; // of logs that have several

const form = document.getElementById("form");
const field = (name) => form.elements[name];
const part = (id) => document.getElementById(id);
const limit = Number(document.body.dataset.limit);

let held = null; // the file, its columns and what they are taken for
let taking = null; // the file that is being read
let asking = null; // the question that is being answered
let timer = 0;
let ours = true; // whether the ROPE is not the user's
let kept = false; // whether the report follows by itself, as it has moved the ROPE

// The server: data in the body, settings in the query.

async function post(path, query, body, signal) {
  const headers = { "Content-Type": "application/octet-stream" };
  const response = await fetch(`${path}?${query}`, { method: "POST", body, signal, headers }).catch(() => {
    throw new Error("no answer: start the server again if it has ended, or choose the file again if it has changed");
  });
  if (response.status === 503) {
    await new Promise((resolve) => setTimeout(resolve, 1000 * Number(response.headers.get("Retry-After") || 1)));
    return post(path, query, body, signal);
  }
  if (response.ok) return response;
  const said = await response.json().catch(() => ({ error: `the server failed (${response.status})` }));
  throw new Error(said.error);
}

// What is asked.

function settings() {
  const query = new URLSearchParams();
  const put = (name, value) => value !== "" && query.append(name, value);
  const source = field("source").value;
  put("source", source);
  for (const name of ["measure", "average", "mass", "model", "prior", "seed"]) if (used(name)) put(name, field(name).value);
  if (source !== "outcomes" && used("labels")) for (const label of field("labels").value.split(",")) put("labels", label.trim());
  const [rope, low] = [field("rope").value, field("rope_low").value];
  if (low !== "" && rope === "") throw new Error("a ROPE with a lower end needs an upper one: type it in the field ROPE");
  put("rope", low === "" ? rope : `${low},${rope}`);
  if (field("verb").value === "plan") {
    const width = field("width").value;
    put("width", width);
    if (width === "") put("goal", field("goal").value);
    put("power", field("power").value);
  }
  for (const name of ["pos_label", "fdr"]) if (used(name)) put(name, field(name).value);
  if (source === "file") {
    about(held.files).forEach(([name, value]) => put(name, value));
    for (const [name, value] of wanted()) put(name, value);
    put("truth", field("truth").value);
    for (const name of classifiers()) put(scored() ? "scores" : "predictions", name);
    put("id", field("id").value);
    if (used("cluster")) put("cluster", field("cluster").value);
    if (used("lower_is_better") && field("lower_is_better").checked) put("lower_is_better", "yes");
    if (used("count")) put("n", field("count").value);
    if (used("separator")) put("separator", field("separator").value);
  }
  return query;
}

// Scores of items need no truth; what they have no use for is hidden.
function scored() {
  return field("source").value === "file" && held !== null && field("truth").value === "";
}

function used(name) {
  return !field(name).disabled && !field(name).closest("[data-of][hidden]");
}

function classifiers() {
  const others = [...form.querySelectorAll("#others input:checked")].map((box) => box.value);
  return [field("a").value, field("b").value, ...others];
}

function body() {
  const source = field("source").value;
  if (source === "file") return whole(held.files);
  const names = [field(`${source}_a`).value, field(`${source}_b`).value];
  const numbers = [...field("n")].map((input) => input.value);
  const outcomes = [0, 1].flatMap((side) => numbers.filter((_, k) => k % 2 === side));
  const tables = source === "outcomes" ? outcomes : [field("table_a").value, field("table_b").value];
  return JSON.stringify({ names, tables });
}

async function ask() {
  clearTimeout(timer);
  asking?.abort();
  const own = (asking = new AbortController());
  busy(true, doing());
  try {
    if (field("source").value === "file" && !held) throw new Error("choose a file");
    const bad = [...form.elements].find((input) => input.validity?.badInput);
    if (bad) throw new Error(`${nameOf(bad)}: type a number`);
    const response = await post(`/answer/${field("verb").value}`, settings(), body(), own.signal);
    await show(await response.json());
    if (own === asking) busy(false);
  } catch (error) {
    if (!own.signal.aborted) complain(error.message);
  }
}

// What is under way answers settings that are no more.
function soon(wait = WAIT) {
  asking?.abort();
  asking = null;
  busy(true, doing());
  clearTimeout(timer);
  if (!taking) timer = setTimeout(ask, wait);
}

function busy(whether, what = "") {
  part("answer").setAttribute("aria-busy", whether);
  if (what) part("doing").firstChild.textContent = what;
}

// What is being computed, in words.
function doing() {
  const source = field("source").value;
  const names = source === "file" ? classifiers() : [field(`${source}_a`).value, field(`${source}_b`).value];
  const measure = scored() ? "mean score" : [field("average").value.replace("_", " "), field("measure").value].filter(Boolean).join(" ");
  if (field("verb").value === "plan") return `Simulating how many more items ${names.join(" and ")} need, by ${measure} …`;
  if (names.length > 2) return `Ranking ${names.length} classifiers by ${measure} …`;
  return `Comparing ${names.join(" and ")} by ${measure} …`;
}

function nameOf(input) {
  return input.ariaLabel || input.labels[0].textContent.trim();
}

// What is answered.

async function show(answer) {
  part("error").hidden = true;
  part("line").hidden = part("result").hidden = false;
  part("line").textContent = answer.line;
  part("line").classList.toggle("several", answer.line.includes("\n"));
  part("command").textContent = answer.command;
  part("same").hidden = !answer.command || held?.example;
  if (!kept || !part("report").firstChild) await report(answer.html);
}

function complain(sentence) {
  part("line").hidden = part("result").hidden = true;
  part("error").hidden = false;
  part("error").textContent = sentence;
  busy(false);
}

// A new frame is filled out of sight and then takes the place of the old one, so that nothing flickers.
function report(html) {
  const frame = document.createElement("iframe");
  frame.title = "Report";
  frame.className = "coming";
  frame.setAttribute("sandbox", "allow-scripts allow-downloads");
  frame.src = "/frame";
  part("report").append(frame);
  return new Promise((resolve) => {
    frame.addEventListener("load", () => frame.contentWindow.postMessage(html, "*"), { once: true });
    frame.tell = resolve;
  });
}

addEventListener("message", (event) => {
  const frame = [...part("report").children].find((own) => own.contentWindow === event.source);
  if (frame && Array.isArray(event.data?.rope)) moved(...event.data.rope.map(Number));
  if (!frame || !Number.isFinite(event.data?.height)) return;
  frame.style.height = `${Math.min(event.data.height, 20000)}px`;
  if (frame.className === "") return;
  frame.className = "";
  while (part("report").firstChild !== frame) part("report").firstChild.remove();
  frame.tell();
});

// There is one ROPE: a handle of the report moves the fields, and a field the handles, before the server has answered.
function moved(low, high) {
  if (!(low <= 0 && high >= 0)) return;
  field("rope").value = high;
  field("rope_low").value = low === -high ? "" : low;
  ours = false;
  kept = true;
  allow();
  soon();
}

function move() {
  const [high, low] = [field("rope"), field("rope_low")].map((input) => input.valueAsNumber);
  const rope = Number.isFinite(high) && high >= 0 ? [Number.isFinite(low) ? Math.min(low, 0) : -high, high] : null;
  for (const frame of part("report").children) if (frame.className === "") frame.contentWindow.postMessage({ rope }, "*");
}

async function download(format) {
  const [own, idle] = [asking, part("answer").getAttribute("aria-busy") === "false"];
  if (idle) busy(true, `Writing outperform.${ENDINGS[format]} …`);
  try {
    const response = await post(`/write/${field("verb").value}/${format}`, settings(), body());
    const link = document.createElement("a");
    link.href = URL.createObjectURL(await response.blob());
    link.download = `outperform.${ENDINGS[format]}`;
    link.click();
    setTimeout(() => URL.revokeObjectURL(link.href), 10000);
    if (idle && own === asking) busy(false);
  } catch (error) {
    complain(error.message);
  }
}

// The file and its columns.

// Several files are sent one after the other, with their names and sizes.
const whole = (files) => (files.length > 1 ? new Blob(files) : files[0]);
const about = (files) => files.flatMap((file) => [["name", file.name], ...(files.length > 1 ? [["size", file.size]] : [])]);

// By which metric and filter logs are read, where they have several.
const wanted = () => CHOICES.filter((name) => held?.choices?.[name]).map((name) => [name, field(name).value]);

function offer() {
  for (const name of CHOICES) {
    const own = held?.choices?.[name];
    fill(field(name), own?.known ?? [], false);
    if (own) field(name).value = own.chosen;
    field(name).closest("label").hidden = !own;
  }
}

// Logs are read again by another metric; the systems stay as they were chosen.
async function take(files, preset = null, choices = [], chosen = []) {
  const [file, size] = [{ name: files.map((own) => own.name).join(", ") }, files.reduce((sum, own) => sum + own.size, 0)];
  taking?.abort();
  asking?.abort();
  asking = null; // an answer that is being shown is no longer the last
  clearTimeout(timer);
  const own = (taking = new AbortController());
  kept = false;
  busy(true, `Reading ${file.name} …`);
  part("held").textContent = `Reading ${file.name} …`;
  try {
    if (size > limit) {
      throw new Error(`${file.name} has ${Math.round(size / 1e6)} MB; a file may have ${limit / 1e6} MB here. ` +
        "Leave out rows or columns that are not needed, or start the page with a higher limit.");
    }
    const response = await post("/columns", new URLSearchParams([...about(files), ...choices]), whole(files), own.signal);
    held = { files, example: Boolean(preset), ...(await response.json()) };
    const known = held.columns.map((column) => column.name);
    if (chosen.length && chosen.every((name) => known.includes(name))) held.guess.predictions = chosen;
  } catch (error) {
    if (own.signal.aborted) return;
    held = taking = null;
    part("held").textContent = file.name;
    choose({});
    complain(error.message);
    return;
  }
  taking = null;
  const known = preset ? "20 Newsgroups, the example" : file.name;
  const how = held.how ? `; ${held.how}` : "";
  part("held").textContent = `${known}: ${held.rows.toLocaleString("en")} row${held.rows === 1 ? "" : "s"}${how}${preset ? "" : "; columns are guessed"}`;
  choose(preset ?? {});
  ask();
}

function choose(preset) {
  offer();
  const { guess, columns } = held ?? { guess: { predictions: [], scores: false }, columns: [] };
  const names = columns.map((column) => column.name);
  for (const name of ROLES) fill(field(name), names, !["a", "b"].includes(name) || guess.predictions.length < 2);
  const long = names.some((name) => name.length > NARROW);
  for (const name of ["a", "b"]) field(name).closest("label").classList.toggle("wide", long);
  if (held) field("truth").options[0].textContent = "none: scores of the items";
  const [a = "", b = ""] = guess.predictions;
  const own = { id: guess.id ?? "", count: guess.n ?? "", cluster: guess.cluster ?? "" };
  const first = { truth: guess.truth ?? "", a, b, ...own, ...preset };
  for (const name of ROLES) field(name).value = first[name];
  field("lower_is_better").checked = Boolean(guess.lower);
  if (guess.scores !== ofItems() || guess.measure === "mae") field("measure").value = guess.measure ?? (guess.scores ? "roc_auc" : "f1");
  field("separator").value = guess.separator ?? "";
  others(held?.example ? [] : guess.predictions.slice(2));
  classes();
  if (preset.pos_label) field("pos_label").value = preset.pos_label;
  if (preset.average) field("average").value = preset.average;
  margin();
  remember();
  allow();
}

function fill(select, names, none) {
  const options = names.map((name) => new Option(name || "(no name)", name));
  select.replaceChildren(...(none ? [new Option("none", "")] : []), ...options);
}

// Classifiers beyond A and B.
function others(checked) {
  fit();
  const taken = ROLES.filter(used).map((name) => field(name).value);
  const free = (held?.columns ?? []).map((column) => column.name).filter((name) => name && !taken.includes(name));
  part("others").replaceChildren(...free.map((name) => {
    const label = document.createElement("label");
    const box = Object.assign(document.createElement("input"), { type: "checkbox", value: name });
    box.checked = checked.includes(name);
    label.append(box, name);
    return label;
  }));
  part("more").hidden = !free.length;
}

// The classes, and how they are asked about unless the user says otherwise.
function classes() {
  const source = field("source").value;
  const truth = source === "file" && held?.columns.find((column) => column.name === field("truth").value);
  fill(field("pos_label"), truth ? truth.labels : source === "confusion" ? header(field("table_a").value) : [], true);
  field("pos_label").value = (truth && truth.positive) || "";
  field("average").value = usual();
}

// Many classes need an average, unless the measure has a form of its own for them.
function usual() {
  return many() && !ofItems() && !("own" in field("measure").selectedOptions[0].dataset) ? "macro" : "";
}

function many() {
  return field("pos_label").options.length > 3;
}

// Another measure has another usual average; one class against the rest stays as it is.
function adapt() {
  const all = field("average").value === "macro" || (!field("average").value && !field("pos_label").value);
  if (many() && all) [field("average").value, field("pos_label").value] = [usual(), ""];
}

function header(table) {
  const sign = ["\t", ";", ","].find((own) => table.includes(own));
  const lines = table.split("\n").filter((line) => line.trim());
  const rows = lines.map((line) => (sign ? line.split(sign) : line.trim().split(/\s+/)).map((cell) => cell.trim()));
  const [first = []] = rows;
  const numbers = first.every((cell) => cell !== "" && !Number.isNaN(Number(cell)));
  if (numbers && rows.length === first.length) return first.map((_, k) => String(k));
  return first.slice(first.length === rows.length ? 1 : 0);
}

function ofItems() {
  return field("measure").selectedOptions[0].parentElement.label === "of scores and numbers";
}

// What does not matter is the user's to say; only the example comes with a ROPE.
function margin() {
  if (ours) field("rope").value = field("source").value === "file" && held?.example ? EXAMPLE.rope : "";
}

// Every source keeps its own average and positive class.
const chosen = {};
function change(source) {
  classes();
  margin();
  if (!chosen[source]) return;
  [field("average").value, field("pos_label").value] = chosen[source];
}

// What has a use is shown: a positive class goes with one class against the rest, an FDR with several verdicts.
function allow() {
  const source = field("source").value;
  field("pos_label").disabled = !["", "binary"].includes(field("average").value) || source === "outcomes";
  const several = (field("average").value === "per_class" && !scored()) || (source === "file" && classifiers().length > 2);
  field("fdr").disabled = !several || field("rope").value === "" || field("verb").value === "plan";
  part("plan").hidden = field("verb").value !== "plan";
  fit();
  chosen[source] = [field("average").value, field("pos_label").value];
}

function fit() {
  const [source, kind] = [field("source").value, scored() ? "scores" : "labels"];
  for (const own of document.querySelectorAll("[data-for], [data-of]")) {
    own.hidden = !(own.dataset.for ?? source).split(" ").includes(source) || (own.dataset.of ?? kind) !== kind;
  }
}

// A column that is chosen again changes places with the one that was there.
let before = {};
function remember() {
  before = Object.fromEntries(["truth", "a", "b"].map((name) => [name, field(name).value]));
}

function swap(name) {
  const now = field(name).value;
  for (const other of ["truth", "a", "b"]) {
    if (other !== name && now && field(other).value === now) field(other).value = before[name];
  }
  if (name === "truth" || field("truth").value !== before.truth) classes();
  others(classifiers().slice(2));
}

addEventListener("input", (event) => {
  if (event.target.id === "file") return;
  if (CHOICES.includes(event.target.name)) return void take(held.files, null, wanted(), classifiers());
  if (["truth", "a", "b"].includes(event.target.name)) swap(event.target.name);
  if (["id", "count", "cluster"].includes(event.target.name)) others(classifiers().slice(2));
  if (event.target.name === "source") change(event.target.value);
  if (event.target.name === "table_a") classes();
  if (event.target.name === "measure") adapt();
  if (event.target.name === "rope") ours = false;
  if (["rope", "rope_low"].includes(event.target.name)) move();
  kept = false;
  remember();
  allow();
  soon(event.target.matches("select, [type=radio], [type=checkbox]") ? 0 : WAIT); // what is typed may go on
});

form.addEventListener("submit", (event) => {
  event.preventDefault();
  ask();
});

part("file").addEventListener("change", (event) => event.target.files[0] && take([...event.target.files]));

for (const name of ["dragover", "dragleave", "drop"]) {
  addEventListener(name, (event) => {
    event.preventDefault();
    part("drop").classList.toggle("over", name === "dragover");
    const files = name === "drop" ? [...event.dataTransfer.files] : [];
    if (!files.length) return;
    form.querySelector("[name=source][value=file]").checked = true;
    part("file").value = "";
    allow();
    take(files);
  });
}

for (const button of document.querySelectorAll("[data-format]")) {
  button.addEventListener("click", () => download(button.dataset.format));
}

fetch("/example")
  .then((response) => response.blob())
  .then((blob) => take([new File([blob], "newsgroups_predictions.csv.gz")], EXAMPLE))
  .catch((error) => complain(error.message));
