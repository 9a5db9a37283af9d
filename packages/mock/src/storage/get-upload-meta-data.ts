import { limit } from '../contract/defaults.ts';
import { toFileID } from '../files/file-id.ts';
import { pathFault, toKey } from '../files/file-path.ts';
import { Refusal } from '../refusal.ts';
import type { StorageOperation } from './storage-operation.ts';

/** First step of an upload: a grant for one path, and the address to post the form to. */
export const getUploadMetaData: StorageOperation<{ path: string }> = (
  { path },
  { origin },
  { env, grants, profile },
) => {
  const fault = pathFault(path);
  if (fault !== undefined) throw new Refusal('INVALID_PARAM', `path ${fault}`);
  const key = toKey(path);
  const { token, authorization, storeFileID } = grants.issue(key, limit('grantSeconds'));
  return {
    // The contract says to post to the address verbatim, query included; the query is there to be kept.
    url: `${origin}/?bucket=files`,
    token,
    authorization,
    fileID: toFileID(env, key),
    [profile.storeFileID]: storeFileID,
  };
};
