import profile from '@berth/spec/wire-profiles/default.json' with { type: 'json' };
import { defineMutant } from '../mutant.ts';
import { toStorageRefusal } from '../support/to-storage-refusal.ts';

const REFUSED = profile.storageHeaders.authorization.toLowerCase();

export const auStorageAuthorizationCase = defineMutant({
  rule: 'AU-STORAGE-AUTHORIZATION',
  breaks: 'the credential is refused under a name in small letters',
  companions: [],
  create: () => ({
    request({ operation, headers }) {
      const isRefused = headers.list.some(([name]) => name === REFUSED);
      return isRefused && operation === 'batchDelete'
        ? toStorageRefusal(401, 'SIGN_PARAM_INVALID')
        : undefined;
    },
  }),
});
