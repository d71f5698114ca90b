/** Hands bytes to the browser as a download. They are never shown as a page of Forge's own. */
export function saveAs(bytes: Blob, filename: string): void {
  const url = URL.createObjectURL(new Blob([bytes], { type: 'application/octet-stream' }));
  const link = document.createElement('a');
  link.href = url;
  link.download = filename;
  link.click();
  // The download has begun by the next task.
  setTimeout(() => URL.revokeObjectURL(url), 0);
}
