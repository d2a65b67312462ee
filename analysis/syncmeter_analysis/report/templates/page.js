// Draws each chart as it comes into view, all of them before printing, again when the colour scheme
// changes; and lists the points that a link or the filter asks for.
const data = JSON.parse(document.getElementById("data").textContent);
const dark = matchMedia("(prefers-color-scheme: dark)");
const charts = [...document.querySelectorAll(".chart")];
const drawn = new Map();
const problems = [];
window.syncmeter = { problems, drawAll };

async function draw(element) {
  if (drawn.get(element) === dark.matches) return;
  drawn.set(element, dark.matches);
  const spec = structuredClone(data.charts[element.dataset.chart]);
  const room = element.clientWidth;
  // A drawing that fills its column; one with a row for each value keeps its own size.
  if (spec.layer && typeof spec.width === "number" && !spec.fixed && room > 0) {
    spec.width = "container";
    spec.autosize = { type: "fit-x", contains: "padding" };
  }
  delete spec.fixed;
  spec.config = dark.matches ? data.dark : data.light;
  spec.background = "transparent";
  try {
    await window.vegaEmbed(element, spec, { actions: false, renderer: "svg" });
  } catch (error) {
    problems.push(String(error));
    element.textContent = "This figure cannot be drawn: " + error;
  }
}
async function drawAll() { for (const chart of charts) await draw(chart); }

const watcher = new IntersectionObserver(
  (seen) => seen.filter((one) => one.isIntersecting).forEach((one) => draw(one.target)),
  { rootMargin: "600px" });
charts.forEach((chart) => watcher.observe(chart));
addEventListener("beforeprint", () => { document.querySelectorAll("details").forEach((d) => (d.open = true)); drawAll(); });
dark.addEventListener("change", () => drawn.forEach((_, chart) => draw(chart)));

const most = 300;
const rows = document.getElementById("rows"), count = document.getElementById("count");
const filter = document.getElementById("filter");
function list(indices) {
  rows.replaceChildren();
  for (const i of indices.slice(0, most)) {
    const row = rows.insertRow();
    data.points[i].forEach((value) => (row.insertCell().textContent = typeof value === "number" && value < 0 ? "" : value));
  }
  count.textContent = indices.length > most ? `the first ${most} of ${indices.length}` : `${indices.length} points`;
}
function search() {
  const words = filter.value.toLowerCase().split(/[\s,]+/).filter(Boolean);
  const ids = words.length > 0 && words.every((word) => /^[0-9a-f]{10}$/.test(word));
  const fits = (text) => (ids ? words.some((w) => text.includes(w)) : words.every((w) => text.includes(w)));
  list(data.points.flatMap((point, i) => (fits(point.join(" ").toLowerCase()) ? [i] : [])));
}
function follow() {
  const named = /^#e(\d+)$/.exec(location.hash);
  if (!named || !data.evidence[named[1]]) return;
  filter.value = "";
  list(data.evidence[named[1]]);
  document.getElementById("points").scrollIntoView();
}
filter.addEventListener("input", search);
addEventListener("hashchange", follow);
search();
follow();
