import { createHash } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import { GatewayError, StorageError } from '@berth/server-stubs';
import {
  createGatewaySignature,
  createKeyPairs,
  createStorageSignature,
  signStorageRequest,
} from '@berth/server-stubs/auth';
import { describe, expect, test } from 'vitest';
import { sign as signCall } from './support/sign.ts';

/** 2023-11-14T22:13:20Z */
const NOW = 1_700_000_000;
const JSON_TYPE = 'application/json; charset=utf-8';
const now = () => NOW * 1000;

/** Checks the signature of a call whose body may follow. */
function verify(
  signature: ReturnType<typeof createGatewaySignature>,
  authorization: string,
  headers: object,
  url: string,
  method = 'GET',
) {
  const rawHeaders = Object.entries(headers).flat();
  const request = { method, url, headers, rawHeaders } as unknown as IncomingMessage;
  return signature(authorization, { env: 'dev', request });
}

describe('the published vectors, with a service and hosts that differ from ours', () => {
  const service = 'tcb';
  const credential = { id: 'AKIDEXAMPLE', secret: 'Gu5t9xGARNpq86cd98joQYCN3EXAMPLE' };
  const pairs = createKeyPairs({ dev: { credentials: [credential] } });
  const signature = createGatewaySignature({ pairs, now, service });

  test.each([
    [
      'POST /v1/cloudrun/helloworld/abc',
      JSON_TYPE,
      '{"key1":"v1"}',
      '924320a002e71c3bca019a05b7ad2210d336ee2cb132607eb2fc92b6a7ab6573',
    ],
    [
      'GET /v1/cloudrun/helloworld/abc?a=1&b=%E4%B8%AD',
      JSON_TYPE,
      '',
      '03fe0e4135523a447442761972e040aaee12095f9de2e63ae42e2864610cc674',
    ],
    [
      'POST /v1/cloudrun/svc-1',
      'application/json',
      '{"msg":"你好"}',
      '7e623ebb6f91f1a29a4978b68cf59a9c484e76d291ca2fb0816abd663aa4e731',
    ],
  ])('%s is accepted as published', (line, type, body, hex) => {
    const [method, target = ''] = line.split(' ');
    const length = String(Buffer.byteLength(body));
    const host = 'env-abc.api.tcloudbasegateway.com';
    const headers = { 'content-type': type, host, 'content-length': length };
    const authorization = `TC3-HMAC-SHA256 Credential=AKIDEXAMPLE/2023-11-14/tcb/tc3_request, SignedHeaders=content-type;host, Signature=${hex}, Timestamp=1700000000`;
    const { id, verifyBody } = verify(signature, authorization, headers, target, method);
    verifyBody?.(createHash('sha256').update(body).digest('hex'));
    expect([id, verifyBody === undefined]).toEqual(['AKIDEXAMPLE', body === '']);
  });

  test('a storage call is accepted as published', () => {
    const id = 'AKIDDo-bNhLNl3kEY5HRzEG-CNUotmyFSadvpKimESWTfND98qyfrpYLCtQJ92_z9yN8';
    const secret = 'wH72j2a5ZzhwgnXViwVNqdWhWn4AG4iasv26D4JdjBA=';
    const timestamp = 1_600_227_242;
    const { credentials } = createStorageSignature({
      pairs: createKeyPairs({ dev: { credentials: [{ id, secret }] } }),
      now: () => timestamp * 1000,
      service,
      signingHost: 'api.tcloudbase.com',
    });
    const authorization = `1.0 TC3-HMAC-SHA256 Credential=${id}/2020-09-16/tcb/tc3_request, SignedHeaders=content-type;host, Signature=0ce229810e251baa0ee2bb786c5f9eb6cb7758f55df28cbc161883c48a997e04`;
    const call = { env: 'dev' } as Parameters<typeof credentials>[1];
    const sent = { authorization, sessionToken: '', timestamp };
    expect(credentials(sent, call)).toEqual({ env: 'dev', id });
  });
});

const PERMANENT = { id: 'permanent', secret: 'a secret' };
const TEMPORARY = { id: 'temporary', secret: 'a secret', token: 'right' };
const EXPIRED = { id: 'expired', secret: 'a secret', expires: new Date(NOW * 1000) };

const pairs = createKeyPairs({
  dev: { credentials: [PERMANENT, TEMPORARY, EXPIRED] },
  prod: { credentials: [{ id: 'of-prod', secret: 'a secret' }] },
});

describe('the signature of a gateway call', () => {
  const signature = createGatewaySignature({ pairs, now });
  const headers = { 'content-type': 'text/plain', host: 'dev.example' };
  const target = '/v1/cloudrun/hello?a=1';
  const sign = (credential: Parameters<typeof signCall>[0], sent = {}) =>
    signCall(credential, { method: 'GET', target, headers, timestamp: NOW, ...sent });
  const check = (authorization: string, sent: object = headers, url = target) =>
    verify(signature, authorization, sent, url);
  const good = sign(PERMANENT);

  test.each([
    ['as documented', good],
    ['with spaces and tabs around fields', good.replaceAll(', ', ' \t,  ')],
    [
      'with fields in another order',
      good.replace(/ (.*), (SignedHeaders.*), (Sig.*), (Time.*)/, ' $4, $3, $1, $2'),
    ],
    ['with an empty token', `${good}, Token=`],
    ['with a token that contains an equals sign', `${good}, Token=ab+/==`],
  ])('is accepted %s', (_, authorization) => {
    expect(check(authorization)).toMatchObject({ env: 'dev', id: 'permanent' });
  });

  test.each([
    ['nothing', 'TC3-HMAC-SHA256 '],
    ['a field twice', good.replace('Signature=', 'Timestamp=1700000000, Signature=')],
    ['an unknown field', `${good}, Extra=1`],
    ['a field of a prototype', `${good}, __proto__=1`],
    ['a fraction of a second', `${good}.5`],
    ['a signature in capitals', good.replace(/Signature=\w+/, (text) => text.toUpperCase())],
    ['a scope with more parts', good.replace('permanent/', 'permanent/x/')],
    ['an empty ID', good.replace('permanent', '')],
    ['a header twice', good.replace('content-type;host', 'content-type;host;Host')],
    ['an empty header name', good.replace('content-type;host', 'content-type;;host')],
    ['a space in the list of headers', good.replace('content-type;host', 'content-type; host')],
    ['a header of a prototype', good.replace('content-type;host', 'constructor;host')],
    ['9 kB', `${good}, Token=${'x'.repeat(9000)}`],
    ['an expired pair', sign(EXPIRED)],
    ['a pair of another environment', sign({ id: 'of-prod', secret: 'a secret' })],
    ['no session token', sign({ id: 'temporary', secret: 'a secret' })],
    ['a wrong session token', sign({ ...TEMPORARY, token: 'RIGHT' })],
    ['an old time', sign(PERMANENT, { timestamp: NOW - 301 })],
    ['a future time', sign(PERMANENT, { timestamp: NOW + 301 })],
  ])('is rejected with %s, and nothing of it is quoted', (_, authorization) => {
    const message = expect.not.stringMatching(/[\da-f]{20}|xxx|a secret|RIGHT/);
    const error = expect.objectContaining({ code: 'INVALID_CREDENTIALS', message });
    expect(() => check(authorization)).toThrow(GatewayError);
    expect(() => check(authorization)).toThrow(error);
  });

  test('covers other types completely', () => {
    const text = { ...headers, 'content-type': 'multipart/mixed' };
    const sent = { ...headers, 'content-type': 'multipart/mixed; boundary=x' };
    expect(() => check(sign(PERMANENT, { headers: text }), sent)).toThrow('does not match');
  });

  test('covers bytes beyond ASCII as UTF-8', () => {
    const url = '/v1/cloudrun/hello/中';
    const authorization = sign(PERMANENT, { target: url });
    const latin1 = Buffer.from(url).toString('latin1');
    expect(check(authorization, headers, latin1).id).toBe('permanent');
    expect(() => check(authorization, headers, '/v1/cloudrun/hello/\u00ff')).toThrow('UTF-8');
  });

  test('needs a path as the request target, because a host in it would take precedence', () => {
    expect(() => check(good, headers, `http://prod.example${target}`)).toThrow('must be a path');
  });
});

describe('the session token of a storage call', () => {
  const { credentials } = createStorageSignature({ pairs, now });
  const check = (pair: typeof PERMANENT, sessionToken: string, env = 'dev') => {
    const authorization = signStorageRequest(pair, { timestamp: NOW })['X-Svc-Authorization'] ?? '';
    const call = { env } as Parameters<typeof credentials>[1];
    return credentials({ authorization, sessionToken, timestamp: NOW }, call);
  };

  test.each(['', 'none', 'made up'])('beside a permanent key pair is ignored: %j', (token) => {
    expect(check(PERMANENT, token)).toEqual({ env: 'dev', id: 'permanent' });
  });

  test('belongs to a temporary key pair', () => {
    expect(check(TEMPORARY, 'right')).toEqual({ env: 'dev', id: 'temporary' });
    for (const token of ['', 'none', 'RIGHT']) {
      expect(() => check(TEMPORARY, token)).toThrow('session token is unknown');
    }
  });

  test('does not open another environment, whose absence only key holders learn', () => {
    expect(() => check(PERMANENT, '', 'prod')).toThrow(
      new StorageError('STORAGE_EXCEED_AUTHORITY', {
        message: 'The credentials belong to another environment.',
      }),
    );
    expect(() => check(PERMANENT, '', 'none')).toThrow(
      'The environment in the path does not exist.',
    );
    expect(() => check({ ...PERMANENT, secret: 'wrong' }, '', 'none')).toThrow('does not match');
  });
});
