import { defineMutant } from '../mutant.ts';

export const stCopyMove = defineMutant({
  rule: 'ST-COPY-MOVE',
  breaks: 'a move leaves its source',
  companions: [],
  create: () => ({
    request(request) {
      const { operation, json } = request;
      if (operation !== 'batchCopyFile' || !Array.isArray(json?.fileList)) return;
      for (const item of json.fileList) if (item?.removeOriginal) item.removeOriginal = false;
      request.json = json;
    },
  }),
});
