import { defineMutant } from '../mutant.ts';

export const stPath = defineMutant({
  rule: 'ST-PATH',
  breaks: 'copies stand at another path',
  companions: ['ST-COPY-CALL'],
  create: () => ({
    request(request) {
      if (request.operation === 'batchCopyFile')
        request.target = request.target.replace('batchCopyFile', 'batchCopyFiles');
      else request.target = request.target.replace(/storages:batchCopy$/, 'storages:batchCopyFile');
    },
  }),
});
