import { StorageError } from '../errors/storage-error.ts';
import { requestIdOf } from '../internal/request-id-of.ts';
import type { StorageContext } from '../internal/storage-context.ts';
import { type TempUrlOptions, tempUrl } from './temp-url.ts';

/** Asks for a link and fetches it. The link carries its own grant: no credential goes with it. */
export async function download(
  context: StorageContext,
  fileID: string,
  options: TempUrlOptions = {},
): Promise<Response> {
  const link = await tempUrl(context, fileID, options);
  const response = await context.fetch(new Request(link, { signal: options.signal ?? null }));
  if (response.ok) return response;
  await response.body?.cancel();
  throw new StorageError({
    what: `The link to ${fileID} gave no file`,
    method: 'GET',
    path: new URL(link).pathname,
    status: response.status,
    requestId: requestIdOf(response),
  });
}
