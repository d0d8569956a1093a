/** A button with a panel: opens on click, closes on Esc, on a click elsewhere, and gives the focus back. */
export function menu(button, panel) {
  panel.hidden = true;
  button.setAttribute("aria-expanded", "false");
  const away = (event) => { if (!panel.contains(event.target) && !button.contains(event.target)) close(false); };
  const close = (focus) => {
    panel.hidden = true;
    button.setAttribute("aria-expanded", "false");
    document.removeEventListener("pointerdown", away, true);
    if (focus) button.focus();
  };
  button.addEventListener("click", () => {
    if (!panel.hidden) return close(true);
    panel.hidden = false;
    button.setAttribute("aria-expanded", "true");
    document.addEventListener("pointerdown", away, true);
    panel.querySelector("button,a,input")?.focus();
  });
  panel.addEventListener("keydown", (event) => { if (event.key === "Escape") { event.stopPropagation(); close(true); } });
  return close;
}
