import { defineMutant } from '../mutant.ts';
import { fileIdOf, readFile } from '../support/files.ts';

export const stCopyMoveExisting = defineMutant({
  rule: 'ST-COPY-MOVE',
  breaks: 'a move onto an existing file leaves its source',
  companions: [],
  create: (context) => ({
    async request(request) {
      const { operation, json } = request;
      if (operation !== 'batchCopyFile' || !Array.isArray(json?.fileList)) return;
      for (const item of json.fileList) {
        if (item?.removeOriginal !== true || !item.dstPath) continue;
        const isThere = await readFile(context, await fileIdOf(context, item.dstPath));
        if (isThere) item.removeOriginal = false;
      }
      request.json = json;
    },
  }),
});
