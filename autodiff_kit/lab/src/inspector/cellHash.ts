/** CRC-32 of a cell's source without trailing newlines, as the kernel computes it, to detect edits. */

const TABLE = Uint32Array.from({ length: 256 }, (_, i) => {
  let c = i;
  for (let k = 0; k < 8; k++) {
    c = c & 1 ? 0xedb88320 ^ (c >>> 1) : c >>> 1;
  }
  return c;
});

export function cellHash(text: string): string {
  let crc = 0xffffffff;
  for (const byte of new TextEncoder().encode(text.replace(/\n+$/, ''))) {
    crc = TABLE[(crc ^ byte) & 255] ^ (crc >>> 8);
  }
  return ((crc ^ 0xffffffff) >>> 0).toString(16).padStart(8, '0');
}
