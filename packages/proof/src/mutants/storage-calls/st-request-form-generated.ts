import { defineMutant } from '../mutant.ts';
import { toStorageRefusal } from '../support/to-storage-refusal.ts';

export const stRequestFormGenerated = defineMutant({
  rule: 'ST-REQUEST-FORM',
  breaks: 'links of some minutes and a rest are refused',
  companions: [],
  create: () => ({
    request({ operation, json }) {
      if (operation !== 'batchGetTempUrls' || !Array.isArray(json?.fileList)) return undefined;
      const ages = json.fileList.map((item: unknown) => Number(Object(item).maxAge));
      const isOdd = ages.some((age: number) => age > 60 && age % 60 !== 0);
      return isOdd ? toStorageRefusal(400, 'INVALID_PARAM') : undefined;
    },
  }),
});
