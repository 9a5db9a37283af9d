export { rejectFile as fileSize, rejectFile as fileToBlob, rejectFile as saveFile };

export function toSizedContent(data: string | ArrayBuffer | ArrayBufferView): Blob {
  // `Blob` does not support an ArrayBuffer from another realm.
  const part = typeof data === 'string' || ArrayBuffer.isView(data) ? data : new Uint8Array(data);
  return new Blob([part as BlobPart]);
}

export const toFetchBody = (_: unknown, data: FormData): FormData => data;

/** Does nothing, because there are no Node streams on this platform. */
export const ignoreEarlyErrors = (_: unknown): void => {};

/** Whether responses may lack headers: pages only see those that the server exposes (D11). */
export const hidesHeaders = true;

async function rejectFile(..._: unknown[]): Promise<never> {
  throw new TypeError('Local files are only supported in Node.');
}
