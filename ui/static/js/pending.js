/** "A request is waiting": a pill above the message box while a pending card is out of view. */
import { h, icon } from "./dom.js";
import { t } from "./i18n.js";

const GAP = 12; // pixels between a request and the edge of the view
let host = null;
let pill = null;
let observer = null;

export function jump() {
  host = h("div", { class: "cs-jumphost" });
  return host;
}

/** Watch the newest pending card; when it is new it is scrolled to its buttons, or to its beginning if it is too tall. */
export function watchPending(card, draft) {
  setTimeout(() => {
    if (!host || !card.isConnected) return;
    observer?.disconnect();
    pill?.remove();
    pill = h("button", { type: "button", class: "cs-pill", hidden: true, onclick: () => goTo(card) }, h("span", { class: "cs-dot" }), t("composer.jump"), icon("down"));
    (document.querySelector(".cs-stage > .column > .gr-group") ?? host).append(pill); // just above the message box
    if (!draft.shown) showNew(card);
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

/** Gradio scrolls to the end, but not always of all; a request whose title and buttons do not fit is read from its title on. */
function showNew(card) {
  const view = card.closest(".bubble-wrap");
  if (!view) return;
  const edges = () => [view, card].map((element) => element.getBoundingClientRect());
  const title = card.querySelector(".cs-title");
  const tall = card.getBoundingClientRect().bottom - title.getBoundingClientRect().top > view.clientHeight - 2 * GAP;
  let reached = 0;
  const show = () => {
    const [frame, box] = edges();
    if (view.scrollTop < reached || (!tall && box.top > frame.bottom)) return; // the person has scrolled up
    view.scrollTop += tall ? box.top - frame.top - GAP : Math.max(0, box.bottom - frame.bottom + GAP);
    reached = view.scrollTop;
  };
  for (const after of [0, 250, 600]) setTimeout(show, after);
  if (!tall) return;
  title.tabIndex = -1;
  if (card.contains(document.activeElement)) title.focus({ preventScroll: true });
}
