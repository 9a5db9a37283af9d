import { defineMutant } from '../mutant.ts';

export const stDeleteOnly = defineMutant({
  rule: 'ST-DELETE-ONLY',
  breaks: 'files whose names begin with that of the deleted one are deleted too',
  companions: [],
  create: (context) => ({
    async request({ operation, json }) {
      if (operation !== 'batchDelete' || !Array.isArray(json?.fileList)) return;
      const neighbours = json.fileList.map((id: unknown) => `${id}.txt`);
      await context.storage('batchDelete', { fileList: neighbours });
    },
  }),
});
