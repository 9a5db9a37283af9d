import { defineMutant } from '../mutant.ts';

export const stCopyOverwriteDefault = defineMutant({
  rule: 'ST-COPY-OVERWRITE-DEFAULT',
  breaks: 'without overwrite an existing destination stays',
  companions: [],
  create: () => ({
    request(request) {
      const { operation, json } = request;
      if (operation !== 'batchCopyFile' || !Array.isArray(json?.fileList)) return;
      for (const item of json.fileList) if (item?.overwrite === undefined) item.overwrite = false;
      request.json = json;
    },
  }),
});
