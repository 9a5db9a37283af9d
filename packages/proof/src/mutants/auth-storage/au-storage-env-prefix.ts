import { defineMutant } from '../mutant.ts';

export const auStorageEnvPrefix = defineMutant({
  rule: 'AU-STORAGE-ENV',
  breaks: 'of the environment only the beginning is compared',
  companions: [],
  create: (context) => ({
    request(request) {
      const [, env] = /\/envs\/([^/]*)/.exec(request.target) ?? [];
      if (!env?.startsWith(context.env)) return;
      request.target = request.target.replace(/(?<=\/envs\/)[^/]*/, context.env);
    },
  }),
});
