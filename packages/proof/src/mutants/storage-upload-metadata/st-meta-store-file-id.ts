import { defineMutant } from '../mutant.ts';
import { ofDeepPaths } from './of-deep-paths.ts';

export const stMetaStoreFileId = defineMutant({
  rule: 'ST-META-STORE-FILE-ID',
  breaks: 'the storeFileID for a path of several levels has another name',
  companions: [],
  create: ofDeepPaths((data) => {
    data.storeFileId = data.storeFileID;
    delete data.storeFileID;
  }),
});
