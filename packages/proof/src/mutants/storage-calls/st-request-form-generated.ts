import { defineMutant } from '../mutant.ts';
import { toStorageRefusal } from '../support/to-storage-refusal.ts';

export const stRequestFormGenerated = defineMutant({
  rule: 'ST-REQUEST-FORM',
  breaks: 'of a link without maxAge beside one with it the call is refused',
  companions: [],
  create: () => ({
    request({ operation, json }) {
      if (operation !== 'batchGetTempUrls' || !Array.isArray(json?.fileList)) return undefined;
      const ages = new Set(json.fileList.map((item: unknown) => typeof Object(item).maxAge));
      const isMixed = ages.has('undefined') && ages.has('number');
      return isMixed ? toStorageRefusal(400, 'INVALID_PARAM') : undefined;
    },
  }),
});
