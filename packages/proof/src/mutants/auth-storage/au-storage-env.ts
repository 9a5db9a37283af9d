import { defineMutant } from '../mutant.ts';

export const auStorageEnv = defineMutant({
  rule: 'AU-STORAGE-ENV',
  breaks: 'the environment of a deletion is not looked at',
  companions: [],
  create: (context) => ({
    request(request) {
      if (request.operation !== 'batchDelete') return;
      request.target = request.target.replace(/(?<=\/envs\/)[^/]*/, context.env);
    },
  }),
});
