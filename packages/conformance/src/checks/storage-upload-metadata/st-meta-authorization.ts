import { defineCheck } from '../check.ts';
import { expectString } from './ask-for-grants.ts';

export const stMetaAuthorization = defineCheck(
  'ST-META-AUTHORIZATION',
  ['storageCredentials'],
  (t) => expectString(t, 'authorization'),
);
