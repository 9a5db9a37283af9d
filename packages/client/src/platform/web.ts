export { noFile as fileSize, noFile as fileToBlob, noFile as saveFile };

/** A text or bytes as a content that has a length. */
export function toSizedContent(data: string | ArrayBuffer | ArrayBufferView): Blob {
  // A `Blob` knows no ArrayBuffer of another realm.
  const part = typeof data === 'string' || ArrayBuffer.isView(data) ? data : new Uint8Array(data);
  return new Blob([part as BlobPart]);
}

/** What `fetch` is given of a form. */
export const toFetchBody = (_: unknown, data: FormData): FormData => data;

/** Holds the errors of streams of Node, which are not here. */
export const ignoreEarlyErrors = (_: readonly { readonly data: unknown }[]): void => {};

/** Whether any header may be sent to a link: a browser asks the server first (CORS). */
export const sendsIfRange = false;

/**
 * What reads and writes files of the disk in Node.
 *
 * @throws TypeError always: here are none
 */
async function noFile(..._: unknown[]): Promise<never> {
  throw new TypeError('Files of the disk are for Node, Deno and Bun.');
}
