/** "A request is waiting": a pill above the message box while a pending card is out of view. */
import { h, icon } from "./dom.js";
import { t } from "./i18n.js";

let host = null;
let pill = null;
let observer = null;

export function jump() {
  host = h("div", { class: "cs-jumphost" });
  return host;
}

/** Watch the newest pending card; one that is taller than the view is scrolled to its beginning, once. */
export function watchPending(card, draft) {
  setTimeout(() => {
    if (!host || !card.isConnected) return;
    observer?.disconnect();
    pill?.remove();
    pill = h("button", { type: "button", class: "cs-pill", hidden: true, onclick: () => goTo(card) }, h("span", { class: "cs-dot" }), t("composer.jump"), icon("down"));
    (document.querySelector(".cs-stage > .column > .gr-group") ?? host).append(pill); // just above the message box
    if (!draft.shown) showBeginning(card);
    draft.shown = true;
    observer = new IntersectionObserver(([entry]) => { pill.hidden = !card.isConnected || entry.intersectionRatio > 0.15; }, { threshold: [0, 0.15, 0.5] });
    observer.observe(card);
    leaveWith(card, pill);
  }, 120);
}

/** A card that goes while it is out of view crosses no threshold, so the observer does not tell. */
function leaveWith(card, mine) {
  const timer = setInterval(() => {
    if (card.isConnected && mine.isConnected) return;
    clearInterval(timer);
    mine.remove();
  }, 300);
}

function goTo(card) {
  card.scrollIntoView({ block: "center" });
  card.querySelector("[data-act=deny]")?.focus({ preventScroll: true });
}

/** Gradio scrolls to the end; a long request is read from its title on. */
function showBeginning(card) {
  const view = card.closest(".bubble-wrap");
  if (!view || card.offsetHeight <= view.clientHeight - 40) return;
  const top = () => { view.scrollTop += card.getBoundingClientRect().top - view.getBoundingClientRect().top - 12; };
  for (const after of [0, 250, 600]) setTimeout(top, after);
  const title = card.querySelector(".cs-title");
  title.tabIndex = -1;
  if (card.contains(document.activeElement)) title.focus({ preventScroll: true });
}
