/** The sidebar: the way to the pages and to every conversation. A drawer below 900 px. */
import { account } from "./account.js";
import { conversationList } from "./conversations.js";
import { h, icon, mark } from "./dom.js";
import { t } from "./i18n.js";
import { goTo } from "./navigate.js";
import { follow } from "./page.js";

const PAGES = [["chat", "/", "chat"], ["approvals", "/approvals", "sign"], ["audit", "/audit", "list"], ["usage", "/usage", "bars"], ["router", "/router", "route"]];
const narrow = matchMedia("(max-width: 899px)");

export function sidebar() {
  const conversations = conversationList();
  const who = h("div", { class: "cs-who" });
  const nav = h("nav", { class: "cs-nav", "aria-label": t("nav.main") });
  const side = h("aside", { class: "cs-side", id: "cs-side", "aria-label": t("side.label") },
    h("div", { class: "cs-brand" }, h("a", { href: "/", class: "cs-logo" }, mark(), h("span", {}, "Countersign")),
      h("button", { type: "button", class: "cs-icon-btn only-narrow", "aria-label": t("side.close"), onclick: () => drawer(false) }, icon("x"))),
    h("a", { class: "cs-btn secondary new", href: "/", onclick: (event) => goTo(event, "") }, icon("plus"), h("span", {}, t("side.new"))),
    nav, h("div", { class: "cs-search" }, icon("search"), conversations.search),
    h("div", { class: "cs-convs", role: "region", "aria-label": t("side.list"), tabindex: 0 }, conversations.list), who);
  let person = "";
  const root = h("div", {}, skip(), h("div", { class: "cs-scrim", onclick: () => drawer(false) }), side);
  follow(root, (shell) => {
    nav.replaceChildren(...PAGES.filter(([name]) => name === "chat" || shell.pages.includes(name)).map((entry) => link(entry, shell)));
    conversations.draw(shell.conversations);
    const signature = JSON.stringify([shell.person, shell.always]);
    if (signature !== person && !who.querySelector("[aria-expanded=true]")) who.replaceChildren(account(shell));
    person = signature;
    syncInert();
  });
  document.addEventListener("cs:show", () => { conversations.again(); if (narrow.matches) drawer(false); });
  return root;
}

function link([name, href, picture], shell) {
  const current = (location.pathname.replace(/\/$/, "") || "/") === href;
  const count = name === "approvals" && shell.pending ? h("span", { class: "cs-count-b", title: t("nav.pending", { n: shell.pending }) }, String(shell.pending)) : null;
  return h("a", { href, "aria-current": current ? "page" : null }, icon(picture), t("nav." + name), count);
}

function skip() {
  const target = ".cs-box textarea, .cs-content :is(input, textarea, a, button, [tabindex='0'])";
  return h("a", { class: "cs-skip", href: "#main", onclick: (event) => { event.preventDefault(); document.querySelector(target)?.focus(); } }, t("skip"));
}

/** A closed drawer must not be reachable by Tab, and an open one hides the page behind it. */
function syncInert() {
  const side = document.getElementById("cs-side");
  if (side) side.inert = narrow.matches && !document.body.classList.contains("cs-drawer");
}

export function drawer(open) {
  const was = document.body.classList.contains("cs-drawer");
  document.body.classList.toggle("cs-drawer", open);
  document.querySelectorAll(".cs-page").forEach((element) => (element.inert = open));
  syncInert();
  if (open) document.querySelector("#cs-side .cs-icon-btn").focus();
  else if (was) document.querySelector(".cs-burger")?.focus();
}

document.addEventListener("keydown", (event) => { if (event.key === "Escape" && document.body.classList.contains("cs-drawer")) drawer(false); });
narrow.addEventListener("change", () => drawer(false));
