import { defineMutant } from '../mutant.ts';
import { fileIdOf, readFile } from '../support/files.ts';
import { toStorageRefusal } from '../support/to-storage-refusal.ts';

export const stCopyAlone = defineMutant({
  rule: 'ST-COPY-ALONE',
  breaks: 'a missing source in the first place refuses the call',
  companions: [],
  create: (context) => ({
    async request({ operation, json }) {
      if (operation !== 'batchCopyFile' || !(json?.fileList?.length > 1)) return;
      const [{ srcPath }] = json.fileList;
      const isThere = !srcPath || (await readFile(context, await fileIdOf(context, srcPath)));
      return isThere ? undefined : toStorageRefusal(404, 'STORAGE_FILE_NONEXIST');
    },
  }),
});
