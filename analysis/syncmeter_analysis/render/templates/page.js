// Draws each chart as it comes into view, all of them before printing, again when the colour scheme
// changes; and lists the points that a link or the filter asks for.
const data = JSON.parse(document.getElementById("data").textContent);
const dark = matchMedia("(prefers-color-scheme: dark)");
const charts = [...document.querySelectorAll(".chart")];
const drawn = new Map();
const problems = [];

async function unpacked() {
  const packed = Uint8Array.from(atob(document.getElementById("libraries").textContent), (c) => c.charCodeAt(0));
  const stream = new Blob([packed]).stream().pipeThrough(new DecompressionStream("gzip"));
  const script = new Blob([await new Response(stream).text()], { type: "text/javascript" });
  const address = URL.createObjectURL(script);
  await import(address);
  URL.revokeObjectURL(address);
}
const libraries = unpacked();

// A chart that is being drawn as it should look is waited for, not drawn again.
function draw(element) {
  const room = element.clientWidth, look = `${dark.matches} ${room}`;
  if (room === 0) return undefined;
  if (drawn.get(element)?.look !== look) drawn.set(element, { look, done: drawnIn(element, room) });
  return drawn.get(element).done;
}
async function drawnIn(element, room) {
  const spec = structuredClone(data.charts[element.dataset.chart]);
  // A drawing that fills its column; one with a field for each value keeps its own size.
  if (spec.layer && !spec.fixed) {
    spec.width = "container";
    spec.autosize = { type: "fit-x", contains: "padding" };
  }
  if (spec.fixed) fitMap(spec, room - leftOfMap);
  delete spec.fixed;
  spec.config = structuredClone(dark.matches ? data.dark : data.light);
  spec.config.axisY.labelLimit = Math.min(spec.config.axisY.labelLimit, room * 0.45);
  wrapRows(spec, spec.config.axisY.labelLimit);
  if (room < 420) spec.config.legend.columns = 2;
  spec.background = "transparent";
  const finding = element.getAttribute("aria-label");
  try {
    await libraries;
    await window.vegaEmbed(element, spec, { actions: false, renderer: "svg" });
    // Vega calls every chart "Vega visualization", and its marks nothing.
    element.querySelector("svg").setAttribute("aria-hidden", "true");
    element.removeAttribute("aria-roledescription");
    element.setAttribute("role", "img");
    element.setAttribute("aria-label", finding);
    const panel = element.parentElement;
    if (panel.scrollWidth > panel.clientWidth) panel.tabIndex = 0;
  } catch (error) {
    problems.push(String(error));
    element.textContent = "This figure cannot be drawn: " + error;
  }
}
// The fields of a map that is wider than its page become narrower, and have no text where it has no room;
// those of many processing units are left as they are, and scroll.
const leftOfMap = 56, leastField = 12, digit = 5.5;
function fitMap(spec, room) {
  const fields = new Set(spec.data.values.map((value) => value.x)).size;
  if (!spec.layer || spec.width <= room || room < leastField * fields) return;
  const field = Math.floor(room / fields), isSquare = spec.width / fields === spec.height / fields;
  spec.width = field * fields;
  if (isSquare) spec.height = spec.width;
  const longest = Math.max(...spec.data.values.map((value) => (value.label ?? "").length));
  spec.layer = spec.layer.filter((layer) => layer.mark.type !== "text" || longest * digit < field);
  for (const { mark } of spec.layer) if (mark.type === "text") mark.fontSize = 9;
}
// Names of rows that are wider than the axis allows stand in lines below each other.
const pen = document.createElement("canvas").getContext("2d");
const lineHeight = 12;
function wrapRows(spec, limit) {
  const layers = (spec.layer ?? []).filter((layer) => layer.encoding?.y?.field === "row");
  if (!layers.length) return;
  pen.font = "10px sans-serif";
  const names = [...new Set(spec.data.values.map((value) => value.row))];
  const lines = Object.fromEntries(names.map((name) => [name, linesOf(name, limit)]));
  const most = Math.max(...Object.values(lines).map((each) => each.length));
  if (most < 2) return;
  spec.height = Math.max(spec.height, names.length * (most * lineHeight + 4));
  for (const { encoding } of layers) {
    const labelExpr = `(${JSON.stringify(lines)})[datum.value]`;
    encoding.y.axis = { ...encoding.y.axis, labelExpr, labelLineHeight: lineHeight };
  }
}
function linesOf(name, limit) {
  const lines = [];
  for (const word of name.split(" ")) {
    const longer = lines.length ? `${lines.at(-1)} ${word}` : word;
    if (lines.length && pen.measureText(longer).width <= limit) lines[lines.length - 1] = longer;
    else lines.push(word);
  }
  return lines;
}
async function drawAll() {
  document.querySelectorAll("details").forEach((d) => (d.open = true));
  for (const chart of charts) await draw(chart);
}
window.syncmeter = { problems, drawAll };

const watcher = new IntersectionObserver(
  (seen) => seen.filter((one) => one.isIntersecting).forEach((one) => draw(one.target)),
  { rootMargin: "600px" });
charts.forEach((chart) => watcher.observe(chart));
addEventListener("beforeprint", drawAll);
const redraw = () => drawn.forEach((_, chart) => draw(chart));
dark.addEventListener("change", redraw);
let resized;
addEventListener("resize", () => { clearTimeout(resized); resized = setTimeout(redraw, 200); });

const most = 300;
const rows = document.getElementById("rows"), count = document.getElementById("count");
const filter = document.getElementById("filter");
const own = { op: 0, ns: 2, point: 8 };
const fields = document.getElementById("fields");

function list(indices) {
  rows.replaceChildren();
  for (const i of indices.slice(0, most)) {
    const row = rows.insertRow();
    data.points[i].forEach((value) => (row.insertCell().textContent = typeof value === "number" && value < 0 ? "" : value));
  }
  count.textContent = indices.length > most ? `the first ${most} of ${indices.length}` : `${indices.length} points`;
}
function valueOf(field, i) {
  const known = data.fields[field];
  return known ? known.values[known.of ? known.of[i] : 0] : String(data.points[i][own[field]]);
}
// One of several wanted values: equal, with * for any letters, or within a range of numbers.
function fits(wanted, value) {
  return wanted.split(",").some((one) => {
    const range = /^([\d.]*?)\.\.([\d.]*)$/.exec(one);
    if (range) return value !== "" && (!range[1] || +value >= +range[1]) && (!range[2] || +value <= +range[2]);
    const pattern = one.replace(/[.+?^${}()|[\]\\]/g, "\\$&").replace(/\*/g, ".*");
    return new RegExp(`^${pattern}$`, "i").test(value);
  });
}
function search() {
  const words = filter.value.trim().split(/\s+/).filter(Boolean);
  const terms = words.map((word) => /^(\w+):(.*)$/.exec(word) ?? [word, null, word.toLowerCase()]);
  const unknown = terms.filter(([, field]) => field && !(field in data.fields) && !(field in own));
  if (unknown.length) {
    rows.replaceChildren();
    count.textContent = `no field '${unknown[0][1]}'`;
    return;
  }
  const good = (i) => terms.every(([, field, wanted]) =>
    field ? fits(wanted, valueOf(field, i)) : `${data.points[i][0]} ${data.points[i][1]}`.toLowerCase().includes(wanted));
  list(data.points.map((_, i) => i).filter(good));
}
function follow() {
  const named = /^#e(\d+)$/.exec(location.hash);
  if (!named) {
    const target = location.hash.length > 1 && document.getElementById(location.hash.slice(1));
    for (let d = target && target.closest("details"); d; d = d.parentElement.closest("details")) d.open = true;
    return;
  }
  if (!data.evidence[named[1]]) return;
  filter.value = "";
  list(data.evidence[named[1]]);
  document.getElementById("points").scrollIntoView();
}
addEventListener("hashchange", follow);
// A page without points has no list of them.
if (filter) {
  fields.textContent = Object.keys(data.fields).join(", ");
  filter.addEventListener("input", search);
  search();
}
follow();
