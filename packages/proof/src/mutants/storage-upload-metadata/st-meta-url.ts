import { defineMutant } from '../mutant.ts';
import { ofDeepPaths } from './of-deep-paths.ts';

export const stMetaUrl = defineMutant({
  rule: 'ST-META-URL',
  breaks: 'the url for a path of several levels is relative',
  companions: [],
  create: ofDeepPaths((data) => {
    data.url = new URL(data.url).pathname;
  }),
});
