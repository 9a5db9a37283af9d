import type { Operation } from './operation.ts';
import { readList } from './operation.ts';

interface Item {
  fileID: string;
  maxAge?: number;
}

/** Makes links. The entries stand in the reverse order of the items; their `fileID` tells them apart. */
export const batchGetTempUrls: Operation = {
  shape: { fileList: 'list' },
  run({ fileList }, tools) {
    const shape = { fileID: 'string', maxAge: 'number?' } as const;
    const items = readList(fileList, shape, tools) as Item[];
    const entries = items.map(({ fileID, maxAge }) => {
      const failed = (code: string) => ({ code, fileID, tempFileURL: 'none' });
      const path = tools.files.find(fileID);
      if (path === undefined) return failed('NO_SUCH_FILE');
      if (maxAge !== undefined && maxAge <= 0) return failed('BAD_AGE');
      const tempFileURL = tools.objectsUrl + tools.links.give(path, maxAge);
      return { code: 'SUCCESS', fileID, tempFileURL };
    });
    return { fileList: entries.reverse() };
  },
};
