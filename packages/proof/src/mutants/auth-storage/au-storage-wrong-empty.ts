import profile from '@berth/spec/wire-profiles/default.json' with { type: 'json' };
import { defineMutant } from '../mutant.ts';

const { authorization } = profile.storageHeaders;

export const auStorageWrongEmpty = defineMutant({
  rule: 'AU-STORAGE-WRONG',
  breaks: 'an empty credential is let in',
  companions: [],
  create: (context) => ({
    request({ operation, headers }) {
      if (operation !== 'batchDelete' || headers.get(authorization) !== '') return;
      for (const [name, value] of Object.entries(context.storageHeaders()))
        headers.set(name, value);
    },
  }),
});
