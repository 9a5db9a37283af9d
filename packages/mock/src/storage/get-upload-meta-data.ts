import { StorageError } from '@berth/server-stubs';
import { limit } from '../contract/defaults.ts';
import { toFileID } from '../files/file-id.ts';
import { pathFault, toKey } from '../files/file-path.ts';
import { SESSION_PARAMETER } from '../session/session-name.ts';
import { UPLOAD_PATH } from '../upload/upload-path.ts';
import type { Act } from './place.ts';

/** First step of an upload: a grant for one path, and the address to post the form to. */
export const getUploadMetaData: Act<'getUploadMetaData'> = ({ path }, { env, origin, session }) => {
  const fault = pathFault(path);
  if (fault !== undefined) throw new StorageError('INVALID_PARAM', { message: `path ${fault}` });
  const key = toKey(path);
  // The contract says to post to the address verbatim, query included; the query is there to be kept.
  const query = new URLSearchParams({
    bucket: 'files',
    ...(session.id !== '' && { [SESSION_PARAMETER]: session.id }),
  });
  return {
    url: `${origin()}${UPLOAD_PATH}?${query}`,
    ...session.grants.issue(key, limit('grantSeconds')),
    fileID: toFileID(env, key),
  };
};
