import { isFilePath } from '../objects/is-file-path.ts';
import type { Operation } from './operation.ts';
import { Refusal } from './refusals.ts';

/**
 * Gives a grant for one upload, and a new file id with each: all ids of a path name the same file. The
 * cloud path has no leading `/` here, and no characters but those of copy paths.
 */
export const getUploadMetaData: Operation = {
  shape: { path: 'string' },
  run({ path }, { files, grants, objectsUrl }) {
    const cloudPath = path as string;
    if (!isFilePath(`/${cloudPath}`) || cloudPath.startsWith('/')) throw new Refusal('BAD_PATH');
    const { target, ...grant } = grants.give(cloudPath);
    const { authorization, token, storeFileID } = grant;
    const url = objectsUrl + target;
    return { storeFileID, fileID: files.nameOf(cloudPath), token, url, authorization, note: '' };
  },
};
