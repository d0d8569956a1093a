/** The first thing of every transcript: which conversation and version this is, and the way to what came before. */
import { showSpent } from "./composer.js";
import { button, h } from "./dom.js";
import { taken } from "./drafts.js";
import { t } from "./i18n.js";
import { settle } from "./navigate.js";
import { OLDER, page } from "./page.js";
import { refreshShell } from "./shell.js";

const known = new Set(); // conversations that this tab has shown
let correcting = 0;

export function view(v) {
  if (v.conversation) follow(v);
  if (v.older) page.version = OLDER;
  return h("div", { class: "cs-view" }, v.earlier ? more("view.earlier", { type: "earlier", before: v.earlier }) : null, v.older ? more("view.newest", { type: "refresh" }) : null);
}

/** A late update of a conversation that the person has left is not followed, but corrected. */
function follow(v) {
  const born = page.conversation === "" && !known.has(v.conversation);
  if (v.conversation !== page.conversation && !born) return correct();
  known.add(v.conversation);
  setTimeout(taken, 200); // the transcript is drawn around this marker
  page.conversation = v.conversation;
  page.version = page.version === OLDER && !v.version ? OLDER : v.version;
  settle(v.conversation);
  page.busy(Boolean(v.running));
  if (v.spent) showSpent(v.conversation, v.spent);
  if (born) refreshShell();
}

function correct() {
  clearTimeout(correcting);
  correcting = setTimeout(() => page.look({ type: page.conversation ? "refresh" : "new" }), 150);
}

function more(key, request) {
  return button(t(key), { cls: "secondary small", on: (event) => { event.currentTarget.disabled = true; page.look(request); } });
}
