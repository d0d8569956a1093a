/** A question of the agent: choices as full-width buttons, free text last. */
import { announce, button, h, icon } from "./dom.js";
import { t } from "./i18n.js";
import { page } from "./page.js";
import { command } from "./server.js";
import { visible } from "./text.js";

const drafts = new Map();

export function ask(v) {
  return v.state === "pending" ? open(v) : closed(v);
}

function closed(v) {
  const outcome = v.state === "answered" ? t("ask.done", { v: visible(v.answer ?? "") }) : t("ask.superseded");
  return h("section", { class: "cs-card cs-receipt is-answered", id: `ask-${v.id}` }, h("div", { class: "cs-rc" },
    h("span", { class: "cs-stamp" }, icon(v.state === "answered" ? "check" : "swap")),
    h("div", { class: "cs-rc-main" }, h("h2", { class: "cs-rc-title" }, visible(v.question)), h("p", { class: "cs-rc-by" }, outcome))));
}

function open(v) {
  const status = h("p", { class: "cs-note", role: "status" });
  const free = v.choices.length ? "ask.other" : "ask.free";
  const other = h("input", { class: "cs-in", id: `o-${v.id}`, type: "text", placeholder: t(free), "aria-label": t(free), autocomplete: "off", maxlength: 2000 });
  other.value = drafts.get(v.id) ?? "";
  other.addEventListener("input", () => drafts.set(v.id, other.value));
  const send = button(t("ask.send"), { cls: "secondary", on: () => other.value.trim() && answer(other.value.trim()) });
  other.addEventListener("keydown", (event) => { if (event.key === "Enter" && !event.isComposing) send.click(); });
  const choices = v.choices.map((c) => h("button", { type: "button", class: "cs-choice", onclick: () => answer(c.value) },
    h("span", { class: "cs-choice-l" }, visible(c.label ?? c.value)), c.hint ? h("span", { class: "cs-choice-h" }, visible(c.hint)) : null));

  async function answer(text) {
    [...choices, send, other].forEach((control) => (control.disabled = true));
    const reply = await command("answer", { question_id: v.id, text });
    if (reply.ok || reply.status === 409) return page.look({ type: "refresh" });
    [...choices, send, other].forEach((control) => (control.disabled = false));
    status.textContent = reply.text;
  }

  announce(t("ask.label") + ": " + visible(v.question));
  return h("section", { class: "cs-card cs-ask", role: "group", "aria-labelledby": `q-${v.id}`, id: `ask-${v.id}` },
    h("div", { class: "cs-top" }, h("span", { class: "cs-state neutral" }, icon("ask"), t("ask.label"))),
    h("h2", { class: "cs-title", id: `q-${v.id}` }, visible(v.question)),
    h("div", { class: "cs-choices" }, choices), v.free ? h("div", { class: "cs-other" }, other, send) : null, status);
}
