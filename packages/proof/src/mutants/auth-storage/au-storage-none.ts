import profile from '@berth/spec/wire-profiles/default.json' with { type: 'json' };
import { defineMutant } from '../mutant.ts';

const NAMES = Object.values(profile.storageHeaders);

export const auStorageNone = defineMutant({
  rule: 'AU-STORAGE-NONE',
  breaks: 'links need no credentials at all',
  companions: [],
  create: (context) => ({
    request({ operation, headers }) {
      const isBare = NAMES.every((name) => headers.get(name) === undefined);
      if (operation !== 'batchGetTempUrls' || !isBare) return;
      for (const [name, value] of Object.entries(context.storageHeaders()))
        headers.set(name, value);
    },
  }),
});
