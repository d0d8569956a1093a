/** Labelled messages, pasted one JSON object a line: figures, a bar for each kind, and every miss. */
import { button, h } from "../dom.js";
import { lang, number, t } from "../i18n.js";
import { command } from "../server.js";
import { visible } from "../text.js";

const FIGURES = [["router.lab.recall", "all_needed_recall", percent], ["router.lab.subset", "mean_subset_in_scope", mean],
  ["router.lab.outside", "mean_subset_out_of_scope", mean], ["router.lab.harm", "forbidden_offered", percent]];

export function labelled() {
  const lines = h("textarea", { class: "cs-in cs-jsonl", id: "ro-lab", rows: 4, spellcheck: "false", "aria-describedby": "ro-lab-note" });
  const status = h("p", { class: "cs-note", role: "status" });
  const answer = h("div", {});

  async function measure() {
    const reply = await command("route/labelled", { lines: lines.value || " " });
    status.textContent = reply.ok ? "" : reply.text;
    answer.replaceChildren(...(reply.ok ? measured(reply) : (reply.errors ?? []).filter((error) => error.line).map(wrong)));
  }

  return h("section", {}, h("div", { class: "cs-panel-h" }, h("h2", {}, t("router.lab"))),
    h("p", { class: "cs-note", id: "ro-lab-note" }, t("router.lab.note")),
    h("div", { class: "cs-routeq" }, h("label", { for: "ro-lab" }, t("router.lab")), lines, button(t("router.lab.go"), { cls: "solid", on: measure })), status, answer);
}

function measured({ figures, misses, missed }) {
  const facts = FIGURES.filter(([, name]) => figures[name] !== null).map(([key, name, drawn]) => [h("dt", {}, t(key)), h("dd", {}, drawn(figures[name]))]);
  const kinds = Object.entries(figures.by_kind).filter(([, kind]) => kind.all_needed_recall !== null);
  return [
    h("dl", { class: "cs-facts" }, facts),
    kinds.length ? [h("div", { class: "cs-panel-h cs-lab-h" }, h("h2", {}, t("router.lab.kinds"))), h("ol", { class: "cs-routes" }, kinds.map(kindBar))] : [],
    h("div", { class: "cs-panel-h cs-lab-h" }, h("h2", {}, t("router.lab.misses", { n: number(missed), m: number(figures.queries) }))),
    h("ol", { class: "cs-routes" }, misses.map(miss)),
  ].flat();
}

function kindBar([name, { all_needed_recall: recall, queries }]) {
  return h("li", { class: "cs-route" },
    h("div", { class: "cs-route-h" }, h("span", {}, visible(name)), h("span", { class: "cs-note" }, number(queries)), h("span", { class: "num" }, percent(recall))),
    h("div", { class: "cs-hbar", "aria-hidden": "true" }, h("i", { style: { "--p": 100 * recall + "%" } })));
}

function miss({ line, query, kind, missing, harmful, offered }) {
  const extra = missing.length || harmful.length ? [] : offered;
  const told = [["router.lab.missing", missing], ["router.lab.harmful", harmful], ["router.lab.extra", extra]].filter(([, tools]) => tools.length);
  return h("li", { class: "cs-route cs-miss" },
    h("div", { class: "cs-route-h" }, h("span", {}, visible(query)), h("span", { class: "num cs-note" }, t("router.lab.line", { n: line }))),
    told.map(([key, tools]) => h("p", { class: "cs-words" }, h("span", { class: "cs-note" }, t(key) + ":"), tools.map((tool) => h("code", {}, visible(tool))), h("span", { class: "cs-note" }, visible(kind)))));
}

const wrong = ({ line, text }) => h("p", { class: "cs-errline" }, t("router.lab.line", { n: line }) + ": ", visible(text));

function mean(size) {
  return size.toLocaleString(lang, { maximumFractionDigits: 2 });
}

function percent(share) {
  return share.toLocaleString(lang, { style: "percent", maximumFractionDigits: 1 });
}
