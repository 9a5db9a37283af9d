import { GatewayError, StorageError } from '@berth/server-stubs';
import { signStorageRequest } from '@berth/server-stubs/auth';
import { assert, constantFrom, oneof, property, string, tuple } from 'fast-check';
import { expect, test } from 'vitest';
import { sign } from '../../../server-stubs/test/support/sign.ts';
import { createAuthenticator } from '../../src/auth/authenticator.ts';
import { Issuers } from '../../src/auth/issuers.ts';
import { resolveConfig } from '../../src/config/config.ts';
import { clock, START } from './support/deployment.ts';

const CREDENTIAL = { id: 'ci', secret: 'the-secret-of-ci' };
const HEADERS = { host: 'dev.example', 'content-type': 'text/plain' };
const REQUEST = { method: 'GET', target: '/a', headers: HEADERS, timestamp: START };
const SIGNED = sign(CREDENTIAL, REQUEST);
const STORAGE = signStorageRequest(CREDENTIAL, { timestamp: START })['X-Svc-Authorization'] ?? '';

clock.start();

const config = await resolveConfig({
  keys: [{ secret: 'a key that signs links and grants' }],
  environments: { dev: { credentials: [CREDENTIAL] } },
});
const { gateway, storage } = createAuthenticator(
  config,
  new Issuers(config.environments, () => {}),
);

function askGateway(value: string, headers = {}): unknown {
  const sent = { ...HEADERS, ...headers };
  const rawHeaders = Object.entries(sent).flat();
  const request = { method: 'GET', url: '/a', headers: sent, rawHeaders };
  const login = { env: 'dev', request, rawPath: '/a', rawQuery: undefined };
  return gateway.signature(value, login as never);
}

function askStorage(authorization: string, sessionToken = ''): unknown {
  const login = { envId: 'dev' } as never;
  return storage.credentials({ authorization, sessionToken, timestamp: START }, login);
}

/** Fragments that matter to the parsers. */
const PIECES = [
  ...['Credential=', 'SignedHeaders=', 'Signature=', 'Timestamp=', 'Token=', '__proto__='],
  ...[',', ', ', '=', ';', '/', ' ', '\t', 'host', 'tc3_request', '\u00ff', '%00', '1e9'],
];

/** A valid signature with a fragment replaced or inserted anywhere. */
const mutated = (good: string) =>
  tuple(string({ maxLength: 3 }), constantFrom(...PIECES), constantFrom(...PIECES)).map(
    ([noise, from, to]) => good.replace(from, to + noise),
  );

test('refuses any input with an error of the contract', () => {
  const isRefused = (ask: () => unknown, type: typeof GatewayError | typeof StorageError) => {
    try {
      ask();
    } catch (error) {
      expect(error).toBeInstanceOf(type);
    }
  };
  const rubbish = oneof(string({ unit: 'binary' }), mutated(SIGNED), mutated(STORAGE));
  const check = property(rubbish, (text) => {
    isRefused(() => askGateway(text), GatewayError);
    isRefused(() => askGateway(`TC3-HMAC-SHA256 ${text}`, { 'content-type': text }), GatewayError);
    isRefused(() => askStorage(text, text), StorageError);
    isRefused(() => askStorage(`1.0 TC3-HMAC-SHA256 ${text}`), StorageError);
  });
  assert(check, { numRuns: 500, verbose: true });
});
