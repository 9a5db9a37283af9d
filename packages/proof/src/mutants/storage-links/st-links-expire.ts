import { defineMutant } from '../mutant.ts';

export const stLinksExpire = defineMutant({
  rule: 'ST-LINKS-EXPIRE',
  breaks: 'a link lives for an hour at least',
  companions: [],
  create: () => ({
    request(request) {
      const { operation, json } = request;
      if (operation !== 'batchGetTempUrls' || !Array.isArray(json?.fileList)) return;
      for (const item of json.fileList) if (item?.maxAge < 3600) item.maxAge = 3600;
      request.json = json;
    },
  }),
});
