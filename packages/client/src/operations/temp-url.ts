import { LIMITS } from '../generated/contract.gen.ts';
import { encodeLink } from '../internal/encode-link.ts';
import { singleItem } from '../internal/single-item.ts';
import type { StorageContext } from '../internal/storage-context.ts';

/** Options of a temporary link. */
export interface TempUrlOptions {
  /**
   * How long the link works, in whole seconds, at least 1. More than 3600 warns and is sent as given
   * (D22). Default: it is not sent, and the deployment decides.
   */
  readonly maxAge?: number | undefined;
  /** Aborts the call. */
  readonly signal?: AbortSignal | undefined;
}

/** Asks for the link of one file and makes it fit for `fetch`. */
export async function tempUrl(
  { call, onWarning }: StorageContext,
  fileID: string,
  { maxAge, signal }: TempUrlOptions = {},
): Promise<string> {
  if (maxAge !== undefined) assertMaxAge(maxAge, onWarning);
  const what = `No link to ${fileID}`;
  const item = maxAge === undefined ? { fileID } : { fileID, maxAge };
  const answer = await call(
    '/api/v2/envs/{envId}/storages:batchGetTempUrls',
    { fileList: [item] },
    what,
    signal,
  );
  const { tempFileURL } = singleItem(answer, what, 'code');
  const link = typeof tempFileURL === 'string' ? encodeLink(tempFileURL) : undefined;
  if (link === undefined) throw answer.fail(what, { message: 'the answer holds no valid address' });
  return link;
}

/** "The lifetime value must be an integer of at least 1; values above 3600 produce a warning." */
function assertMaxAge(maxAge: number, onWarning: StorageContext['onWarning']): void {
  const { linkMinSeconds, linkWarnSeconds } = LIMITS;
  if (!Number.isInteger(maxAge) || maxAge < linkMinSeconds) {
    throw new RangeError(
      `maxAge is an integer of at least ${linkMinSeconds} (seconds), not ${String(maxAge)}.`,
    );
  }
  if (maxAge > linkWarnSeconds) {
    onWarning(`maxAge ${maxAge} is more than ${linkWarnSeconds} seconds; it is sent as given.`);
  }
}
