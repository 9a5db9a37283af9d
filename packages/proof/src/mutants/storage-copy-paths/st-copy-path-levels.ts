import { defineMutant } from '../mutant.ts';

export const stCopyPathLevels = defineMutant({
  rule: 'ST-COPY-PATH-LEVELS',
  breaks: 'a third level is left out of a path',
  companions: [],
  create: () => ({
    request(request) {
      const { operation } = request;
      if (operation !== 'batchCopyFile' && operation !== 'getUploadMetaData') return;
      request.body = Buffer.from(request.body.toString().replaceAll('/level/deeper/', '/level/'));
    },
  }),
});
