/** Tool work: one row for one step, one line for many; each opens to its result and its arguments. */
import { disclosure, h, icon, json, table, value } from "./dom.js";
import { number, seconds, t } from "./i18n.js";
import { offered } from "./offered.js";
import { visible } from "./text.js";

const opened = new Map(); // what the person opened, kept when the card is drawn anew

function remember(element, key) {
  if (opened.has(key)) element.open = opened.get(key);
  element.addEventListener("toggle", () => opened.set(key, element.open));
  return element;
}

const sign = (state) => h("span", { class: "cs-step-ic " + state }, state === "running" ? h("span", { class: "cs-spin" }) : icon(state === "failed" ? "x" : "check"));

function step(s) {
  const meta = s.state === "running" ? t("tool.running") : s.state === "failed" ? t("tool.failed") : s.duration ? seconds(s.duration) : t("tool.done");
  const head = [sign(s.state), h("span", { class: "cs-step-label" }, visible(s.label)), h("code", { class: "cs-step-tool" }, visible(s.tool)), h("span", { class: "cs-step-meta" }, meta)];
  if (s.state === "running" && !hasArguments(s)) return h("div", { class: "cs-step" }, h("div", { class: "cs-step-head" }, head));
  const details = h("details", { class: "cs-step", open: s.state === "failed", "data-tool": s.tool, "data-state": s.state },
    h("summary", { class: "cs-step-head" }, head, icon("chev", "cs-chev")), h("div", { class: "cs-step-body" }, body(s)));
  return remember(details, s.id + s.state);
}

const hasArguments = (s) => Object.keys(s.args ?? {}).length > 0;

function body(s) {
  return [
    s.error ? h("p", { class: "cs-errline" }, visible(s.error)) : null,
    s.help ? h("p", { class: "cs-note" }, visible(s.help)) : null,
    result(s),
    hasArguments(s) ? [h("div", { class: "cs-sub" }, t("tool.args")), json(s.args)] : null,
    s.offered ? offered(s.offered) : null,
  ];
}

function result(s) {
  if (s.table) {
    const { columns, rows, total } = s.table;
    return [table(columns, rows, s.label), total > rows.length ? h("p", { class: "cs-note" }, t("tool.rows", { a: number(rows.length), b: number(total) })) : null];
  }
  if (s.changes) return s.changes.map((c) => h("p", { class: "cs-pathline" }, h("code", {}, visible(c))));
  if (s.result === undefined || s.result === null) return null;
  return typeof s.result === "object" && !Array.isArray(s.result) ? [facts(s.result), disclosure(t("tool.raw"), json(s.result))] : json(s.result);
}

/** An object as its plain facts; what is nested stays in the JSON below. */
function facts(object) {
  const plain = Object.entries(object).filter(([, x]) => x !== null && x !== "" && typeof x !== "object").slice(0, 16);
  return h("dl", { class: "cs-facts" }, plain.map(([name, x]) => [h("dt", {}, visible(name.replaceAll("_", " "))), h("dd", {}, value(x))]));
}

export function steps(v) {
  const failed = v.steps.filter((s) => s.state === "failed").length;
  const running = v.steps.findIndex((s) => s.state === "running");
  if (v.steps.length === 1) return h("div", { class: "cs-card cs-steps single" }, step(v.steps[0]));
  const label = running >= 0 ? t("steps.running", { n: running + 1, m: v.steps.length }) : t(failed ? "steps.failed" : "steps.done", { n: v.steps.length, f: failed });
  const state = running >= 0 ? "running" : failed ? "failed" : "done";
  const total = v.steps.reduce((sum, s) => sum + (s.duration ?? 0), 0);
  const group = h("details", { class: "cs-card cs-steps", open: false },
    h("summary", { class: "cs-steps-sum" }, sign(state), h("span", {}, label), total && running < 0 ? h("span", { class: "cs-step-meta" }, seconds(total)) : null, icon("chev", "cs-chev")),
    h("div", { class: "cs-steps-list" }, v.steps.map(step)));
  return remember(group, v.id);
}
