import { defineMutant } from '../mutant.ts';

export const stCopyPathLevels = defineMutant({
  rule: 'ST-COPY-PATH-LEVELS',
  breaks: 'a third level is left out of a path',
  companions: [],
  create: () => ({
    request(request) {
      const { operation } = request;
      if (operation !== 'batchCopyFile' && operation !== 'getUploadMetaData') return;
      const text = request.body.toString();
      if (!text.includes('/level/deeper/')) return;
      request.body = Buffer.from(text.replaceAll('/level/deeper/', '/level/'));
    },
  }),
});
