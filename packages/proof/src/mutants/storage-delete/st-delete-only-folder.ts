import { defineMutant } from '../mutant.ts';

export const stDeleteOnlyFolder = defineMutant({
  rule: 'ST-DELETE-ONLY',
  breaks: 'a folder can be deleted like a file, with all that is in it',
  companions: [],
  create: (context) => ({
    async request({ operation, json }) {
      if (operation !== 'batchDelete' || !Array.isArray(json?.fileList)) return;
      const inner = json.fileList.map((id: unknown) => `${id}/inner.txt`);
      await context.storage('batchDelete', { fileList: inner });
    },
  }),
});
