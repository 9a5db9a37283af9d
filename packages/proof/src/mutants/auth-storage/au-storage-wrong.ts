import profile from '@berth/spec/wire-profiles/default.json' with { type: 'json' };
import { defineMutant } from '../mutant.ts';

const { authorization } = profile.storageHeaders;

export const auStorageWrong = defineMutant({
  rule: 'AU-STORAGE-WRONG',
  breaks: 'an unknown id of a copy is let in',
  companions: [],
  create: (context) => ({
    request({ operation, headers }) {
      const [, id] = /Credential=([^/]*)/.exec(headers.get(authorization) ?? '') ?? [];
      if (operation !== 'batchCopyFile' || id === undefined || id === context.keyPair.id) return;
      for (const [name, value] of Object.entries(context.storageHeaders()))
        headers.set(name, value);
    },
  }),
});
