import { itemCodes } from '../contract/defaults.ts';
import { toKeyOfFileID } from '../files/file-id.ts';
import type { Act } from './place.ts';

/** Deletes files. One entry an item, in request order; D30: "a missing file is never `SUCCESS`". */
export const batchDelete: Act<'batchDelete'> = ({ fileList }, { env, session }) => ({
  fileList: fileList.map((fileID) => {
    const key = toKeyOfFileID(env, fileID);
    const deleted = key !== undefined && session.files.delete(key);
    return { fileID, code: deleted ? itemCodes.success : 'STORAGE_FILE_NONEXIST' };
  }),
});
