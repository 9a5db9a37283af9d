import { defineMutant } from '../mutant.ts';

export const stLinksExpireEarly = defineMutant({
  rule: 'ST-LINKS-EXPIRE',
  breaks: 'every link with maxAge lives for two seconds',
  companions: [],
  create: () => ({
    request(request) {
      const { operation, json } = request;
      if (operation !== 'batchGetTempUrls' || !Array.isArray(json?.fileList)) return;
      for (const item of json.fileList) if (item?.maxAge > 2) item.maxAge = 2;
      request.json = json;
    },
  }),
});
