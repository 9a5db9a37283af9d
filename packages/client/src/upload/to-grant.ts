import type { components } from '../generated/storage.v2.gen.ts';
import type { RememberedCall } from '../internal/calls.ts';
import { isFetchable } from '../internal/is-fetchable.ts';
import type { StorageAnswer } from '../internal/read-envelope.ts';
import type { StorageNames } from '../wire-profile.ts';
import type { UploadForm } from './upload-form.ts';

type Field = keyof components['schemas']['UploadForm'];

/** The fields that no wire profile renames. */
const SIGNATURE = 'Signature' satisfies Field;
const KEY = 'key' satisfies Field;

/** What the second step of an upload needs. All but `fileID` is a secret. */
export interface UploadGrant extends Pick<UploadForm, 'url' | 'fields'>, RememberedCall {
  readonly url: string;
  readonly fileID: string;
}

/**
 * The grant in the answer of `getUploadMetaData`, checked field by field, so that nothing is ever
 * sent to `undefined`.
 *
 * @throws StorageError naming the first field that is missing or wrong
 */
export function toGrant(
  answer: StorageAnswer,
  path: string,
  { uploadFields, storeFileID }: StorageNames,
  what: string,
): UploadGrant {
  const read = (field: string): string => {
    const value = answer.data[field];
    if (value && typeof value === 'string' && (field !== 'url' || isFetchable(value))) return value;
    throw answer.fail(what, { message: `the answer has no valid ${field}` });
  };
  const url = read('url');
  const token = read('token');
  const authorization = read('authorization');
  return {
    method: 'POST',
    url,
    fileID: read('fileID'),
    fields: [
      [SIGNATURE, authorization],
      [uploadFields.securityToken, token],
      [uploadFields.metaFileId, read(storeFileID)],
      [KEY, path],
    ],
    secrets: () => [authorization, token, new URL(url).search],
  };
}
