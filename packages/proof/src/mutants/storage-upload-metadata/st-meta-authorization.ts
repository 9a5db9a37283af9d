import { defineMutant } from '../mutant.ts';
import { ofDeepPaths } from './of-deep-paths.ts';

export const stMetaAuthorization = defineMutant({
  rule: 'ST-META-AUTHORIZATION',
  breaks: 'the authorization for a path of several levels is an object',
  companions: [],
  create: ofDeepPaths((data) => {
    data.authorization = { Signature: data.authorization };
  }),
});
