/** The audit log: one row for each request or call, opened to everything that was written down about it. */
import { button, h, icon, json, mark } from "../dom.js";
import { lang, moment, nameOf, number, t } from "../i18n.js";
import { query } from "../server.js";
import { statement, visible } from "../text.js";

const ICONS = { denied: "x", expired: "clock", superseded: "swap", edited: "pen", refused: "warn", unasked: "check", asked: "clock" };
const DECISIONS = ["approved", "denied", "edited", "asked", "expired", "superseded", "refused", "unasked"];

export function audit() {
  const search = h("input", { class: "cs-in", id: "au-q", type: "search", autocomplete: "off", placeholder: t("audit.q") });
  const who = select("au-who", [["", t("audit.anyone")]]);
  const what = select("au-what", [["", t("audit.any")], ...DECISIONS.map((name) => [name, t("d." + name)])]);
  const tool = select("au-tool", [["", t("audit.anytool")]]);
  const period = select("au-per", [["7", t("audit.7d")], ["30", t("audit.30d")], ["365", t("audit.365d")]], "30");
  const count = h("p", { class: "cs-note", role: "status" });
  const place = h("p", { class: "cs-note", hidden: true }, t("audit.one"));
  const body = h("tbody", {});
  const clear = button(t("audit.clear"), { cls: "ghost small", on: reset });
  const more = button(t("audit.more"), { cls: "secondary small", on: () => load(earlier) });
  const files = ["csv", "json"].map((kind) => h("a", { class: "cs-btn secondary small", download: true }, h("span", {}, t(kind === "csv" ? "audit.export" : "audit.export.json"))));
  let entries = [];
  let titles = {};
  let earlier = null;
  let conversation = "";
  let asked = 0; // a slow answer must not replace a newer one

  /** What the server filters by, for the table and for the files. */
  function filters() {
    const chosen = { days: period.value, who: who.value, decision: what.value, tool: tool.value, conversation };
    return Object.fromEntries(Object.entries(chosen).filter(([, value]) => value));
  }

  async function load(before = null) {
    const mine = ++asked;
    const wanted = filters();
    const reply = await query("audit", { ...wanted, ...(before ? { before } : {}) });
    if (mine !== asked) return;
    if (!reply.ok) return void (count.textContent = reply.text);
    entries = named(before ? [...entries, ...reply.entries] : reply.entries, reply.people);
    titles = reply.titles;
    earlier = reply.earlier;
    ["csv", "json"].forEach((kind, i) => files[i].setAttribute("href", `/ui/audit.${kind}?${new URLSearchParams(wanted)}`));
    offer(who, t("audit.anyone"), reply.people.map((one) => [one.id, visible(called(one))]));
    offer(tool, t("audit.anytool"), reply.tools.map((name) => [name, visible(name)]));
    draw();
  }

  function draw() {
    const all = matters(entries, titles);
    const words = search.value.trim().toLowerCase();
    const shown = all.filter((m) => !words || m.text.includes(words));
    count.textContent = t("audit.count", { n: number(shown.length), m: number(all.length) });
    clear.hidden = !(words || who.value || what.value || tool.value || conversation);
    place.hidden = !conversation;
    more.hidden = !earlier;
    body.replaceChildren(...(shown.length ? shown.flatMap((m) => rows(m, only)) : [h("tr", {}, h("td", { colspan: 5, class: "cs-none" }, t("audit.none")))]));
  }

  function only(id) {
    conversation = id;
    load();
  }

  function reset() {
    search.value = who.value = what.value = tool.value = "";
    only("");
    search.focus();
  }

  search.addEventListener("input", draw);
  for (const control of [who, what, tool, period]) control.addEventListener("input", () => load());
  const heads = ["when", "what", "who", "obj", "result"].map((key) => h("th", { scope: "col" }, t("audit." + key)));
  const element = h("div", { class: "cs-content wide" }, h("p", { class: "cs-pagelead" }, t("audit.lead")),
    h("div", { class: "cs-filters", role: "search" },
      h("div", { class: "cs-fl grow" }, h("label", { for: "au-q", class: "cs-sr" }, t("audit.q")), h("div", { class: "cs-search" }, icon("search"), search)),
      labelled("audit.who", who), labelled("audit.what", what), labelled("audit.tool", tool), labelled("audit.period", period)),
    h("div", { class: "cs-tablebar" }, count, place, clear, h("span", { class: "cs-gap" }), files),
    h("div", { class: "cs-tablewrap" }, h("table", { class: "cs-table audit" }, h("thead", {}, h("tr", {}, heads)), body)), h("p", { class: "cs-more" }, more));
  return { element, refresh: () => load() };
}

/** The options of a list anew; what was chosen stays chosen. */
function offer(control, any, options) {
  const chosen = control.value;
  control.replaceChildren(...[["", any], ...options].map(([v, text]) => h("option", { value: v, selected: v === chosen }, text)));
}

const select = (id, options, chosen = "") => h("select", { class: "cs-in", id }, options.map(([v, text]) => h("option", { value: v, selected: v === chosen }, text)));
const labelled = (key, control) => h("div", { class: "cs-fl" }, h("label", { for: control.id }, t(key)), control);
const person = (entry) => entry.name;

/** Entries of the agent carry no name: it acted for somebody whom other entries name. */
function named(entries, people) {
  const names = new Map(people.map((one) => [one.id, called(one)]));
  return entries.map((entry) => ({ ...entry, name: entry.actor_name ? nameOf(entry.actor_name) : names.get(entry.actor) ?? called({ id: entry.actor }) }));
}

const called = (one) => nameOf(one.name || one.id.split("|").pop());

/** Entries that belong together, newest first: those of one approval, or of one call that needed none. */
export function matters(entries, titles = {}) {
  const groups = new Map();
  for (const entry of entries) {
    const key = entry.approval ?? `${entry.turn}:${entry.tool}:${keyOf(entry, entries)}`;
    groups.set(key, [...(groups.get(key) ?? []), entry]);
  }
  return [...groups.values()].map((group) => matter(group.sort((a, b) => a.seq - b.seq), titles));
}

/** The key of a call without a card; an answer that was written down without one belongs to the call sent last before. */
function keyOf(entry, entries) {
  const { turn, tool, seq, data } = entry;
  if (data.idempotency_key || entry.kind !== "came_back") return data.idempotency_key ?? "";
  return entries.find((other) => other.kind === "sent" && !other.approval && other.seq < seq && other.turn === turn && other.tool === tool)?.data.idempotency_key ?? "";
}

/** What a call without a card was about: the tool in words, and the thing by its name, or as the arguments name it. */
function described(entries, titles) {
  const { tool, kind } = entries[0];
  const thing = entries.findLast((entry) => entry.data.thing)?.data.thing ?? {};
  const args = entries.find((entry) => entry.data.args)?.data.args ?? {};
  const name = thing.name ?? thing.title;
  const named = name ? `${name} (${[thing.id, thing.environment].filter(Boolean).join(", ")})` : Object.entries(args).filter(([key]) => /(^|_)(id|name|environment)$/.test(key)).map(([, v]) => v).join(", ");
  const words = titles[tool] ?? tool ?? kind;
  return visible(named ? `${words}: ${named}` : words);
}

/** Nobody decides that a request expires or is replaced: such an end counts where there is no decision. */
function matter(entries, titles) {
  const of = (kind) => entries.findLast((entry) => entry.kind === kind);
  const shown = of("shown")?.data.card;
  const card = shown && { ...shown, ...shown.other?.[lang] };
  const decided = of("decided");
  const back = of("came_back");
  const last = decided ?? of("expired") ?? of("superseded") ?? entries[entries.length - 1];
  const decision = decided?.data.decision ?? (of("expired") ?? of("superseded"))?.kind ?? (of("refused") ? "refused" : card ? "asked" : "unasked");
  const object = card?.title ? statement(card.title) : described(entries, titles);
  const result = back ? back.data.summary || t(back.data.ok ? "tool.done" : "tool.failed") : decided?.data.reason ? `“${decided.data.reason}”` : ended(of("expired") ?? of("superseded"));
  const text = [object, entries[0].tool, result, ...entries.map(person)].join(" ").toLowerCase();
  return { entries, decision, object, result, failed: back?.data.ok === false, at: last.at, who: person(last), conversation: entries.find((entry) => entry.conversation)?.conversation, tool: entries[0].tool, text };
}

/** Why a card ended that nobody decided on. */
function ended(end) {
  if (!end) return "";
  const key = "ended." + end.data.why;
  const words = t(key);
  return words === key ? "" : words;
}

function rows(m, only) {
  const detail = h("tr", { class: "cs-audit-more", hidden: true }, h("td", { colspan: 5 }, m.entries.map(entryOf), m.conversation ? button(t("audit.only"), { cls: "link", on: () => only(m.conversation) }) : null));
  const toggle = h("button", { type: "button", class: "cs-btn link", "aria-expanded": "false", onclick: () => {
    detail.hidden = !detail.hidden;
    toggle.setAttribute("aria-expanded", String(!detail.hidden));
  } }, h("span", {}, m.object));
  const tag = h("span", { class: "cs-tag is-" + m.decision }, m.decision === "approved" ? mark() : icon(ICONS[m.decision] ?? "info"), t("d." + m.decision));
  return [h("tr", {}, h("td", { class: "nowrap" }, h("time", { datetime: m.at }, moment(m.at))), h("td", {}, tag), h("td", {}, visible(m.who)),
    h("td", { class: "cs-obj" }, toggle, h("code", {}, visible(m.tool ?? ""))), h("td", {}, m.result ? visible(m.result) : h("span", { class: "cs-empty" }, "—"))), detail];
}

function kindOf(kind) {
  const known = t("audit.kind." + kind);
  return known.startsWith("audit.") ? kind : known;
}

function entryOf(entry) {
  return h("div", { class: "cs-audit-e" }, h("p", { class: "cs-sub" }, `${kindOf(entry.kind)} · ${moment(entry.at)} · ${visible(person(entry))} · #${entry.seq} · ${entry.hash.slice(0, 12)}`), json(entry.data));
}
