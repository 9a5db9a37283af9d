import { defineMutant } from '../mutant.ts';
import { itemsOf } from '../support/items-of.ts';

export const stLinksItemFileId = defineMutant({
  rule: 'ST-LINKS-ITEM-FILE-ID',
  breaks: 'an item without fileID is left out, where others have one',
  companions: [],
  create: () => ({
    request(request) {
      if (request.operation !== 'batchGetTempUrls') return;
      const fileList = itemsOf(request).filter((item) => 'fileID' in item);
      if (fileList.length > 0) request.json = { ...request.json, fileList };
    },
  }),
});
