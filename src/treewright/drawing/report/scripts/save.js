// Saves the picture as SVG or PNG.

import { download, el } from "./dom.js";
import { treeSvg } from "./svg.js";

const MOST_PIXELS = 60_000_000;

export function startSave(page, picture) {
  const { model, byId, isOpen } = page;

  let pen = null;
  function measure(text, size, bold = false) {
    pen ||= el("canvas").getContext("2d");
    pen.font = `${bold ? 600 : 400} ${size}px Helvetica, Arial, "Liberation Sans", sans-serif`;
    return pen.measureText(text).width;
  }

  function svgNow(title = model.story.title) {
    picture.readInks();
    const { inkOf, cornerOf, flowOf } = picture;
    const look = {
      plan: picture.plan(),
      inks: picture.inks(),
      scale: picture.scale(),
      inkOf,
      cornerOf,
      flowOf,
      isOpen,
      measure,
    };
    return treeSvg(model, look, title);
  }

  const svgBlob = () => new Blob([svgNow()], { type: "image/svg+xml;charset=utf-8" });

  // Twice the size on the screen, less if that would be too large for a canvas.
  async function pngBlob() {
    const url = URL.createObjectURL(svgBlob());
    try {
      const image = new Image();
      image.src = url;
      await image.decode();
      const scale = Math.min(2, Math.sqrt(MOST_PIXELS / (image.width * image.height)));
      const canvas = el("canvas", {
        width: Math.floor(image.width * scale),
        height: Math.floor(image.height * scale),
      });
      canvas.getContext("2d").drawImage(image, 0, 0, canvas.width, canvas.height);
      return await new Promise((done) => canvas.toBlob(done, "image/png"));
    } finally {
      URL.revokeObjectURL(url);
    }
  }

  byId("save-svg").addEventListener("click", () => download("tree.svg", svgBlob()));
  byId("save-png").addEventListener("click", async () => download("tree.png", await pngBlob()));
  return { svgNow, pngBlob };
}
