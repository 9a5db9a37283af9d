import type { WireProfile } from '../wire-profile.ts';
import { isFetchable } from './is-fetchable.ts';
import type { StorageAnswer } from './read-envelope.ts';

/** What the second step of an upload needs. All but `fileID` is a secret. */
export interface UploadGrant {
  readonly url: string;
  readonly token: string;
  readonly authorization: string;
  readonly fileID: string;
  readonly storeFileID: string;
}

/**
 * The grant in the answer of `getUploadMetaData`, checked field by field, so that nothing is ever
 * sent to `undefined`.
 *
 * @throws StorageError naming the first field that is missing or wrong
 */
export function toUploadGrant(
  answer: StorageAnswer,
  profile: WireProfile,
  what: string,
): UploadGrant {
  const read = (field: string): string => {
    const value = answer.data[field];
    if (typeof value === 'string' && value !== '') return value;
    throw answer.fail(what, { message: `the answer has no ${field}` });
  };
  const url = read('url');
  if (!isFetchable(url)) throw answer.fail(what, { message: 'the answer has no valid url' });
  return {
    url,
    token: read('token'),
    authorization: read('authorization'),
    fileID: read('fileID'),
    storeFileID: read(profile.storeFileID),
  };
}
