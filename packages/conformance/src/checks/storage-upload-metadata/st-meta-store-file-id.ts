import { defineCheck } from '../check.ts';
import { expectString } from './ask-for-grants.ts';

export const stMetaStoreFileId = defineCheck('ST-META-STORE-FILE-ID', ['storageCredentials'], (t) =>
  expectString(t, t.settings.wireProfile.storeFileID),
);
