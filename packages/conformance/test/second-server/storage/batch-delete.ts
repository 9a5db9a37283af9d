import type { Operation } from './operation.ts';
import { readList } from './operation.ts';

/** Deletes files. The entries stand in the reverse order of the items. */
export const batchDelete: Operation = {
  shape: { fileList: 'list' },
  run({ fileList }, tools) {
    const ids = readList(fileList, 'string', tools) as string[];
    const entries = ids.map((fileID) => {
      const path = tools.files.find(fileID);
      if (path === undefined) return { code: 'NO_SUCH_FILE', fileID };
      tools.files.remove(path);
      return { code: 'SUCCESS', fileID };
    });
    return { fileList: entries.reverse() };
  },
};
