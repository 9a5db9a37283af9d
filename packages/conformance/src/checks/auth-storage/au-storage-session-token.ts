import type { Trial } from '../../trial/trial.ts';
import { defineCheck } from '../check.ts';
import { expectHeaderTaken, readCredentials } from './storage-credentials.ts';

/** With permanent credentials the header is there and empty, unless the operator gives none. */
export const auStorageSessionToken = defineCheck(
  'AU-STORAGE-SESSION-TOKEN',
  ['storageCredentials', 'sessionToken'],
  async (t: Trial) => {
    const { sessionToken } = t.settings.wireProfile.storageHeaders;
    await readCredentials(t, sessionToken);
    await expectHeaderTaken(t, sessionToken);
  },
);
