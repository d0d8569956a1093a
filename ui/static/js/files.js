/** Files for the next message: dropped on the page or chosen, listed under the message box until it is sent. */
import { announce, h, icon } from "./dom.js";
import { number, t } from "./i18n.js";
import { show } from "./navigate.js";
import { page } from "./page.js";
import { command, query, upload } from "./server.js";
import { visible } from "./text.js";

const KINDS = ".txt,.md,.csv,.json,.pdf,.docx";
const MOST = 25 * 2 ** 20; // bytes, as in agent/files.py: a file that is too large is not sent at all

export function files() {
  const chips = h("ul", { class: "cs-files", "aria-label": t("files.list") });
  const status = h("p", { class: "cs-note", role: "status" });
  const input = h("input", { type: "file", multiple: true, accept: KINDS, hidden: true, onchange: () => { send([...input.files]); input.value = ""; } });
  const add = h("button", { type: "button", class: "cs-icon-btn small", "aria-label": t("files.add"), title: t("files.add"), onclick: () => input.click() }, icon("plus"));
  let asked = "";

  /** One after another, so that the first of a new conversation makes it for all; one that is refused stops no other. */
  async function send(list) {
    const refused = [];
    for (const file of list) {
      status.textContent = t("files.reading", { n: visible(file.name) });
      const reply = await keep(file);
      if (!reply.ok) refused.push(`${visible(file.name)}: ${reply.text}`);
      if (reply.code === "file_count") break;
      if (!reply.ok) continue;
      announce(t("files.added", { n: visible(file.name) }));
      if (!page.conversation) show(reply.conversation_id);
    }
    status.textContent = refused.join("\n");
    refresh();
  }

  const keep = async (file) => (file.size > MOST ? { ok: false, text: t("files.large") } : upload("files", { name: file.name, conversation_id: page.conversation }, file));

  async function refresh() {
    const place = (asked = page.conversation);
    const reply = place ? await query("files", { conversation_id: place }) : { ok: true, files: [] };
    if (place === asked) chips.replaceChildren(...(reply.ok ? reply.files : []).map(chip));
  }

  function chip(file) {
    const gone = async () => { await command("files/remove", { id: file.id }); refresh(); };
    return h("li", {}, h("span", {}, visible(file.name)), h("span", { class: "cs-note" }, t("files.size", { n: number(Math.ceil(file.size / 1024)) })),
      h("button", { type: "button", class: "cs-icon-btn small", "aria-label": t("files.remove", { n: file.name }), onclick: gone }, icon("x")));
  }

  const carries = (event) => [...(event.dataTransfer?.types ?? [])].includes("Files");
  const mark = (on) => document.documentElement.classList.toggle("cs-drop", on);
  document.addEventListener("dragover", (event) => { if (carries(event)) { event.preventDefault(); mark(true); } });
  document.addEventListener("dragleave", (event) => { if (!event.relatedTarget) mark(false); });
  document.addEventListener("drop", (event) => { if (carries(event)) { event.preventDefault(); mark(false); send([...event.dataTransfer.files]); } });
  document.addEventListener("click", (event) => { const link = event.target.closest?.("a.cs-file"); if (link && window.CSFrame) { event.preventDefault(); take(link); } });
  document.addEventListener("cs:show", refresh);
  document.addEventListener("cs:busy", () => { status.textContent = ""; refresh(); setTimeout(refresh, 1000); });
  setTimeout(refresh);
  return { element: h("div", { class: "cs-filebar" }, chips, status), add: h("span", {}, add, input) };
}

/** In a frame there is no cookie that a plain link would send: the file is asked for as everything else, and kept from here. */
async function take(link) {
  const response = await fetch(link.href);
  if (!response.ok) return;
  const address = URL.createObjectURL(await response.blob());
  Object.assign(document.createElement("a"), { href: address, download: link.textContent }).click();
  setTimeout(() => URL.revokeObjectURL(address), 1000);
}
