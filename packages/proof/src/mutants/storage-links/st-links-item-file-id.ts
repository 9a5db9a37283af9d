import { defineMutant } from '../mutant.ts';

export const stLinksItemFileId = defineMutant({
  rule: 'ST-LINKS-ITEM-FILE-ID',
  breaks: 'an item without fileID is left out, where others have one',
  companions: [],
  create: () => ({
    request(request) {
      const { operation, json } = request;
      if (operation !== 'batchGetTempUrls' || !Array.isArray(json?.fileList)) return;
      const fileList = json.fileList.filter(
        (item: unknown) => Object(item) !== item || 'fileID' in Object(item),
      );
      if (fileList.length > 0) request.json = { ...json, fileList };
    },
  }),
});
