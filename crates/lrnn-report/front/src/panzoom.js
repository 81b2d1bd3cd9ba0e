// Moving and zooming a picture with mouse, touch, wheel and keys.

/**
 * @param {SVGSVGElement} picture
 * @param {(scale: number) => void} [onZoom]
 */
function panZoom(picture, onZoom) {
  let [x, y, scale] = [0, 0, 1];
  let box = { x: 0, y: 0, width: 100, height: 100 };
  const size = () => [picture.clientWidth || 800, picture.clientHeight || 420];

  function draw() {
    const [width, height] = size();
    picture.setAttribute("viewBox", `${x.toFixed(2)} ${y.toFixed(2)} ${(width / scale).toFixed(2)} ${(height / scale).toFixed(2)}`);
    onZoom?.(scale);
  }

  /**
   * Zooms around a point of the element.
   * @param {number} factor
   * @param {number} [across]
   * @param {number} [down]
   */
  function zoom(factor, across, down) {
    const [width, height] = size();
    const [px, py] = [across ?? width / 2, down ?? height / 2];
    const other = Math.max(0.1, Math.min(4, scale * factor));
    x += px / scale - px / other;
    y += py / scale - py / other;
    scale = other;
    draw();
  }

  /**
   * @param {number} across
   * @param {number} down
   */
  function pan(across, down) {
    x += across / scale;
    y += down / scale;
    draw();
  }

  /**
   * Shows all, but not smaller than a scale: where there is no room for all it shows the right end, where the output is.
   * @param {number} least
   */
  function fit(least) {
    const [width, height] = size();
    const [wide, high] = [width / box.width, height / box.height];
    scale = Math.max(least, Math.min(1.15, wide, high));
    x = box.width * scale > width ? box.x + box.width - width / scale : box.x - (width / scale - box.width) / 2;
    y = box.y - (height / scale - box.height) / 2;
    draw();
  }

  picture.addEventListener("wheel", (event) => {
    if (!event.ctrlKey && !picture.contains(document.activeElement)) return;
    event.preventDefault();
    const bounds = picture.getBoundingClientRect();
    zoom(Math.exp(-event.deltaY * (event.deltaMode === 1 ? 0.03 : 0.0015)), event.clientX - bounds.left, event.clientY - bounds.top);
  }, { passive: false });

  /** @type {{ x: number, y: number } | null} */
  let held = null;
  picture.addEventListener("pointerdown", (event) => {
    if (event.button !== 0) return;
    held = { x: event.clientX, y: event.clientY };
    picture.focus({ preventScroll: true });
  });
  picture.addEventListener("pointermove", (event) => {
    if (!held) return;
    if (!picture.hasPointerCapture(event.pointerId)) {
      if (Math.hypot(event.clientX - held.x, event.clientY - held.y) < 4) return;
      picture.setPointerCapture(event.pointerId);
    }
    pan(held.x - event.clientX, held.y - event.clientY);
    held = { x: event.clientX, y: event.clientY };
  });
  for (const name of /** @type {const} */ (["pointerup", "pointercancel"])) picture.addEventListener(name, () => (held = null));

  picture.addEventListener("keydown", (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    /** @type {Record<string, () => void>} */
    const keys = {
      ArrowLeft: () => pan(-60, 0), ArrowRight: () => pan(60, 0), ArrowUp: () => pan(0, -60), ArrowDown: () => pan(0, 60),
      "+": () => zoom(1.25), "=": () => zoom(1.25), "-": () => zoom(0.8), "0": () => fit(0.1),
    };
    const act = keys[event.key];
    if (!act) return;
    event.preventDefault();
    act();
  });

  return {
    zoom, pan, fit, draw,
    /** @param {{ x: number, y: number, width: number, height: number }} other */
    setBox(other) {
      box = other;
    },
    /** Moves what is seen with a point that moved. @param {number} across @param {number} down */
    follow(across, down) {
      x += across;
      y += down;
      draw();
    },
  };
}
