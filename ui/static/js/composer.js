/** Gradio's own message box: translated names and placeholder that stay, and whether an answer is being written. */
import { h } from "./dom.js";
import { files } from "./files.js";
import { number, t } from "./i18n.js";
import { money } from "./money.js";
import { setBusy } from "./shell.js";

const NAMES = [["textarea", "composer.label"], [".submit-button", "composer.send"], [".stop-button", "composer.stop"]];
let observed = null;
let streaming = false;

const box = () => document.querySelector(".cs-box");

/** Write a message as the person would: into the box, then Send. */
export function say(text) {
  const area = box().querySelector("textarea");
  area.value = text;
  area.dispatchEvent(new Event("input", { bubbles: true }));
  setTimeout(() => box().querySelector(".submit-button")?.click(), 30);
}

function name() {
  const host = box();
  for (const [selector, key] of NAMES) {
    const element = host?.querySelector(selector);
    if (element && element.getAttribute("aria-label") !== t(key)) element.setAttribute("aria-label", t(key));
  }
  const area = host?.querySelector("textarea");
  const hint = t(document.querySelector(".cs-confirm:not(.settled), .cs-ask") ? "composer.ph.wait" : "composer.ph");
  if (area && area.placeholder !== hint) area.placeholder = hint;
  const now = Boolean(host?.querySelector(".stop-button"));
  if (now !== streaming) turned(now);
  document.documentElement.classList.toggle("cs-busy", now);
}

/** An answer begins, and is followed from its question on, or ends; then the person may type on, unless a request has taken the focus. */
function turned(now) {
  streaming = now;
  setBusy(now);
  if (now) toEnd();
  if (now || !matchMedia("(pointer: fine)").matches) return;
  setTimeout(() => document.activeElement === document.body && !document.querySelector(".cs-confirm:not(.settled), .cs-ask") && box()?.querySelector("textarea")?.focus(), 400);
}

/** Gradio follows an answer only while its end is in view; who says something wants to see it wherever they had scrolled to. */
function toEnd() {
  const end = () => { const view = document.querySelector(".bubble-wrap"); if (view) view.scrollTop = view.scrollHeight; };
  requestAnimationFrame(end);
  setTimeout(end, 150);
}

/** Svelte swaps these elements and clears the placeholder; put back what is ours each time. */
export function watchComposer() {
  const host = box();
  if (!host) return setTimeout(watchComposer, 50);
  if (observed === host) return;
  observed = host;
  new MutationObserver(name).observe(host, { childList: true, subtree: true, attributes: true, attributeFilter: ["placeholder", "disabled"] });
  name();
}

export const nameComposer = () => box() && name();

/** The line under the box: what holds everywhere in this house, and what the conversation in view cost so far. */
export function foot() {
  setTimeout(watchComposer);
  const { element, add } = files();
  return h("div", {}, element, h("div", { class: "cs-usage" }, h("span", { class: "cs-house" }, t("app.tagline")), spent, add));
}

const spent = h("span", { class: "cs-spent" });

/** Each transcript brings the sum of its conversation; another conversation begins without one. */
export function showSpent(conversation, v) {
  const parts = [t("tokens.in", { n: number(v.input) }), v.cached ? t("tokens.cached", { n: number(v.cached) }) : null, t("tokens.out", { n: number(v.output) }), v.cost ? money(v.cost) : null];
  spent.dataset.of = conversation;
  spent.title = t("tokens.all");
  spent.replaceChildren(parts.filter(Boolean).join(" · "));
}

document.addEventListener("cs:show", ({ detail }) => detail === spent.dataset.of || spent.replaceChildren());
