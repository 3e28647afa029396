export function saveFile(name: string, file: Blob): void {
  const link = document.createElement('a');
  link.href = URL.createObjectURL(file);
  link.download = name;
  link.click();
  // After a delay, because the browser starts the download asynchronously.
  setTimeout(() => URL.revokeObjectURL(link.href), 60_000);
}
