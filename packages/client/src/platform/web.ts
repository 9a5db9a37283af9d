export { rejectFile as fileSize, rejectFile as fileToBlob, rejectFile as saveFile };

/** Text or bytes as content of a known size. */
export function toSizedContent(data: string | ArrayBuffer | ArrayBufferView): Blob {
  // `Blob` does not support an ArrayBuffer of another realm.
  const part = typeof data === 'string' || ArrayBuffer.isView(data) ? data : new Uint8Array(data);
  return new Blob([part as BlobPart]);
}

/** The body of a form for `fetch`. */
export const toFetchBody = (_: unknown, data: FormData): FormData => data;

/** Handles the errors of Node streams, which do not exist here. */
export const ignoreEarlyErrors = (_: readonly { readonly data: unknown }[]): void => {};

/** Whether `If-Range` may be sent to a link: in a browser it would need a preflight (CORS). */
export const sendsIfRange = false;

/**
 * Replaces the functions that read and write local files in Node.
 *
 * @throws TypeError always: there are no local files
 */
async function rejectFile(..._: unknown[]): Promise<never> {
  throw new TypeError('Local files need Node, Deno or Bun.');
}
