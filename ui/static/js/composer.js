/** Gradio's own message box: translated names and placeholder that stay, and whether an answer is being written. */
import { h } from "./dom.js";
import { files } from "./files.js";
import { t } from "./i18n.js";
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

/** An answer begins or ends; after it the person may type on, unless a request has taken the focus. */
function turned(now) {
  streaming = now;
  setBusy(now);
  if (now || !matchMedia("(pointer: fine)").matches) return;
  setTimeout(() => document.activeElement === document.body && !document.querySelector(".cs-confirm:not(.settled), .cs-ask") && box()?.querySelector("textarea")?.focus(), 400);
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

/** The line under the box: what holds everywhere in this house. */
export function foot() {
  setTimeout(watchComposer);
  const { element, add } = files();
  return h("div", {}, element, h("div", { class: "cs-usage" }, h("span", {}, t("app.tagline")), add));
}
