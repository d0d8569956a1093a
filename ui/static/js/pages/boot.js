/** The frame of a page beside the chat: theme, sidebar, bar, and the page's own content. */
import { h } from "../dom.js";
import { page } from "../page.js";
import { startPolling } from "../shell.js";
import { sidebar } from "../sidebar.js";
import { topbar } from "../topbar.js";
import { approvals } from "./approvals.js";
import { audit } from "./audit.js";
import { router } from "./router.js";
import { usage } from "./usage.js";

const PAGES = { approvals, audit, router, usage };

function theme() {
  const chosen = new URLSearchParams(location.search).get("__theme");
  const dark = matchMedia("(prefers-color-scheme: dark)");
  const apply = () => document.body.classList.toggle("dark", chosen ? chosen === "dark" : dark.matches);
  dark.addEventListener("change", apply);
  apply();
}

const root = document.getElementById("cs-root");
const name = root.dataset.page;
const content = PAGES[name]();
theme();
page.look = () => content.refresh();
root.append(
  h("div", { class: "cs-sidehost" }, sidebar()),
  h("div", { class: "cs-page scroll", id: "main" }, h("div", { class: "cs-tophost" }, topbar({ page: name })), h("main", {}, content.element)));
startPolling();
content.refresh();
