/** What the model cost: figures, bars by day, tables by model and, for an admin, by person. */
import { chart, dayName } from "../chart.js";
import { disclosure, h, table } from "../dom.js";
import { lang, number, t } from "../i18n.js";
import { money } from "../money.js";
import { query } from "../server.js";
import { visible } from "../text.js";

const SUMS = ["turns", "requests", "input", "cached", "reasoning", "output", "cost"];
const DAY = 86_400_000;

export function usage() {
  const period = h("select", { class: "cs-in", id: "us-per" }, [["7", "audit.7d"], ["30", "audit.30d"], ["365", "audit.365d"]].map(([v, key]) => h("option", { value: v, selected: v === "30" }, t(key))));
  const lead = h("p", { class: "cs-pagelead" });
  const status = h("p", { class: "cs-note", role: "status" });
  const file = h("a", { class: "cs-btn secondary small", download: true }, h("span", {}, t("audit.export")));
  const body = h("div", {});

  async function load() {
    const reply = await query("usage", { days: period.value });
    status.textContent = reply.ok ? (reply.days.length ? "" : t("usage.none")) : reply.text;
    if (!reply.ok) return;
    lead.textContent = t(reply.all ? "usage.lead.all" : "usage.lead");
    file.setAttribute("href", `/ui/usage.csv?days=${period.value}`);
    body.replaceChildren(...(reply.days.length ? drawn(reply) : []));
  }

  period.addEventListener("input", load);
  const element = h("div", { class: "cs-content wide" }, lead,
    h("div", { class: "cs-filters" }, h("div", { class: "cs-fl" }, h("label", { for: "us-per" }, t("audit.period")), period)),
    h("div", { class: "cs-tablebar" }, status, h("span", { class: "cs-gap" }), file), body);
  return { element, refresh: load };
}

function drawn({ days, people, since, until }) {
  const daily = filled(summed(days, "day"), since, until);
  return [
    figures(total(days)),
    panel("usage.chart", daily, (d) => [d.input, d.output], ["b-in", "b-out"], legend(), ["usage.in", "usage.out"]),
    panel("usage.chart.turns", daily, (d) => [d.turns], ["b-in"], null, ["usage.turns"]),
    list("usage.bymodel", "usage.model", summed(days, "model").map((row) => ({ ...row, label: row.model }))),
    people.length ? list("usage.byperson", "audit.who", people.map((row) => ({ ...row, label: row.name }))) : null,
  ].filter(Boolean);
}

function figures(sum) {
  const share = sum.input ? (sum.cached / sum.input).toLocaleString(lang, { style: "percent" }) : "—";
  const shown = [
    ["usage.tokens", number(sum.input + sum.output), t("usage.split", { i: number(sum.input), o: number(sum.output) })],
    ["usage.turns", number(sum.turns), t("usage.requests", { n: number(sum.requests) })],
    ["usage.cached", share, t("usage.cached.note")],
  ];
  if (sum.cost !== null) shown.push(["usage.cost", money(sum.cost), t("usage.cost.note")]);
  return h("dl", { class: "cs-kpis" }, shown.map(([key, figure, note]) => h("div", {}, h("dt", {}, t(key)), h("dd", {}, figure), h("dd", { class: "cs-kpi-n" }, note))));
}

function panel(key, days, parts, classes, extra, heads) {
  const rows = days.map((d) => ({ day: d.day, parts: parts(d), title: `${dayName(d.day)}: ${heads.map((head, i) => `${t(head)} ${number(parts(d)[i])}`).join(", ")}` }));
  const cells = rows.filter((row) => row.parts.some(Boolean)).map((row) => [dayName(row.day), ...row.parts]);
  return h("section", { class: "cs-panel" }, h("div", { class: "cs-panel-h" }, h("h2", {}, t(key)), extra),
    chart(rows, classes, t(key)), disclosure(t("usage.table"), table([t("usage.day"), ...heads.map((head) => t(head))], cells, t(key))));
}

const legend = () => h("div", { class: "cs-legend" }, ["out", "in"].map((name) => h("span", {}, h("i", { class: "b-" + name, "aria-hidden": "true" }), t("usage." + name))));

function list(key, head, rows) {
  const heads = [t(head), ...["turns", "in", "cached", "reasoning", "out"].map((name) => t("usage." + name)), ...(rows.some((row) => row.cost !== null) ? [t("usage.cost")] : [])];
  const cells = rows.map((row) => [visible(row.label ?? ""), row.turns, row.input, row.cached, row.reasoning, row.output, ...(row.cost === null ? [] : [money(row.cost)])]);
  return h("section", { class: "cs-panel" }, h("div", { class: "cs-panel-h" }, h("h2", {}, t(key))), table(heads, cells, t(key)));
}

/** Rows added up by one of their fields, in the order in which they came. */
export function summed(rows, name) {
  const groups = new Map();
  for (const row of rows) groups.set(row[name], [...(groups.get(row[name]) ?? []), row]);
  return [...groups].map(([key, group]) => ({ [name]: key, ...total(group) }));
}

function total(rows) {
  const add = (name) => rows.reduce((sum, row) => (row[name] === null ? sum : (sum ?? 0) + row[name]), null);
  return Object.fromEntries(SUMS.map((name) => [name, name === "cost" ? add(name) : add(name) ?? 0]));
}

/** Every day of the period, also those on which nothing happened. */
function filled(days, since, until) {
  const known = new Map(days.map((d) => [d.day, d]));
  const first = Date.parse(since + "T00:00:00Z");
  const count = Math.round((Date.parse(until + "T00:00:00Z") - first) / DAY) + 1;
  return Array.from({ length: count }, (_, i) => new Date(first + i * DAY).toISOString().slice(0, 10)).map((day) => known.get(day) ?? { day, ...total([]) });
}
