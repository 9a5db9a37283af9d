import { defineMutant } from '../mutant.ts';
import { deleteFile } from '../support/files.ts';
import { seesItems } from '../support/sees-items.ts';

export const upKept = defineMutant({
  rule: 'UP-KEPT',
  breaks: 'a copy that fails deletes its destination',
  companions: [],
  create: (context) => ({
    ...seesItems,
    async answer(answer, { operation, json }) {
      if (operation !== 'batchCopyFile') return;
      const entries = answer.json?.body?.data?.fileList ?? [];
      for (const [index, { code }] of entries.entries()) {
        const isMissing = code === 'STORAGE_FILE_NONEXIST';
        if (isMissing) await deleteFile(context, json.fileList[index].dstPath);
      }
    },
  }),
});
