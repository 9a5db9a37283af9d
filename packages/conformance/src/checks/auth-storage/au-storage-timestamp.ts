import { readAll } from '../../http/header-list.ts';
import type { Trial } from '../../trial/trial.ts';
import { defineCheck } from '../check.ts';
import { expectHeaderTaken, readCredentials } from './storage-credentials.ts';

export const auStorageTimestamp = defineCheck(
  'AU-STORAGE-TIMESTAMP',
  ['storageCredentials'],
  async (t: Trial) => {
    const { timestamp } = t.settings.wireProfile.storageHeaders;
    const [value = ''] = readAll(await readCredentials(t, timestamp), timestamp);
    const isSeconds = /^\d{10}$/.test(value);
    t.reach(isSeconds, `the given ${timestamp} is no time in whole seconds`);
    await expectHeaderTaken(t, timestamp);
  },
);
