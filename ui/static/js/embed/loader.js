/* The chat inside of another page: a button with a panel, or a frame in an element of that page.

   <script src="https://chat.example.com/embed.js" data-token="giveToken" data-mode="float"></script>

   data-token         name of a function of the page that returns the person's token, or a promise of it
   data-mode          "float" (a button in the corner, the default) or "inline"
   data-target        selector of the element for the inline frame
   data-conversation, data-theme ("light", "dark"), data-lang ("en", "ru"), data-label (of the button)

   window.Countersign = { open, close, show(conversation), theme(name), lang(code), signOut, on(event, listener) }
   events: ready, confirm_required, answer, refused, signedout */
(() => {
  const { src, dataset } = document.currentScript;
  const home = new URL(src).origin;
  const listeners = {};
  let nonce = "";
  let times = 0;
  let frame = null;
  let panel = null;
  let shown = { conversation: dataset.conversation, theme: dataset.theme, lang: dataset.lang };

  function address() {
    const url = new URL("/", home);
    url.searchParams.set("embed", "1");
    for (const [name, value] of [["conversation", shown.conversation], ["__theme", shown.theme], ["lang", shown.lang]]) {
      if (value) url.searchParams.set(name, value);
    }
    return url.href;
  }

  function element(tag, style, attributes = {}) {
    const made = document.createElement(tag);
    Object.assign(made.style, style);
    for (const [name, value] of Object.entries(attributes)) made.setAttribute(name, value);
    return made;
  }

  function makeFrame() {
    frame = element("iframe", { border: "0", width: "100%", height: "100%", display: "block" }, { title: dataset.label || "Countersign", allow: "clipboard-write", src: address() });
    return frame;
  }

  const send = (type, more = {}) => nonce && frame && frame.contentWindow.postMessage({ type: "countersign:" + type, nonce, ...more }, home);
  const tell = (name, detail) => (listeners[name] || []).forEach((listener) => listener(detail));

  async function giveToken() {
    const asked = ++times;
    const give = window[dataset.token];
    const token = typeof give === "function" ? await give() : "";
    if (asked === times) send("token", { token: String(token) });
  }

  addEventListener("message", (event) => {
    const data = event.data;
    if (!frame || event.source !== frame.contentWindow || event.origin !== home || !data || typeof data.type !== "string") return;
    if (!data.type.startsWith("countersign:") || typeof data.nonce !== "string") return;
    const name = data.type.slice(12);
    if (name === "hello") {
      if (data.nonce === nonce) return;
      nonce = data.nonce;
      giveToken();
    } else if (data.nonce === nonce) {
      if (name === "expiring") giveToken();
      else tell(name, { conversation: data.conversation, approval: data.approval, status: data.status });
    }
  });

  /* The panel keeps clear of the button and its shadow: what overlaps a frame makes its buttons wait, see seen.js. */
  function float() {
    const round = { position: "fixed", right: "20px", bottom: "20px", zIndex: "2147483000", border: "0", borderRadius: "28px", height: "56px", padding: "0 20px", font: "600 15px system-ui", background: "#1f3a8a", color: "#fff", cursor: "pointer", boxShadow: "0 2px 8px rgba(0,0,0,.25)" };
    const knob = element("button", round, { type: "button", "aria-expanded": "false" });
    knob.textContent = dataset.label || "Countersign";
    panel = element("div", { position: "fixed", right: "20px", bottom: "104px", borderRadius: "12px", overflow: "hidden", zIndex: "2147483000", width: "min(440px, calc(100vw - 40px))", height: "min(720px, calc(100vh - 136px))", boxShadow: "0 8px 40px rgba(0,0,0,.3)", display: "none", background: "#fff" });
    knob.onclick = () => (panel.style.display === "none" ? open() : close());
    document.body.append(panel, knob);
    panel.knob = knob;
  }

  function open() {
    if (!panel) return;
    if (!frame) panel.append(makeFrame());
    panel.style.display = "block";
    panel.knob.setAttribute("aria-expanded", "true");
  }

  function close() {
    if (!panel) return;
    panel.style.display = "none";
    panel.knob.setAttribute("aria-expanded", "false");
  }

  function begin() {
    if (dataset.mode === "inline") document.querySelector(dataset.target).append(makeFrame());
    else float();
  }

  window.Countersign = {
    open,
    close,
    show: (conversation) => { shown = { ...shown, conversation }; send("open", { conversation }); },
    theme: (theme) => { shown = { ...shown, theme }; send("theme", { theme }); },
    lang: (lang) => { shown = { ...shown, lang }; if (frame) frame.src = address(); },
    signOut: () => { times += 1; send("signout"); },
    on: (name, listener) => { (listeners[name] ??= []).push(listener); },
  };
  if (document.body) begin();
  else addEventListener("DOMContentLoaded", begin);
})();
