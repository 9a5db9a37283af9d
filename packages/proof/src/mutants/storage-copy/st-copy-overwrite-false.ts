import { defineMutant } from '../mutant.ts';

export const stCopyOverwriteFalse = defineMutant({
  rule: 'ST-COPY-OVERWRITE-FALSE',
  breaks: 'overwrite false is ignored',
  companions: [],
  create: () => ({
    request(request) {
      const { operation, json } = request;
      if (operation !== 'batchCopyFile' || !Array.isArray(json?.fileList)) return;
      for (const item of json.fileList) if (item?.overwrite === false) item.overwrite = true;
      request.json = json;
    },
  }),
});
