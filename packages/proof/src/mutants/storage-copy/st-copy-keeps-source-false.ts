import { defineMutant } from '../mutant.ts';

export const stCopyKeepsSourceFalse = defineMutant({
  rule: 'ST-COPY-KEEPS-SOURCE',
  breaks: 'removeOriginal false removes the source',
  companions: [],
  create: () => ({
    request(request) {
      const { operation, json } = request;
      if (operation !== 'batchCopyFile' || !Array.isArray(json?.fileList)) return;
      for (const item of json.fileList)
        if (item?.removeOriginal === false) item.removeOriginal = true;
      request.json = json;
    },
  }),
});
