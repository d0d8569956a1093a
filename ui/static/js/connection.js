/** Whether the server answers. While it does not, the page says so in words and asks again until it does. */
import { h, icon } from "./dom.js";
import { unsent } from "./drafts.js";
import { t } from "./i18n.js";

const AGAIN = 1000;
const GRADIO = "Connection to the server was lost"; // its own notice, in English only; some seconds later it reloads the page
let broken = false; // Gradio has given its streams up
let strip = null;
let asking = null;

/** A request went unanswered. Ask once more before alarming anybody: a page that is being left breaks its requests off. */
export function unanswered() {
  asking ??= ask();
}

async function ask() {
  await new Promise((done) => setTimeout(done, strip ? AGAIN : AGAIN / 4));
  const there = await fetch("/healthz", { cache: "no-store" }).then((answer) => answer.ok, () => false);
  asking = there ? null : ask();
  if (there === Boolean(strip)) (there ? back : away)();
}

function away() {
  strip = h("div", { class: "cs-away", role: "alert" }, icon("warn"), h("p", {}, t("away")));
  document.querySelector(".gradio-container").append(strip);
}

/** Load the page anew where Gradio is about to do so, before somebody begins to write, or where words were sent in vain. */
function back() {
  if (broken || unsent()) return location.reload();
  strip.remove();
  strip = null;
  document.dispatchEvent(new CustomEvent("cs:back"));
}

/** Hear of it from Gradio as well, whose streams break first, and say it in the person's language in its place. */
export function watchStreams() {
  new MutationObserver((changes) => {
    for (const node of changes.flatMap((change) => [...change.addedNodes])) {
      if (!node.textContent?.includes(GRADIO)) continue;
      node.hidden = true;
      broken = true;
      unanswered();
    }
  }).observe(document.querySelector(".toast-wrap"), { childList: true });
}
