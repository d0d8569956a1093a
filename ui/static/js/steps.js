/** Tool work: one row for one step, one line for many; each opens to its result and its arguments, thoughts among them. */
import { disclosure, h, icon, json, table, value } from "./dom.js";
import { jsonpath } from "./evidence.js";
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
  const head = [sign(s.state), icon(s.icon, "cs-step-kind"), h("span", { class: "cs-step-label" }, visible(s.label)), h("code", { class: "cs-step-tool" }, visible(s.tool)), h("span", { class: "cs-step-meta" }, meta)];
  if (s.state === "running" && !hasArguments(s)) return h("div", { class: "cs-step" }, h("div", { class: "cs-step-head" }, head));
  const details = h("details", { class: "cs-step", open: s.state === "failed", "data-tool": s.tool, "data-state": s.state },
    h("summary", { class: "cs-step-head" }, head, icon("chev", "cs-chev")), h("div", { class: "cs-step-body" }, body(s)));
  return remember(details, s.id + s.state);
}

const hasArguments = (s) => Object.keys(s.args ?? {}).length > 0;

function body(s) {
  return [
    s.error ? h("p", { class: "cs-errline" }, visible(s.error)) : null,
    s.error ? h("p", { class: "cs-note" }, visible(s.help || t("tool.help"))) : null,
    result(s),
    hasArguments(s) ? [h("div", { class: "cs-sub" }, t("tool.args")), input(s)] : null,
    s.offered ? offered(s.offered) : null,
  ];
}

const input = (s) => (s.patch ? [jsonpath(s.patch), disclosure(t("tool.raw.args"), json(s.args))] : json(s.args));

function thought(s) {
  return remember(h("details", { class: "cs-step cs-thought" },
    h("summary", { class: "cs-step-head" }, s.running ? sign("running") : icon("think", "cs-step-kind"), h("span", {}, t(s.running ? "think.now" : "think.done")), icon("chev", "cs-chev")),
    h("div", { class: "cs-think-body" }, visible(s.text))), s.id);
}

function result(s) {
  if (s.table) {
    const { columns, rows, total } = s.table;
    return [table(columns, rows, s.label), total > rows.length ? h("p", { class: "cs-note" }, t("tool.rows", { a: number(rows.length), b: number(total) })) : null];
  }
  if (s.changes) return s.changes.map((c) => h("p", { class: "cs-pathline" }, h("code", {}, visible(c))));
  if (s.result === undefined || s.result === null) return null;
  return s.facts ? [facts(s.facts), disclosure(t("tool.raw"), json(s.result))] : json(s.result);
}

/** What is plain of an object; the rest is in the JSON below. */
const facts = (pairs) => (pairs.length ? h("dl", { class: "cs-facts" }, pairs.map(([name, x]) => [h("dt", {}, visible(name)), h("dd", {}, value(x))])) : null);

export function steps(v) {
  const calls = v.steps.filter((s) => s.kind !== "thought");
  if (v.steps.length === 1) return h("div", { class: "cs-card cs-steps single" }, step(v.steps[0]));
  const [state, label] = progress(calls, v.steps.at(-1));
  const total = calls.reduce((sum, s) => sum + (s.duration ?? 0), 0);
  const group = h("details", { class: "cs-card cs-steps", open: false },
    h("summary", { class: "cs-steps-sum" }, sign(state), h("span", {}, label), total && state !== "running" ? h("span", { class: "cs-step-meta" }, seconds(total)) : null, icon("chev", "cs-chev")),
    h("div", { class: "cs-steps-list" }, v.steps.map((s) => (s.kind === "thought" ? thought(s) : step(s)))));
  return h("div", { class: "cs-card cs-work" }, remember(group, v.id), sources(v.sources));
}

/** How far the work is: its state and a line that says it. */
function progress(calls, last) {
  const running = calls.findIndex((s) => s.state === "running");
  if (running >= 0) return ["running", t("steps.running", { n: running + 1, m: calls.length })];
  if (last.running) return ["running", t("think.now")];
  const failed = calls.filter((s) => s.state === "failed").length;
  return [failed ? "failed" : "done", t(failed ? "steps.failed" : "steps.done", { n: calls.length, f: failed })];
}

/** The documents and files that were read, also while the steps are folded. */
const sources = (names) => (names?.length ? h("p", { class: "cs-sources cs-note" }, t("steps.sources", { s: names.map(visible).join("; ") })) : null);
