/* In a frame: asks the page around for the person's token, keeps the session's handle in memory and nowhere else,
   and sends it with every request. Runs before anything of Gradio does; without a frame it does nothing. */
(() => {
  if (new URLSearchParams(location.search).get("embed") !== "1" || window.parent === window) return;
  const parents = window.csParents;
  const nonce = [...crypto.getRandomValues(new Uint8Array(16))].map((byte) => byte.toString(16).padStart(2, "0")).join("");
  const fetched = window.fetch.bind(window);
  let parent = "";
  let handle = "";
  let renewing = 0;
  let over = false; // who signed out is asked for no token, however many requests were on their way
  let exchanged = Promise.resolve();
  let come = () => {};
  let waiting = new Promise((resolve) => (come = resolve));

  const tell = (type, more = {}) => parent && window.parent.postMessage({ type: "countersign:" + type, nonce, ...more }, parent);
  /** The nonce goes to the listed origins alone; whoever has it is one of them. */
  const hello = () => parents.forEach((origin) => window.parent.postMessage({ type: "countersign:hello", nonce }, origin));
  const greeting = setInterval(() => (parent ? clearInterval(greeting) : hello()), 500);
  hello();

  const expired = () => over || tell("expiring");

  async function exchange(token) {
    const headers = { authorization: "Bearer " + token, ...(handle && { "x-countersign-session": handle }) };
    const answer = await fetched("/ui/embed/session", { method: "POST", headers });
    if (!answer.ok) return tell("refused", { status: answer.status });
    const session = await answer.json();
    const first = !handle;
    handle = session.handle;
    clearTimeout(renewing);
    renewing = setTimeout(expired, Math.max(5, session.seconds - 60) * 1000);
    come();
    if (first) tell("ready");
  }

  const orders = {
    token: (data) => {
      if (typeof data.token !== "string") return;
      over = false;
      exchanged = exchange(data.token);
    },
    open: (data) => typeof data.conversation === "string" && document.dispatchEvent(new CustomEvent("cs:open", { detail: data.conversation })),
    theme: (data) => document.body.classList.toggle("dark", data.theme === "dark"),
    signout: async () => {
      over = true;
      await exchanged.catch(() => {});
      clearTimeout(renewing);
      if (handle) await window.fetch("/ui/signout", { method: "POST" });
      handle = "";
      waiting = new Promise((resolve) => (come = resolve));
      tell("signedout");
    },
  };

  addEventListener("message", (event) => {
    const data = event.data;
    const known = event.source === window.parent && parents.includes(event.origin) && (!parent || event.origin === parent);
    if (!known || !data || data.nonce !== nonce || typeof data.type !== "string") return;
    parent = event.origin;
    const order = data.type.startsWith("countersign:") ? orders[data.type.slice(12)] : null;
    if (order) order(data);
  });

  for (const name of ["confirm_required", "answer"]) {
    document.addEventListener("cs:" + name, (event) => tell(name, event.detail));
  }

  const ours = (url) => url.origin === location.origin && (url.pathname.startsWith("/ui/") || url.pathname.startsWith("/gradio_api/"));
  window.fetch = async (input, init) => {
    if (!ours(new URL(input instanceof Request ? input.url : input, location.href))) return fetched(input, init);
    await waiting;
    const request = new Request(input, init);
    request.headers.set("x-countersign-session", handle);
    return fetched(request);
  };

  /** The session is over: the page around knows the person and gives a new token. */
  window.CSFrame = { expired };
})();
