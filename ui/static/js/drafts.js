/** Words that the server has not taken yet: they are still in the box after a reload, which a lost connection brings.
 * They are for the eyes of the person who wrote them, and gone when that person signs out. */
import { follow, page } from "./page.js";

const KEY = "cs-draft";
const area = () => document.querySelector(".cs-box textarea");
const who = () => page.person?.name;
let left = read(); // what an earlier load of this page kept, until it is back in the box
let restored = null;

function read() {
  try {
    return JSON.parse(sessionStorage.getItem(KEY));
  } catch {
    return null;
  }
}

/** Keep what is typed. Sending empties the box without an event, so words stay kept until they are `taken`. */
export function watchDraft() {
  document.addEventListener("input", (event) => event.target === area() && keep());
  follow(document.body, () => area()?.value && keep()); // what was typed before the page knew whose it is
  for (const act of ["keydown", "pointerdown"]) document.addEventListener(act, () => (left = null), { once: true, capture: true });
  restore();
}

function keep() {
  sessionStorage.setItem(KEY, JSON.stringify({ who: who(), at: page.conversation, text: area().value }));
}

/** Gradio empties the box once more while it starts: put the words back until they stay, or the person does something. */
function restore(tries = 30) {
  const box = area();
  if (box && left?.text && left.who && left.who === who() && left.at === page.conversation && !box.value) put(box, (restored = left.text));
  if (left && tries) return setTimeout(restore, 100, tries - Boolean(page.person)); // not before it is known who is here
  left = null;
}

/** The server has told of the conversation: it has the words that left the box, and those that are in the transcript. */
export function taken() {
  const box = area();
  if (!box || left) return;
  const said = [...document.querySelectorAll(".user-row")].pop()?.innerText.trim();
  if (restored && box.value === restored && restored.trim() === said) put(box, "");
  restored = null;
  if (!box.value) sessionStorage.removeItem(KEY);
}

/** Whether words have left the box that the server never took. */
export function unsent() {
  return area()?.value === "" && Boolean(read()?.text);
}

/** The person leaves. */
export const forget = () => sessionStorage.removeItem(KEY);

function put(box, text) {
  box.value = text;
  box.dispatchEvent(new Event("input", { bubbles: true }));
}
