/** Whether a button has been really visible for half a second: a page around a frame may lay something over it. */

const LONG_ENOUGH = 500;
const framed = window.parent !== window;

/** `seen(button)` tells at any time; outside of a frame nobody can lay anything over our page. */
export function watchSeen(button) {
  if (!framed) return () => true;
  let since = 0;
  const note = (entries) => {
    const { isIntersecting, intersectionRatio, isVisible } = entries[entries.length - 1];
    const visible = isIntersecting && intersectionRatio > 0.95 && isVisible !== false;
    since = visible ? since || performance.now() : 0;
    button.dataset.seen = String(visible);
  };
  new IntersectionObserver(note, { threshold: [0, 0.5, 0.96, 1], trackVisibility: true, delay: 100 }).observe(button);
  return () => since > 0 && performance.now() - since >= LONG_ENOUGH;
}
