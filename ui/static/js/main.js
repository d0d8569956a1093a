/** Draws what the server sends. Gradio's HTML components call `CS.mount`; plain pages are drawn by `pages/boot.js`. */
import { actions } from "./actions.js";
import { ask } from "./ask.js";
import { batch } from "./batch.js";
import { foot, nameComposer } from "./composer.js";
import { confirm } from "./confirm.js";
import { watchStreams } from "./connection.js";
import { watchDraft } from "./drafts.js";
import { h, json } from "./dom.js";
import { error, notice, reasoning, usage } from "./notes.js";
import { page } from "./page.js";
import { jump } from "./pending.js";
import { startPolling } from "./shell.js";
import { sidebar } from "./sidebar.js";
import { steps } from "./steps.js";
import { topbar } from "./topbar.js";
import { view } from "./view.js";
import { welcome } from "./welcome.js";

const KINDS = { actions, ask, batch, confirm, error, foot, jump, notice, reasoning, sidebar, steps, topbar, usage, view, welcome, bridge };

/** The bridge: the only way from the page to the server's transcript handlers. */
function bridge(_, trigger) {
  page.busy = (on) => trigger(on ? "busy" : "free");
  page.look = (request) => trigger("look", { id: page.conversation, ...request });
  startPolling();
  watchStreams();
  watchDraft();
  return h("span", { hidden: true });
}

/** `element` and `props` are those of a gr.HTML; the same value is never drawn twice, so focus and input survive. */
export function mount(element, props, watch, trigger) {
  const root = element.querySelector("[data-cs]") ?? element;
  let last = "";
  const draw = () => {
    const signature = JSON.stringify(props.value);
    if (!props.value || signature === last) return;
    last = signature;
    const make = KINDS[props.value.kind];
    root.replaceChildren(make ? make(props.value, trigger) : json(props.value));
    nameComposer();
  };
  draw();
  watch("value", draw);
}

window.CS = { mount, page, ready: true };
