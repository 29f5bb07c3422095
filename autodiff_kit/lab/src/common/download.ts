/** Save a blob as a file, through the browser. */
export function download(blob: Blob, name: string): void {
  const link = document.createElement('a');
  link.href = URL.createObjectURL(blob);
  link.download = name;
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 10_000);
}

/** A blob of what stands in base64. */
export const blobOf = (data: string, type: string): Blob => new Blob([Uint8Array.from(atob(data), one => one.charCodeAt(0))], { type });

/** Ask for a file; its contents in base64, or nothing where none was chosen. */
export function chooseFile(accept: string): Promise<string | null> {
  return new Promise(resolve => {
    const input = document.createElement('input');
    Object.assign(input, { type: 'file', accept });
    input.addEventListener('cancel', () => resolve(null));
    input.addEventListener('change', () => {
      const reader = new FileReader();
      reader.onload = () => resolve((reader.result as string).split(',')[1] ?? '');
      reader.readAsDataURL(input.files![0]);
    });
    input.click();
  });
}
