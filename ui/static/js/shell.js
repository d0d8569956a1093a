/** Asks the server what surrounds the transcript, now and every few seconds, and notices when another tab changed it. */
import { OLDER, changed, page } from "./page.js";
import { query } from "./server.js";

const EVERY = 3000;
let asking = null;
let busy = false;
let timer = 0;

/** Ask now; calls that come together share one request. */
export function refreshShell() {
  asking ??= ask().finally(() => (asking = null));
  return asking;
}

async function ask() {
  const conversation = page.conversation;
  const shell = await query("shell", { conversation, page: location.pathname });
  if (!shell.ok) return;
  changed(shell);
  const there = shell.conversation;
  const news = there && there.id === page.conversation && page.version !== OLDER && there.version !== page.version;
  if (!news || busy) return;
  page.version = there.version; // what was drawn already is not drawn again, so nothing else would tell
  page.look({ type: "refresh" });
}

/** The composer tells whether this tab streams an answer: then it sees every change anyway. */
export function setBusy(on) {
  const ended = busy && !on;
  busy = on;
  document.dispatchEvent(new CustomEvent("cs:busy"));
  if (ended) document.dispatchEvent(new CustomEvent("cs:answer", { detail: { conversation: page.conversation } }));
  setTimeout(refreshShell, on ? 250 : 50);
}

export function startPolling() {
  clearInterval(timer);
  timer = setInterval(() => document.visibilityState === "visible" && refreshShell(), EVERY);
  document.addEventListener("cs:back", () => { page.look({ type: "refresh" }); refreshShell(); });
  document.addEventListener("visibilitychange", () => document.visibilityState === "visible" && refreshShell());
  refreshShell();
}
