import { defineMutant } from '../mutant.ts';
import { deleteFile } from '../support/files.ts';
import { seesItems } from '../support/sees-items.ts';

export const stCopyMoveFailed = defineMutant({
  rule: 'ST-COPY-MOVE-FAILED',
  breaks: 'a move that fails removes its source',
  companions: [],
  create: (context) => ({
    ...seesItems,
    async answer(answer, { operation, json }) {
      if (operation !== 'batchCopyFile') return;
      const entries = answer.json?.body?.data?.fileList ?? [];
      for (const [index, { code }] of entries.entries()) {
        const { srcPath, removeOriginal } = json.fileList[index];
        if (code !== undefined && removeOriginal) await deleteFile(context, srcPath);
      }
    },
  }),
});
