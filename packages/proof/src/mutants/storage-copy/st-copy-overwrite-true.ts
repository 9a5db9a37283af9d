import { defineMutant } from '../mutant.ts';

export const stCopyOverwriteTrue = defineMutant({
  rule: 'ST-COPY-OVERWRITE-TRUE',
  breaks: 'with overwrite true an existing destination stays',
  companions: [],
  create: () => ({
    request(request) {
      const { operation, json } = request;
      if (operation !== 'batchCopyFile' || !Array.isArray(json?.fileList)) return;
      for (const item of json.fileList) if (item?.overwrite === true) item.overwrite = false;
      request.json = json;
    },
  }),
});
