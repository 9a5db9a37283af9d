import { openAsBlob } from 'node:fs';

/** A file for `FormData`; `fetch` reads it while it sends it. */
export function fileToBlob(file: string | URL): Promise<Blob> {
  return openAsBlob(file);
}
