/** What the page knows: the person, the conversation in view, and how to make the transcript follow. */

export const OLDER = "older"; // the version of a stretch that the person scrolled back to

const listeners = new Set();

export const page = {
  person: null,        // {name, role, initials}
  conversation: new URLSearchParams(location.search).get("conversation") ?? "", // in view; "" for a new one
  version: "",         // of the transcript that is drawn
  shell: null,         // the last answer of /ui/shell
  look: () => {},      // set by the bridge: look({type, ...}) makes the server draw the transcript
  busy: () => {},      // set by the bridge: busy(true) offers Stop in the place of Send
};

/** Call `draw` now and whenever the shell changes; it ends by itself once `element` has left the page. */
export function follow(element, draw) {
  const entry = { element, draw, seen: false };
  listeners.add(entry);
  if (page.shell) draw(page.shell);
}

export function changed(shell) {
  page.shell = shell;
  page.person = shell.person;
  for (const entry of listeners) {
    entry.seen ||= entry.element.isConnected;
    if (entry.seen && !entry.element.isConnected) listeners.delete(entry);
    else entry.draw(shell);
  }
}
