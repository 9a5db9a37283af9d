import { defineMutant } from '../mutant.ts';

export const stCopyKeepsSource = defineMutant({
  rule: 'ST-COPY-KEEPS-SOURCE',
  breaks: 'a copy removes its source',
  companions: [],
  create: () => ({
    request(request) {
      const { operation, json } = request;
      if (operation !== 'batchCopyFile' || !Array.isArray(json?.fileList)) return;
      for (const item of json.fileList)
        if (item?.removeOriginal === undefined) item.removeOriginal = true;
      request.json = json;
    },
  }),
});
