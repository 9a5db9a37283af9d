import { defineMutant } from '../mutant.ts';
import { ofDeepPaths } from './of-deep-paths.ts';

export const stMetaFileId = defineMutant({
  rule: 'ST-META-FILE-ID',
  breaks: 'the fileID for a path of several levels is a number',
  companions: [],
  create: ofDeepPaths((data) => {
    data.fileID = 42;
  }),
});
