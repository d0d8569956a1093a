/** Going from one conversation to another without loading the page anew; links stay real links. */
import { page } from "./page.js";

const onChat = () => location.pathname === "/";

/** Where a conversation lives, with what must be kept of the address. */
export function address(id) {
  const url = new URL("/", location.origin);
  for (const name of ["lang", "__theme", "embed"]) {
    const v = new URLSearchParams(location.search).get(name);
    if (v) url.searchParams.set(name, v);
  }
  if (id) url.searchParams.set("conversation", id);
  return url.pathname + url.search;
}

/** Follow a click on a conversation ("" for a new one); other pages and other tabs load as usual. */
export function goTo(event, id) {
  if (event && (event.metaKey || event.ctrlKey || event.shiftKey || event.button > 0)) return;
  event?.preventDefault();
  if (!onChat()) return location.assign(address(id));
  history.pushState({}, "", address(id));
  show(id);
}

export function show(id) {
  page.conversation = id;
  page.version = "";
  page.busy(false); // what is shown next says whether an answer is being written in it
  document.documentElement.classList.toggle("cs-opened", Boolean(id));
  document.dispatchEvent(new CustomEvent("cs:show", { detail: id }));
  page.look(id ? { type: "open", id } : { type: "new" });
}

/** The address names the conversation that is in view (a new one gets its id with the first message). */
export function settle(id) {
  const shown = new URLSearchParams(location.search).get("conversation") ?? "";
  if (onChat() && id && shown !== id) history.replaceState({}, "", address(id));
}

document.addEventListener("cs:open", (event) => onChat() && goTo(null, event.detail));
addEventListener("popstate", () => onChat() && show(new URLSearchParams(location.search).get("conversation") ?? ""));
