import { LINK_MIN_SECONDS, LINK_WARN_SECONDS } from '../generated/contract.gen.ts';
import { assertInteger, assertList, assertText } from '../internal/options.ts';
import type { StorageCallOptions, StorageContext } from '../internal/storage-context.ts';
import { encodeLink } from '../internal/urls.ts';
import { callList, type Item, type ItemResult, type ListOptions, onlyResult } from './list-call.ts';

/** How long a link works. */
interface MaxAge {
  /**
   * Whole seconds, at least 1. More than 3600 warns and is sent as given (D22). Default: it is not
   * sent, and the deployment decides.
   */
  readonly maxAge?: number | undefined;
}

/**
 * Options of a temporary link.
 *
 * @example
 * const link = await storage.tempUrl(fileID, { maxAge: 600, timeouts: { total: 5_000 } });
 */
export interface TempUrlOptions extends StorageCallOptions, MaxAge {}

/**
 * Options of temporary links. `maxAge` is for all files that have none of their own.
 *
 * @example
 * const links = await storage.tempUrls([{ fileID, maxAge: 60 }, other], { maxAge: 600 });
 */
export interface TempUrlsOptions extends ListOptions, MaxAge {}

/** A file to link to, with a lifetime of its own. */
export interface TempUrlOrder extends MaxAge {
  /** ID of the file. */
  readonly fileID: string;
}

/** The link to one file of a list, ready for `fetch`, or its `error`. */
export type TempUrlResult = ItemResult<
  {
    /** ID of the file, as it was given. */
    readonly fileID: string;
  },
  {
    /** The link, percent-encoded; `undefined` where there is an `error`. It is a grant: do not log it. */
    readonly url: string;
  }
>;

/** Asks for the links of a list of files. */
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
        `maxAge ${maxAge} is more than ${LINK_WARN_SECONDS} s; it is sent as given.`,
      );
    }
    // JSON leaves out what is undefined.
    return { fileID, maxAge } as Item<'batchGetTempUrls'>;
  });
  return callList(
    context,
    {
      operation: 'batchGetTempUrls',
      items,
      keyOf: ({ fileID }) => ({ fileID }),
      what: (name) => `No link to ${name}`,
      read: ({ tempFileURL }) => {
        const url = encodeLink(String(tempFileURL));
        return url ? { url } : undefined;
      },
    },
    options,
  );
}

/** Asks for the link of one file. */
export async function tempUrl(
  context: StorageContext,
  fileID: string,
  options: TempUrlOptions = {},
): Promise<string> {
  return (await onlyResult(tempUrls(context, [fileID], options))).url;
}
