import { type FileStore, isFilePath } from '../objects/file-store.ts';
import { type Operation, Refusal, readList } from './operation.ts';

/**
 * Issues a grant for one upload, with a new file ID each time: all IDs of a path refer to the same file. The
 * cloud path has no leading `/` here, and only the characters allowed in copy paths.
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

interface Item {
  fileID: string;
  maxAge?: number;
}

/** Creates links. The entries are in reverse order of the items and are identified by `fileID`. */
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

/** Deletes files. The entries are in reverse order of the items. */
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

interface Item {
  srcPath: string;
  dstPath: string;
  overwrite?: boolean;
  removeOriginal?: boolean;
}

/**
 * Copies and moves files. The entries are in the order of the items, because nothing identifies those that
 * succeeded.
 */
export const batchCopyFile: Operation = {
  shape: { fileList: 'list' },
  run({ fileList }, tools) {
    const items = readList(
      fileList,
      {
        srcPath: 'string',
        dstPath: 'string',
        overwrite: 'boolean?',
        removeOriginal: 'boolean?',
      },
      tools,
    ) as Item[];
    const { files, choices } = tools;
    return {
      fileList: items.map((item) => {
        const failed = copy(item, files);
        if (failed) return failed;
        if (choices.copyFileId === 'absent') return {};
        const path = choices.copyFileId === 'source' ? item.srcPath : item.dstPath;
        return { fileID: files.nameOf(path.slice(1)) };
      }),
    };
  },
};

function copy({ srcPath, dstPath, overwrite = true, removeOriginal }: Item, files: FileStore) {
  if (!isFilePath(srcPath) || !isFilePath(dstPath)) {
    return { code: 'BAD_NAME', message: 'No file can have this path.' };
  }
  // The cloud path is the same without the leading `/` (D24).
  const [source, destination] = [srcPath.slice(1), dstPath.slice(1)];
  const content = files.read(source);
  if (!content) return { code: 'NO_SUCH_FILE', message: 'There is nothing to copy.' };
  if (!overwrite && files.read(destination)) {
    return { code: 'TAKEN', message: 'The file already exists.' };
  }
  files.write(destination, content);
  if (removeOriginal && source !== destination) files.remove(source);
  return undefined;
}
