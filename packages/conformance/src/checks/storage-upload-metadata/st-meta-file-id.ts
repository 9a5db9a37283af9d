import { defineCheck } from '../check.ts';
import { expectString } from './ask-for-grants.ts';

export const stMetaFileId = defineCheck('ST-META-FILE-ID', ['storageCredentials'], (t) =>
  expectString(t, 'fileID'),
);
