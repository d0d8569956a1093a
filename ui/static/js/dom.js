/** The only way an element gets on the page: strings become text nodes, attributes are allow-listed. */
import { number, t } from "./i18n.js";
import { LONG, more, visible } from "./text.js";

const SVG = "http://www.w3.org/2000/svg";
const ATTRIBUTES =
  /^(class|id|role|type|for|name|value|placeholder|href|target|title|tabindex|min|max|step|rows|maxlength|autocomplete|spellcheck|inputmode|open|scope|colspan|lang|datetime|method|action|download|multiple|accept|aria-[a-z]+|data-[a-z-]+|disabled|checked|selected|hidden|novalidate|list)$/;
const LINK = /^(\/(?!\/)|#|\?|https?:)/;

/** Build an element. `on*` must be functions, `href` only relative or http. */
export function h(tag, attributes, ...children) {
  const element = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes ?? {})) set(element, name, value);
  element.append(...children.flat(Infinity).filter((kid) => kid ?? false).map((kid) => (kid instanceof Node ? kid : String(kid))));
  return element;
}

function set(element, name, value) {
  if (value === null || value === undefined || value === false) return;
  if (name.startsWith("on") && typeof value === "function") return element.addEventListener(name.slice(2), value);
  if (name === "style") return Object.entries(value).forEach(([property, x]) => element.style.setProperty(property, x));
  if (!ATTRIBUTES.test(name)) throw new Error("attribute not allowed: " + name);
  if (["href", "action"].includes(name) && !LINK.test(value)) return;
  element.setAttribute(name, value === true ? "" : String(value));
}

export function s(tag, attributes, ...children) {
  const element = document.createElementNS(SVG, tag);
  for (const [name, value] of Object.entries(attributes)) element.setAttribute(name, value);
  element.append(...children);
  return element;
}

const ICONS = {
  pen: "M3 13.2l1-3.6 6.9-6.9a1.4 1.4 0 0 1 2 0l.4.4a1.4 1.4 0 0 1 0 2L6.4 12 3 13.2z",
  check: "M3.2 8.6l3.2 3.2 6.4-7.2",
  x: "M4 4l8 8M12 4l-8 8",
  clock: "M8 4.4V8l2.4 1.6M8 1.8a6.2 6.2 0 1 0 0 12.4A6.2 6.2 0 0 0 8 1.8z",
  swap: "M3 5.5h9.2M9.6 2.9l2.6 2.6-2.6 2.6M13 10.5H3.8M6.4 7.9l-2.6 2.6 2.6 2.6",
  tabs: "M2.5 5h8.2v8.2H2.5zM5.3 5V2.8h8.2V11h-2.8",
  chev: "M6 3.8L10.2 8 6 12.2",
  down: "M8 3v9.4M4 8.6l4 4 4-4",
  up: "M8 13V3.4M4 7.4l4-4 4 4",
  plus: "M8 3v10M3 8h10",
  search: "M7 2.5a4.5 4.5 0 1 0 0 9 4.5 4.5 0 0 0 0-9zM10.4 10.4l3.2 3.2",
  dots: "M3.4 8h.01M8 8h.01M12.6 8h.01",
  menu: "M2.5 4.5h11M2.5 8h11M2.5 11.5h11",
  warn: "M8 5.4v3.4M8 11.2v.1M8 2L14.4 13.4H1.6z",
  info: "M8 7.4v3.4M8 5v.1M8 1.8a6.2 6.2 0 1 0 0 12.4A6.2 6.2 0 0 0 8 1.8z",
  chat: "M2.5 3.2h11v7.6H7L4 13.4v-2.6H2.5z",
  list: "M2.5 4h11M2.5 8h11M2.5 12h7",
  sign: "M2.5 10.5c2.5-5.5 4-7 4.8-6.4 1.3.9-2.3 6.4-1 7 1 .5 2.1-3.2 3.2-2.9.9.2 0 2.5 1 2.7.8.1 1.5-1.1 3-1.5M2.5 13.5h11",
  bars: "M3 13V8.4M8 13V3M13 13V6.2",
  route: "M3 3v3.2C3 9 13 7 13 10v3M3 3l-1.6 1.8M3 3l1.6 1.8M13 13l-1.6-1.8M13 13l1.6-1.8",
  ask: "M5.6 6a2.4 2.4 0 1 1 3.5 2.1c-.8.4-1.1.8-1.1 1.7M8 12.2v.1",
  open: "M6.5 3H3v10h10V9.5M9 3h4v4M13 3L7.4 8.6",
  copy: "M5.5 5.5h8v8h-8zM3.5 10.5h-1v-8h8v1",
  again: "M13 8a5 5 0 1 1-1.6-3.7M13.2 2.4v3h-3",
  up1: "M5.5 13.5V7l2.6-4.7c1.2 0 1.7.9 1.4 2L9 6.5h3.4c.9 0 1.4.7 1.2 1.6l-.9 4.1c-.2.8-.7 1.3-1.5 1.3zM5.5 7h-3v6.5h3",
  down1: "M10.5 2.5V9l-2.6 4.7c-1.2 0-1.7-.9-1.4-2L7 9.5H3.6c-.9 0-1.4-.7-1.2-1.6l.9-4.1c.2-.8.7-1.3 1.5-1.3zM10.5 9h3V2.5h-3",
  page: "M4 2.5h5.5l3 3v8H4zM9.5 2.5v3h3M6.2 8.2h4M6.2 10.8h4",
  trash: "M3 4.5h10M6.2 4.5v-2h3.6v2M4.4 4.5l.7 9h5.8l.7-9",
  think: "M5.5 11.5c-1.8-.8-3-2.4-3-4.3C2.5 4.5 5 2.5 8 2.5s5.5 2 5.5 4.7c0 1.9-1.2 3.5-3 4.3v2h-5z",
};

export function icon(name, cls = "") {
  return s("svg", { viewBox: "0 0 16 16", class: "cs-i " + cls, "aria-hidden": "true" }, s("path", { d: ICONS[name] ?? "" }));
}

/** The mark, a signature over a line: used for signatures and nothing else. */
export function mark(cls = "") {
  const stroke = "M3.5 15.5c3.2-7 5.6-9.4 6.8-8.5 1.9 1.4-3.4 9.4-1.6 10.2 1.5.7 3-4.7 4.6-4.3 1.3.3-.2 3.7 1.3 3.9 1.3.2 2.5-1.7 5.9-2.3";
  return s("svg", { viewBox: "0 0 24 24", class: "cs-mark " + cls, "aria-hidden": "true" },
    s("path", { d: stroke, class: "m1" }), s("path", { d: "M3.5 20h17", class: "m2" }));
}

export function button(label, options = {}) {
  return h("button",
    { type: "button", class: "cs-btn " + (options.cls ?? ""), onclick: options.on, "aria-label": options.aria, "aria-expanded": options.expanded, "aria-controls": options.controls, "data-act": options.act, title: options.title },
    options.icon ? icon(options.icon) : null, label ? h("span", {}, label) : null);
}

/** A value as a person reads it; what is long is cut and can be opened. */
export function value(v) {
  if (v === null || v === undefined || v === "") return h("span", { class: "cs-empty" }, t("card.empty"));
  if (typeof v === "boolean") return t(v ? "value.yes" : "value.no");
  if (typeof v === "number") return number(v);
  const text = visible(typeof v === "object" ? JSON.stringify(v) : v);
  const shown = text.length > LONG ? long(text) : text;
  return typeof v === "object" ? h("code", {}, shown) : shown;
}

function long(text) {
  const rest = h("span", { hidden: true }, text.slice(LONG));
  const open = button(more(text), { cls: "link", on: () => { rest.hidden = false; open.remove(); } });
  return [text.slice(0, LONG), rest, " ", open];
}

export function table(columns, rows, label) {
  const numeric = columns.map((_, i) => rows.length > 0 && rows.every((row) => typeof row[i] === "number"));
  return h("div", { class: "cs-scroll", tabindex: 0, role: "region", "aria-label": label ?? t("tool.result") },
    h("table", { class: "cs-table" },
      h("thead", {}, h("tr", {}, columns.map((c, i) => h("th", { scope: "col", class: numeric[i] ? "num" : "" }, c)))),
      h("tbody", {}, rows.map((row) => h("tr", {}, row.map((cell, i) => h("td", { class: numeric[i] ? "num" : "" }, value(cell))))))));
}

export function disclosure(label, body, extra = null) {
  return h("details", { class: "cs-disc" },
    h("summary", {}, icon("chev", "cs-chev"), h("span", {}, label), extra), h("div", { class: "cs-disc-body" }, body));
}

/** JSON as a block; short values stay on one line. */
export function json(data) {
  return h("pre", { class: "cs-pre", tabindex: 0 }, visible(typeof data === "string" ? data : pretty(data)));
}

function pretty(data) {
  const line = JSON.stringify(data);
  return line.length > 72 ? JSON.stringify(data, null, 2) : line.replace(/":/g, '": ').replace(/,(?=["[{\d])/g, ", ");
}

const SAID_MS = 5000;
let live = null;
let said = 0;

/** Say something to a screen reader; what was said does not stay to be found when it is no longer true. */
export function announce(text) {
  if (!live) document.body.append((live = h("div", { class: "cs-sr", role: "status", "aria-live": "polite" })));
  if (live.textContent !== text) live.textContent = text;
  clearTimeout(said);
  said = setTimeout(() => (live.textContent = ""), SAID_MS);
}
