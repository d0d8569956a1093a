/** All that waits for the person: the same cards as in the conversations, answerable here. */
import { ask } from "../ask.js";
import { confirm } from "../confirm.js";
import { h, icon } from "../dom.js";
import { t } from "../i18n.js";
import { follow, page } from "../page.js";
import { query } from "../server.js";
import { visible } from "../text.js";

const EVERY = 5000;

export function approvals() {
  const list = h("div", { class: "cs-waiting" });
  const drawn = new Map(); // card -> [signature, element]: what did not change keeps focus and half-typed input

  async function refresh() {
    const reply = await query("approvals");
    if (reply.ok) draw(reply.waiting);
  }

  function draw(waiting) {
    const elements = waiting.map((entry) => {
      const signature = JSON.stringify(entry);
      const known = drawn.get(entry.value.id);
      if (known?.[0] !== signature) drawn.set(entry.value.id, [signature, item(entry)]);
      return drawn.get(entry.value.id)[1];
    });
    const next = elements.length ? elements : [h("p", { class: "cs-none", role: "status" }, t("approvals.none"))];
    if (next.length !== list.children.length || next.some((element, i) => element !== list.children[i])) list.replaceChildren(...next);
  }

  const lost = h("p", { class: "cs-note", role: "status" });
  document.addEventListener("cs:late", ({ detail }) => (lost.textContent = `${visible(detail.title)} ${detail.text}`));
  const element = h("div", { class: "cs-content" }, h("p", { class: "cs-pagelead" }, t("approvals.lead")), lost, list);
  follow(element, () => page.person && refresh());
  setInterval(() => document.visibilityState === "visible" && refresh(), EVERY);
  return { element, refresh };
}

function item({ conversation, title, value }) {
  const open = h("a", { class: "cs-waiting-c", href: "/?conversation=" + conversation }, icon("chat"), h("span", {}, visible(title || t("side.untitled"))), icon("open"));
  return h("section", { class: "cs-waiting-i" }, open, value.kind === "ask" ? ask(value) : confirm(value));
}
