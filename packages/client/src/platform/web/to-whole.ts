/** A text or bytes as a content that has a length. */
export function toWhole(data: string | ArrayBuffer | ArrayBufferView): Blob {
  // A `Blob` knows no ArrayBuffer of another realm.
  const part = typeof data === 'string' || ArrayBuffer.isView(data) ? data : new Uint8Array(data);
  return new Blob([part as BlobPart]);
}
