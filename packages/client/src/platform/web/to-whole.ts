/** A text or bytes as a content that has a length. */
export function toWhole(data: string | ArrayBuffer | ArrayBufferView): Blob {
  return new Blob([data as BlobPart]);
}
