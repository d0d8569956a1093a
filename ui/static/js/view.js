/** The first thing of every transcript: which conversation and version this is, and the way to what came before. */
import { button, h } from "./dom.js";
import { t } from "./i18n.js";
import { settle } from "./navigate.js";
import { page } from "./page.js";
import { refreshShell } from "./shell.js";

export function view(v) {
  if (v.conversation) {
    const fresh = page.conversation !== v.conversation;
    page.conversation = v.conversation;
    page.version = v.version;
    settle(v.conversation);
    if (fresh) { page.look({ type: "at" }); refreshShell(); }
  }
  return h("div", { class: "cs-view" }, v.earlier ? more("view.earlier", { type: "earlier", before: v.earlier }) : null, v.older ? more("view.newest", { type: "refresh" }) : null);
}

function more(key, request) {
  return button(t(key), { cls: "secondary small", on: (event) => { event.currentTarget.disabled = true; page.look(request); } });
}
