import { LINK_MIN_SECONDS, LINK_WARN_SECONDS } from '../generated/contract.gen.ts';
import { assertInteger, assertList, assertText } from '../internal/options.ts';
import type { StorageCallOptions, StorageContext } from '../internal/storage-context.ts';
import { encodeLink } from '../internal/urls.ts';
import {
  callList,
  type Item,
  type ItemResult,
  type ListOptions,
  onlyResult,
  toFileName,
} from './list-call.ts';

interface MaxAge {
  /**
   * How long the link is valid, in whole seconds, at least 1. A value above 3600 is sent, but causes a
   * warning (D22). Default: chosen by the deployment.
   */
  readonly maxAge?: number | undefined;
}

/**
 * Options for a temporary link.
 *
 * @example
 * const link = await storage.tempUrl(fileID, { maxAge: 600, timeouts: { total: 5_000 } });
 */
export interface TempUrlOptions extends StorageCallOptions, MaxAge {}

/**
 * Options for temporary links. `maxAge` applies to every file for which it is not set separately.
 *
 * @example
 * const links = await storage.tempUrls([{ fileID, maxAge: 60 }, other], { maxAge: 600 });
 */
export interface TempUrlsOptions extends ListOptions, MaxAge {}

/** A file to create a link for. The link may have its own lifetime. */
export interface TempUrlOrder extends MaxAge {
  /** ID of the file. */
  readonly fileID: string;
}

/** The result for one file in a list: a link that you can pass to `fetch`, or an `error`. */
export type TempUrlResult = ItemResult<
  {
    /** ID of the file, as passed. */
    readonly fileID: string;
  },
  {
    /**
     * The percent-encoded link; `undefined` if there is an `error`. It grants access to the file, so do
     * not log it.
     */
    readonly url: string;
  }
>;

export async function tempUrls(
  context: StorageContext,
  files: readonly (string | TempUrlOrder)[],
  { maxAge: common, ...options }: TempUrlsOptions = {},
): Promise<TempUrlResult[]> {
  assertList('files', files);
  const items = files.map((file) => {
    const { fileID, maxAge = common } = typeof file === 'object' && file ? file : { fileID: file };
    assertText('fileID', fileID);
    // "The lifetime value must be an integer of at least 1; values above 3600 produce a warning."
    assertInteger('maxAge', maxAge, LINK_MIN_SECONDS);
    if (maxAge && maxAge > LINK_WARN_SECONDS) {
      context.onWarning(
        `maxAge ${maxAge} is above ${LINK_WARN_SECONDS} s, which the server may not accept.`,
      );
    }
    // JSON omits `undefined`.
    return { fileID, maxAge } as Item<'batchGetTempUrls'>;
  });
  return callList(
    context,
    {
      operation: 'batchGetTempUrls',
      items,
      keyOf: ({ fileID }) => ({ fileID }),
      what: (name) => `No link to ${toFileName(name)}`,
      read: ({ tempFileURL }) => {
        const url = encodeLink(String(tempFileURL));
        return url ? { url } : undefined;
      },
    },
    options,
  );
}

export async function tempUrl(
  context: StorageContext,
  fileID: string,
  options: TempUrlOptions = {},
): Promise<string> {
  return (await onlyResult(tempUrls(context, [fileID], options))).url;
}
