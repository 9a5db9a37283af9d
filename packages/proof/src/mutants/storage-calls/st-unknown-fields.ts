import { defineMutant } from '../mutant.ts';
import { toStorageRefusal } from '../support/to-storage-refusal.ts';

export const stUnknownFields = defineMutant({
  rule: 'ST-UNKNOWN-FIELDS',
  breaks: 'an item with a field that is not known is refused',
  companions: [],
  create: () => ({
    request({ operation, json }) {
      if (operation !== 'batchGetTempUrls' || !Array.isArray(json?.fileList)) return undefined;
      const names = json.fileList.flatMap((item: unknown) => Object.keys(Object(item)));
      const isUnknown = names.includes('unknown');
      return isUnknown ? toStorageRefusal(400, 'INVALID_PARAM') : undefined;
    },
  }),
});
