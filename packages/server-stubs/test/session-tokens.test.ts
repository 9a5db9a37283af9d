import { defaultWireProfile } from '@berth/spec/wire-profile';
import { describe, expect, test } from 'vitest';
import {
  createClock,
  createKeyPairs,
  createStorageSignature,
  signStorageRequest,
} from '../src/auth/index.ts';

const NOW = 1_700_000_000;
const PERMANENT = { id: 'permanent', secret: 'a secret' };
const TEMPORARY = { id: 'temporary', secret: 'a secret', token: 'right' };

const clock = createClock(() => NOW * 1000, 300);
const pairs = createKeyPairs({ dev: { credentials: [PERMANENT, TEMPORARY] } });
const { credentials } = createStorageSignature({
  pairs: () => pairs,
  hasEnv: () => true,
  service: 'svc',
  signingHost: 'storage.svc.example',
  wireProfile: defaultWireProfile,
  clock: () => clock,
});

function authenticate(pair: typeof PERMANENT, sessionToken: string): unknown {
  const options = { timestamp: NOW, signingHost: 'storage.svc.example' };
  const authorization = signStorageRequest(pair, options)['X-Svc-Authorization'] ?? '';
  const login = { envId: 'dev' } as never;
  return credentials({ authorization, sessionToken, timestamp: NOW }, login);
}

describe('a session token', () => {
  test.each(['', 'none', 'made up'])('beside a permanent key pair is ignored: %j', (token) => {
    expect(authenticate(PERMANENT, token)).toEqual({ env: 'dev', id: 'permanent' });
  });

  test('belongs to a temporary key pair', () => {
    expect(authenticate(TEMPORARY, 'right')).toEqual({ env: 'dev', id: 'temporary' });
    for (const token of ['', 'none', 'RIGHT']) {
      expect(() => authenticate(TEMPORARY, token)).toThrow('X-Svc-SessionToken is unknown');
    }
  });
});
