import profile from '@berth/spec/wire-profiles/default.json' with { type: 'json' };
import { defineMutant } from '../mutant.ts';
import { toStorageRefusal } from '../support/to-storage-refusal.ts';

const REFUSED = profile.storageHeaders.timestamp.toUpperCase();

export const auStorageTimestamp = defineMutant({
  rule: 'AU-STORAGE-TIMESTAMP',
  breaks: 'the time is refused under a name in capitals',
  companions: [],
  create: () => ({
    request({ operation, headers }) {
      const isRefused = headers.list.some(([name]) => name === REFUSED);
      return isRefused && operation === 'batchCopyFile'
        ? toStorageRefusal(401, 'SIGN_PARAM_INVALID')
        : undefined;
    },
  }),
});
