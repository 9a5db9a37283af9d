import defaults from '@berth/spec/defaults.json' with { type: 'json' };
import profile from '@berth/spec/wire-profiles/default.json' with { type: 'json' };
import { signStorage } from '../../src/credentials/create-signers.ts';

const { service, storageSigningHost } = defaults.signature;
const { authorization, sessionToken, timestamp } = profile.storageHeaders;

/** Returns signed headers for a storage call made now (D17). */
export function signStorageHeaders(pair: { id: string; secret: string }): Record<string, string> {
  const keys = { secretId: pair.id, secretKey: pair.secret, service };
  const now = Math.floor(Date.now() / 1000);
  return {
    [authorization]: signStorage(now, storageSigningHost, keys),
    [sessionToken]: '',
    [timestamp]: String(now),
  };
}
