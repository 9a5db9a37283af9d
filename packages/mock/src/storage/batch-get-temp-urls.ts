import { itemCodes, limit } from '../contract/defaults.ts';
import { toKeyOfFileID } from '../files/file-id.ts';
import type { Act } from './place.ts';

/** Links to files. One entry an item, in request order; `tempFileURL` is empty where there is no link. */
export const batchGetTempUrls: Act<'batchGetTempUrls'> = (
  { fileList },
  { env, origin, session: { files, links } },
) => ({
  fileList: fileList.map(({ fileID, maxAge = limit('linkSeconds') }) => {
    const key = toKeyOfFileID(env, fileID);
    if (key === undefined || !files.has(key)) {
      return { fileID, code: 'STORAGE_FILE_NONEXIST', tempFileURL: '' };
    }
    // D22: "`maxAge` is whole seconds, 1 to 604800". A bad item never fails the good ones (D30).
    if (!isLifetime(maxAge)) return { fileID, code: 'INVALID_PARAM', tempFileURL: '' };
    const tempFileURL = `${origin()}${links.issue(key, maxAge)}`;
    return { fileID, code: itemCodes.success, tempFileURL };
  }),
});

function isLifetime(maxAge: number): boolean {
  return (
    Number.isInteger(maxAge) &&
    maxAge >= limit('linkMinSeconds') &&
    maxAge <= limit('linkMaxSeconds')
  );
}
