/** What a request shows: names, facts, fields before and after, JSON paths, counts. */
import { button, h, icon, json, value } from "./dom.js";
import { number, t } from "./i18n.js";
import { visible } from "./text.js";

const OPERATIONS = ["add", "remove", "replace", "move", "copy", "test"];

function list({ items }) {
  return h("ul", { class: "cs-list" }, items.map((item) =>
    h("li", {}, h("span", { class: "cs-li-name" }, value(item.name)), item.meta ? h("span", { class: "cs-li-meta" }, visible(item.meta)) : null)));
}

function facts({ items }) {
  return h("dl", { class: "cs-facts" }, items.map(([term, fact]) => [h("dt", {}, visible(term)), h("dd", {}, value(fact))]));
}

function fields({ title, sides = [t("card.col.before"), t("card.col.after")], rows, unchanged }) {
  const head = [t("card.col.field"), ...sides.map(visible)].map((text) => h("th", { scope: "col" }, text));
  return h("div", { class: title ? "cs-since" : "" }, title ? h("p", {}, icon("swap"), visible(title)) : null,
    h("table", { class: "cs-diff" }, h("thead", {}, h("tr", {}, head)), h("tbody", {}, rows.map((row) => field(row, sides)))),
    unchanged ? h("p", { class: "cs-note" }, t("card.unchanged", { n: unchanged })) : null);
}

function field(row, [before, after]) {
  return h("tr", {}, h("th", { scope: "row" }, visible(row.field)),
    h("td", { "data-label": visible(before) }, h("span", { class: "cs-old" }, value(row.before))),
    h("td", { "data-label": visible(after) }, h("span", { class: "cs-new" }, value(row.after))));
}

/** The places of a document that change; what was there before is shown where it is known. */
export function jsonpath({ doc, changes }) {
  return h("div", { class: "cs-paths" }, h("div", { class: "cs-paths-doc" }, h("code", {}, visible(doc))), changes.map(change));
}

function change(c) {
  const op = OPERATIONS.includes(c.op) ? c.op : "replace";
  return h("div", { class: "cs-path" },
    h("div", { class: "cs-path-key" }, h("span", { class: "cs-op" }, t("card.op." + op)), h("code", {}, visible(c.path))),
    op === "add" || c.before === undefined ? null : line("minus", "−", c.before),
    op === "remove" || c.after === undefined ? null : op === "test" ? line("", "=", c.after) : line("plus", "+", c.after));
}

function line(cls, sign, data) {
  return h("div", { class: "cs-line " + cls }, h("span", { class: "cs-sign", "aria-hidden": "true" }, sign), h("code", {}, value(JSON.stringify(data))));
}

function bulk({ counts, first, total, names = [] }) {
  const list = h("ol", { class: "cs-names" }, first.map(name));
  const all = names.length > first.length &&
    button(t("card.all", { b: number(names.length) }), { cls: "link", on: (e) => { list.replaceChildren(...names.map(name)); e.currentTarget.remove(); } });
  return h("div", {},
    h("dl", { class: "cs-counts" }, counts.map((c) => h("div", { class: "cs-count" }, h("dt", {}, c.label), h("dd", {}, number(c.n))))),
    h("div", { class: "cs-sub" }, t("card.first", { a: first.length, b: number(total) })), list, all);
}

const name = (text) => h("li", {}, h("code", {}, visible(text)));

const BLOCKS = { list, facts, fields, jsonpath, bulk };

/** The blocks of a card, in the order that the tool gave them; an unknown block is shown as JSON, never dropped. */
export function evidence(blocks) {
  return h("div", { class: "cs-evidence" }, (blocks ?? []).map((block) => BLOCKS[block.type]?.(block) ?? json(block)));
}
