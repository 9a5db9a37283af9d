import profile from '@berth/spec/wire-profiles/default.json' with { type: 'json' };
import { defineMutant } from '../mutant.ts';

const { authorization, timestamp } = profile.storageHeaders;

export const auStorageAuthorization = defineMutant({
  rule: 'AU-STORAGE-AUTHORIZATION',
  breaks: 'links need no credential beside a time',
  companions: [],
  create: (context) => ({
    request({ operation, headers }) {
      if (operation !== 'batchGetTempUrls' || headers.get(authorization) !== undefined) return;
      if (headers.get(timestamp) === undefined) return;
      for (const [name, value] of Object.entries(context.storageHeaders()))
        headers.set(name, value);
    },
  }),
});
