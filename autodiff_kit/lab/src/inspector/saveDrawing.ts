import { download } from '../common/download';

/** Save a drawing as SVG or PNG, with its computed styles written into it. */

const STYLE_PROPERTIES = ['fill', 'stroke', 'stroke-width', 'stroke-dasharray', 'stroke-linecap', 'opacity', 'font-family', 'font-size', 'font-weight', 'text-anchor'];
const SCALE = 2; // pixels of a PNG for each unit of the drawing

/** A copy with inline styles, which looks the same without the style sheet. */
function withInlineStyles(from: Element): Element {
  const copy = from.cloneNode(false) as Element;
  const style = getComputedStyle(from);
  [...copy.attributes].filter(one => /^(class|id|role|aria-.*)$/.test(one.name)).forEach(one => copy.removeAttribute(one.name));
  STYLE_PROPERTIES.forEach(name => copy.setAttribute(name, style.getPropertyValue(name)));
  for (const kid of from.childNodes) {
    copy.append(kid.nodeType === Node.ELEMENT_NODE ? withInlineStyles(kid as Element) : kid.cloneNode());
  }
  return copy;
}

/** The drawing as the text of an SVG file. */
export function svgDocument(scene: Element, width: number, height: number): string {
  const paper = getComputedStyle(scene.closest('.akl') ?? scene).getPropertyValue('--ak-paper').trim() || '#fff';
  const inner = withInlineStyles(scene);
  inner.removeAttribute('transform');
  const body = new XMLSerializer().serializeToString(inner);
  const size = `width="${Math.ceil(width)}" height="${Math.ceil(height)}" viewBox="0 0 ${Math.ceil(width)} ${Math.ceil(height)}"`;
  return `<svg xmlns="http://www.w3.org/2000/svg" ${size}><rect width="100%" height="100%" fill="${paper}"/>${body}</svg>`;
}

/** The drawing as a picture. */
export async function rasterize(text: string, width: number, height: number): Promise<Blob> {
  const image = new Image();
  image.src = `data:image/svg+xml;charset=utf-8,${encodeURIComponent(text)}`;
  await image.decode();
  const canvas = document.createElement('canvas');
  canvas.width = Math.ceil(width * SCALE);
  canvas.height = Math.ceil(height * SCALE);
  canvas.getContext('2d')!.drawImage(image, 0, 0, canvas.width, canvas.height);
  return new Promise((done, fail) => canvas.toBlob(blob => (blob ? done(blob) : fail(new Error('no picture')))));
}

export async function saveDrawing(scene: Element, width: number, height: number, title: string, kind: 'svg' | 'png'): Promise<void> {
  const text = svgDocument(scene, width, height);
  const blob = kind === 'svg' ? new Blob([text], { type: 'image/svg+xml' }) : await rasterize(text, width, height);
  download(blob, `${title.replace(/[^\w-]+/g, '_') || 'tape'}.${kind}`);
}
