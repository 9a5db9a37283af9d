import { defineMutant } from '../mutant.ts';
import { readFile } from '../support/files.ts';
import { toStorageRefusal } from '../support/to-storage-refusal.ts';

export const stDeleteAlone = defineMutant({
  rule: 'ST-DELETE-ALONE',
  breaks: 'a missing file in the first place refuses the call',
  companions: [],
  create: (context) => ({
    async request({ operation, json }) {
      if (operation !== 'batchDelete' || !(json?.fileList?.length > 1)) return;
      const isThere = await readFile(context, String(json.fileList[0]));
      return isThere ? undefined : toStorageRefusal(404, 'STORAGE_FILE_NONEXIST');
    },
  }),
});
