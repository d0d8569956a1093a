/** The list of conversations: by day, searchable, each with rename and delete in place. */
import { button, h, icon } from "./dom.js";
import { lang, t } from "./i18n.js";
import { menu } from "./menu.js";
import { goTo } from "./navigate.js";
import { page } from "./page.js";
import { command, query } from "./server.js";
import { refreshShell } from "./shell.js";

const DAY = 86_400_000;
const PAGE = 50;

/** "Today", "Yesterday", "Last 7 days" or the month of a moment. */
export function dayOf(iso, now = new Date()) {
  const midnight = new Date(now).setHours(0, 0, 0, 0);
  const at = new Date(iso);
  if (at >= midnight) return t("side.today");
  if (at >= midnight - DAY) return t("side.yesterday");
  if (at >= midnight - 7 * DAY) return t("side.week");
  return at.toLocaleDateString(lang, { month: "long", year: at.getFullYear() === now.getFullYear() ? undefined : "numeric" });
}

export function conversationList() {
  const list = h("div", { class: "cs-conv-list" });
  const search = h("input", { class: "cs-in", type: "search", placeholder: t("side.search"), "aria-label": t("side.search"), autocomplete: "off", maxlength: 200 });
  const more = button(t("side.more"), { cls: "ghost small", on: older });
  let drawn = "";
  let timer = 0;
  let rest = []; // rows beyond the newest, fetched on demand
  let exhausted = false;

  /** Draw the rows unless they are drawn already or the person is renaming one. */
  function draw(newest) {
    const rows = search.value.trim() ? newest : [...newest, ...rest.filter((row) => !newest.some((other) => other.id === row.id))];
    more.hidden = newest.length < PAGE || search.value.trim() !== "" || exhausted;
    const signature = JSON.stringify([rows, page.conversation]);
    if (signature === drawn || list.querySelector("input, .cs-conv-del, [aria-expanded=true]")) return;
    drawn = signature;
    list.replaceChildren(...(rows.length ? groups(rows) : [h("p", { class: "cs-note pad", role: "status" }, search.value ? t("side.none", { q: search.value }) : t("side.empty"))]), more);
  }

  async function older() {
    const last = [...list.querySelectorAll("[data-id]")].pop();
    const reply = await query("conversations", { after: last.dataset.id });
    if (!reply.ok) return;
    rest = [...rest, ...reply.conversations];
    exhausted = reply.conversations.length < PAGE;
    drawn = "";
    refreshShell();
  }

  async function find() {
    const reply = await query("conversations", { q: search.value.trim() });
    if (reply.ok) draw(reply.conversations);
  }

  search.addEventListener("input", () => { clearTimeout(timer); timer = setTimeout(find, 200); });
  return { list, search, draw: (rows) => (search.value.trim() ? find() : draw(rows)), again: () => { drawn = ""; refreshShell(); } };

  function groups(rows) {
    const days = Map.groupBy ? Map.groupBy(rows, (row) => dayOf(row.updated_at)) : grouped(rows);
    return [...days].map(([day, items]) => h("section", {}, h("h2", { class: "cs-day" }, day), h("ul", {}, items.map((item) => row(item, () => { drawn = ""; refreshShell(); })))));
  }
}

function grouped(rows) {
  const days = new Map();
  for (const row of rows) days.set(dayOf(row.updated_at), [...(days.get(dayOf(row.updated_at)) ?? []), row]);
  return days;
}

function row(c, again) {
  const name = c.title || t("side.untitled");
  const current = c.id === page.conversation;
  const li = h("li", { class: "cs-conv" + (current ? " current" : ""), "data-id": c.id });

  function paint() {
    const more = h("button", { type: "button", class: "cs-icon-btn", "aria-label": t("side.actions", { t: name }), "aria-haspopup": "true" }, icon("dots"));
    const panel = h("div", { class: "cs-pop" }, button(t("side.rename"), { cls: "item", on: rename }), ["md", "json"].map((kind) => file(kind)), button(t("side.delete"), { cls: "item danger", on: remove }));
    const waiting = c.waiting ? [h("span", { class: "cs-dot", "aria-hidden": "true" }), h("span", { class: "cs-sr" }, ", " + t("side.waiting"))] : null;
    li.replaceChildren(h("a", { class: "cs-conv-a", href: "/?conversation=" + c.id, "aria-current": current ? "page" : null, onclick: (event) => goTo(event, c.id) }, h("span", { class: "cs-conv-t" }, name), waiting), more, panel);
    menu(more, panel);
  }

  function file(kind) {
    return h("a", { class: "cs-btn item", href: `/ui/conversation.${kind}?conversation_id=${c.id}`, download: true }, h("span", {}, t(kind === "md" ? "side.export.md" : "side.export.json")));
  }

  function rename() {
    const input = h("input", { class: "cs-in", type: "text", "aria-label": t("side.newname"), maxlength: 80 });
    input.value = c.title;
    let done = false;
    const end = async (save) => {
      if (done) return;
      done = true;
      const title = input.value.trim();
      if (save && title) await command("rename", { conversation_id: c.id, title });
      paint();
      again();
    };
    input.addEventListener("keydown", (event) => {
      if (event.key === "Enter" && !event.isComposing) end(true);
      if (event.key === "Escape") end(false);
    });
    input.addEventListener("blur", () => end(true));
    li.replaceChildren(h("div", { class: "cs-conv-edit" }, input));
    input.focus();
    input.select();
  }

  function remove() {
    const keep = button(t("side.keep"), { cls: "secondary small", on: () => { paint(); li.querySelector(".cs-icon-btn").focus(); } });
    const gone = button(t("side.delete"), { cls: "small dangerline", on: async () => {
      const reply = await command("delete", { conversation_id: c.id });
      if (reply.ok && current) goTo(null, "");
      paint();
      again();
    } });
    li.replaceChildren(h("div", { class: "cs-conv-del", role: "group", "aria-label": t("side.deleteQ") }, h("p", {}, t("side.deleteQ")), h("div", { class: "cs-rc-acts" }, keep, gone)));
    keep.focus();
  }

  paint();
  return li;
}
