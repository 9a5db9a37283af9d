import type { FileStore } from '../objects/file-store.ts';
import { isFilePath } from '../objects/is-file-path.ts';
import type { Operation } from './operation.ts';
import { readList } from './operation.ts';

interface Item {
  srcPath: string;
  dstPath: string;
  overwrite?: boolean;
  removeOriginal?: boolean;
}

/**
 * Copies and moves files. The entries stand in the order of the items, for those that succeeded have
 * nothing that tells them apart.
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
    return { code: 'TAKEN', message: 'There is a file already.' };
  }
  files.write(destination, content);
  if (removeOriginal && source !== destination) files.remove(source);
  return undefined;
}
