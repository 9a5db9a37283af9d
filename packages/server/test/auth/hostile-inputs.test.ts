import { GatewayError, StorageError } from '@berth/server-stubs';
import { signGatewayRequest, signStorageRequest, tc3 } from '@berth/server-stubs/engine/node';
import { assert, constantFrom, oneof, property, string, tuple } from 'fast-check';
import { expect, test } from 'vitest';
import { authenticate, START } from './support/deployment.ts';

const { decodeWire, parseSignature, parseSignedHeaders, toContentTypeSpellings, toSignedValue } =
  tc3;

const CREDENTIAL = { id: 'ci', secret: 'secret' };
const HEADERS = { host: 'dev.example', 'content-type': 'text/plain' };
const REQUEST = { method: 'GET', target: '/a', headers: HEADERS, timestamp: START };
const SIGNED = signGatewayRequest(CREDENTIAL, REQUEST);
const STORAGE = signStorageRequest(CREDENTIAL, { timestamp: START })['X-Svc-Authorization'] ?? '';

const { gateway, storage } = authenticate({ dev: { credentials: [CREDENTIAL] } });

function askGateway(value: string, headers = {}): unknown {
  const request = { method: 'GET', url: '/a', headers: { ...HEADERS, ...headers } };
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
  assert(check, { numRuns: 2000, verbose: true });
});

/** Texts that make an ambiguous pattern backtrack. */
const HOSTILE = [
  'a',
  ' ',
  '=',
  ',',
  ';',
  '/',
  '-',
  ', =',
  '; ',
  '/a/',
  '\t ',
  'a=,',
  '%2F',
  '0-',
  '\u00c3\u00a9',
];
const PARSERS: Readonly<Record<string, (text: string) => unknown>> = {
  parseSignature: (text) => parseSignature(text, ['Timestamp', 'Token']),
  credential: (text) => parseSignature(`Credential=${text}!, Signature=x`, []),
  token: (text) =>
    parseSignature(SIGNED.slice(16).concat(`, Token=${text}\u007f`), ['Timestamp', 'Token']),
  parseSignedHeaders: (text) => parseSignedHeaders(`${text}\u007f`),
  contentType: (text) => toContentTypeSpellings(`multipart/form-data${text};${text}`),
  value: (text) => toSignedValue('x', `${text}a${text}`),
  wire: (text) => decodeWire(text),
  gateway: (text) => askGateway(`TC3-HMAC-SHA256 ${text}`),
  storage: (text) => askStorage(`1.0 TC3-HMAC-SHA256 ${text}`, text),
};

/** Milliseconds of processor time, the shortest of several runs: other load can only add to it. */
function time(run: () => unknown): number {
  let least = Number.POSITIVE_INFINITY;
  for (let count = 0; count < 12; count += 1) {
    const start = process.cpuUsage();
    try {
      run();
    } catch {
      // These inputs are meant to be rejected.
    }
    const { user, system } = process.cpuUsage(start);
    least = Math.min(least, (user + system) / 1000);
  }
  return least;
}

test.each(Object.entries(PARSERS))('%s takes time linear in the length', (_name, parse) => {
  for (const piece of HOSTILE) {
    const fill = (length: number) =>
      piece.repeat(Math.ceil(length / piece.length)).slice(0, length);
    // Eight times the length: eight times the time if linear, 64 times if quadratic.
    const [short, long] = [900, 7200].map((length) => time(() => parse(fill(length)))) as [
      number,
      number,
    ];
    expect(long, `${JSON.stringify(piece)}: ${short} ms, then ${long} ms`).toBeLessThan(
      Math.max(32 * short, 1),
    );
  }
});
