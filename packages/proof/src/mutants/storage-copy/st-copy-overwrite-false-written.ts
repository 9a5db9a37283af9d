import { defineMutant } from '../mutant.ts';
import { seesItems } from '../support/sees-items.ts';

export const stCopyOverwriteFalseWritten = defineMutant({
  rule: 'ST-COPY-OVERWRITE-FALSE',
  breaks: 'with overwrite false the item fails, and the destination is overwritten all the same',
  companions: [],
  create: (context) => ({
    ...seesItems,
    async answer(answer, { operation, json }) {
      if (operation !== 'batchCopyFile') return;
      const entries = answer.json?.body?.data?.fileList ?? [];
      for (const [index, { code }] of entries.entries()) {
        if (code !== 'OBJECT_ALREADY_EXIST') continue;
        const { srcPath, dstPath } = json.fileList[index];
        await context.storage('batchCopyFile', { fileList: [{ srcPath, dstPath }] });
      }
    },
  }),
});
