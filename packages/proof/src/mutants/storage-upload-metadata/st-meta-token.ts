import { defineMutant } from '../mutant.ts';
import { ofDeepPaths } from './of-deep-paths.ts';

export const stMetaToken = defineMutant({
  rule: 'ST-META-TOKEN',
  breaks: 'a grant for a path of several levels has no token',
  companions: [],
  create: ofDeepPaths((data) => {
    delete data.token;
  }),
});
