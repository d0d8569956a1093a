/** Commands to the server. The page asks; the server decides again who may do what. */
import { unanswered } from "./connection.js";
import { t } from "./i18n.js";

/** POST a command; `{ok: true, ...}` or `{ok: false, status, code, text, errors, winner}`, never an exception. */
export async function command(name, body = {}) {
  return answer(fetch("/ui/" + name, { method: "POST", headers: { "content-type": "application/json" }, body: JSON.stringify(body) }));
}

export async function query(name, parameters = {}) {
  return answer(fetch(`/ui/${name}?${new URLSearchParams(parameters)}`, { headers: { accept: "application/json" } }));
}

/** POST a file as it is. */
export async function upload(name, parameters, file) {
  return answer(fetch(`/ui/${name}?${new URLSearchParams(parameters)}`, { method: "POST", headers: { "content-type": "application/octet-stream" }, body: file }));
}

async function answer(request) {
  try {
    const response = await request;
    const body = await response.json();
    if (response.status === 401) signIn();
    return response.ok ? { ok: true, ...body } : { ok: false, status: response.status, ...body };
  } catch {
    unanswered();
    return { ok: false, status: 0, code: "offline", text: t("offline"), errors: [] };
  }
}

/** The session is over: sign in again and come back to this very place. */
export function signIn() {
  if (window.CSFrame) return window.CSFrame.expired();
  if (!location.pathname.startsWith("/signin")) location.assign("/signin?next=" + encodeURIComponent(location.pathname + location.search));
}
