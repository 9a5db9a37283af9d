import { defineCheck } from '../check.ts';
import { expectString } from './ask-for-grants.ts';

export const stMetaToken = defineCheck('ST-META-TOKEN', ['storageCredentials'], (t) =>
  expectString(t, 'token'),
);
