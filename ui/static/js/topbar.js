/** The bar above: where one is, whether changes are reviewed, which model answers; above it what a demo has to say. */
import { h, icon, mark } from "./dom.js";
import { t } from "./i18n.js";
import { address } from "./navigate.js";
import { follow, page } from "./page.js";
import { command } from "./server.js";
import { refreshShell } from "./shell.js";
import { drawer } from "./sidebar.js";
import { visible } from "./text.js";

const embedded = new URLSearchParams(location.search).get("embed") === "1";
let hidden = sessionStorage.getItem("cs-banner") === "hidden";

export function topbar(v) {
  const root = h("div", { class: "cs-head" });
  let drawn = "";
  follow(root, (shell) => {
    const signature = JSON.stringify([shell.conversation?.title, shell.conversation?.review_changes, shell.conversation?.busy, shell.conversations.some((row) => row.waiting), shell.banner, shell.model, page.conversation, hidden]);
    if (signature === drawn) return;
    drawn = signature;
    root.replaceChildren(...[banner(shell, root), bar(shell, v.page)].filter(Boolean));
  });
  return root;
}

function bar(shell, name) {
  const heading = name ? t(name + ".title") : visible(shell.conversation?.title || t("side.new"));
  document.title = `${heading} · Countersign`;
  const waiting = shell.conversations.some((row) => row.waiting) ? h("span", { class: "cs-dot", "aria-hidden": "true" }) : null;
  const burger = h("button", { type: "button", class: "cs-icon-btn cs-burger only-narrow", "aria-label": t("side.open"), "aria-controls": "cs-side", onclick: () => drawer(true) }, icon("menu"), waiting);
  const full = embedded && !window.CSFrame ? h("a", { class: "cs-icon-btn", href: address(page.conversation).replace("embed=1", ""), target: "_blank", "aria-label": t("embed.open"), title: t("embed.open") }, icon("open")) : null;
  return h("header", { class: "cs-bar" + (embedded ? " embed" : "") }, embedded ? h("span", { class: "cs-logo" }, mark()) : burger, h("h1", { class: "cs-h1" }, heading),
    !name && shell.conversation ? review(shell.conversation) : null, !name && !embedded ? h("span", { class: "cs-model" }, visible(shell.model)) : null, full);
}

/** "Review changes": with it on, changes that can be undone ask too. Not while an answer is being written. */
function review(conversation) {
  const toggle = h("button", { type: "button", role: "switch", class: "cs-switch", "aria-checked": String(conversation.review_changes), disabled: conversation.busy, title: t("review.note"), onclick: async () => {
    const on = toggle.getAttribute("aria-checked") !== "true";
    const reply = await command("review", { conversation_id: conversation.id, on });
    if (reply.ok) toggle.setAttribute("aria-checked", String(on));
    refreshShell();
  } }, h("span", { class: "cs-switch-k", "aria-hidden": "true" }), h("span", { class: "cs-switch-l" }, t("review.label")));
  return toggle;
}

function banner(shell, root) {
  if (hidden || embedded || !shell.banner.length) return null;
  const hide = () => { hidden = true; sessionStorage.setItem("cs-banner", "hidden"); root.querySelector(".cs-banner").remove(); };
  return h("div", { class: "cs-banner", role: "note" }, h("p", {}, shell.banner.map((key) => h("span", {}, t("banner." + key) + " "))),
    h("button", { type: "button", class: "cs-icon-btn", "aria-label": t("banner.hide"), onclick: hide }, icon("x")));
}
