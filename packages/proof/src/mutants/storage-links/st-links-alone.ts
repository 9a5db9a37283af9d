import { defineMutant } from '../mutant.ts';
import { toStorageRefusal } from '../support/to-storage-refusal.ts';

export const stLinksAlone = defineMutant({
  rule: 'ST-LINKS-ALONE',
  breaks: 'a missing file in the last place refuses the call',
  companions: [],
  create: () => ({
    answer(answer, request) {
      if (request.operation !== 'batchGetTempUrls') return;
      const entries = answer.json?.body?.data?.fileList;
      const isMissing = entries?.at(-1)?.code === 'STORAGE_FILE_NONEXIST';
      if (!isMissing || entries[0].code !== 'SUCCESS') return;
      const refusal = toStorageRefusal(404, 'STORAGE_FILE_NONEXIST');
      answer.status = refusal.status;
      answer.body = refusal.body;
    },
  }),
});
