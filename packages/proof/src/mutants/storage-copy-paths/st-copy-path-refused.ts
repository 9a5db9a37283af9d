import { defineMutant } from '../mutant.ts';

export const stCopyPathRefused = defineMutant({
  rule: 'ST-COPY-PATH-REFUSED',
  breaks: '~ is accepted in a copy path',
  companions: [],
  create: () => ({
    request(request) {
      const { operation, json } = request;
      if (operation !== 'batchCopyFile' || !Array.isArray(json?.fileList)) return;
      for (const item of json.fileList) item.dstPath = item?.dstPath?.replace('~', '-');
      request.json = json;
    },
  }),
});
