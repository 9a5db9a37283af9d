import { Readable } from 'node:stream';
import { inspect } from 'node:util';
import { describe, expect, it, vi } from 'vitest';
import type { SignableRequest } from './credentials.ts';
import { type Tc3Options, tc3, tc3Storage } from './tc3.ts';

const STORAGE_PAIR = { secretId: 'id', secretKey: 'a secret' };

const NOW = 1_700_000_000_000;

describe('tc3Storage', () => {
  it('signs as published', async () => {
    const secretId = 'AKIDDo-bNhLNl3kEY5HRzEG-CNUotmyFSadvpKimESWTfND98qyfrpYLCtQJ92_z9yN8';
    const secretKey = 'wH72j2a5ZzhwgnXViwVNqdWhWn4AG4iasv26D4JdjBA=';
    const sign = tc3Storage(
      { secretId, secretKey },
      { service: 'tcb', signingHost: 'api.tcloudbase.com' },
    );
    expect(await sign(1_600_227_242_000)).toEqual({
      authorization: `1.0 TC3-HMAC-SHA256 Credential=${secretId}/2020-09-16/tcb/tc3_request, SignedHeaders=content-type;host, Signature=0ce229810e251baa0ee2bb786c5f9eb6cb7758f55df28cbc161883c48a997e04`,
      sessionToken: '',
      timestamp: 1_600_227_242,
    });
  });

  it('signs for the service of the contract, now, with the session token', async () => {
    const before = Math.floor(Date.now() / 1000);
    const values = await tc3Storage({ ...STORAGE_PAIR, token: 't' })();
    expect(values.authorization).toContain('/svc/tc3_request, ');
    expect(values.sessionToken).toBe('t');
    expect(values.timestamp).toBeGreaterThanOrEqual(before);
  });

  it('requests a pair once and caches it', async () => {
    const provider = vi.fn(async () => STORAGE_PAIR);
    const sign = tc3Storage(provider);
    await Promise.all([sign(NOW), sign(NOW)]);
    await sign(NOW + 1e12);
    expect(provider).toHaveBeenCalledTimes(1);
  });

  it.each([
    ['a date', (time: number) => new Date(time)],
    ['a text', (time: number) => new Date(time).toISOString()],
    ['a number', (time: number) => time],
  ])(
    'asks again a minute before the expiry, given as %s, once for all calls',
    async (_, toExpires) => {
      let count = 0;
      const provider = vi.fn(() => ({
        ...STORAGE_PAIR,
        token: `t${++count}`,
        expires: toExpires(NOW + count * 3_600_000),
      }));
      const sign = tc3Storage(provider);
      const last = await sign(NOW + 3_540_000 - 1);
      const next = await Promise.all([sign(NOW + 3_540_000), sign(NOW + 3_540_000)]);
      expect([last, ...next].map(({ sessionToken }) => sessionToken)).toEqual(['t1', 't2', 't2']);
      expect(provider).toHaveBeenCalledTimes(2);
    },
  );

  it.each([
    [{ ...STORAGE_PAIR, secretKey: '' }, 'secretId and secretKey must not be empty.'],
    [{ ...STORAGE_PAIR, secretId: '' }, 'secretId and secretKey must not be empty.'],
  ])('refuses a wrong pair', async (pair, message) => {
    expect(() => tc3Storage(pair)).toThrow(new TypeError(message));
    await expect(tc3Storage(() => pair)()).rejects.toThrow(message);
  });

  it('shows no secret', () => {
    expect(inspect(tc3Storage(STORAGE_PAIR), { depth: 9, showHidden: true })).not.toContain(
      'a secret',
    );
  });
});

const PAIR = { secretId: 'AKIDEXAMPLE', secretKey: 'Gu5t9xGARNpq86cd98joQYCN3EXAMPLE' };

const JSON_TYPE = 'application/json; charset=utf-8';

type Init = Pick<Partial<SignableRequest>, 'method' | 'body'> & {
  path?: string;
  headers?: Record<string, string>;
};

async function sign(
  { method = 'GET', path = '/v1/cloudrun/hello', headers = {}, body }: Init,
  options: Partial<Tc3Options> = {},
): Promise<string> {
  const { href: url } = new URL(path, 'https://env-abc.api.tcloudbasegateway.com');
  const own = Object.fromEntries(new Headers(headers));
  const request = { method, url, headers: own, body, now: 1_700_000_000_999 };
  return String(await tc3({ ...PAIR, ...options }).authorize(request));
}

const listOf = (signature: string) => /SignedHeaders=([^,]*)/.exec(signature)?.[1];

describe('the published vectors', () => {
  it.each([
    {
      method: 'POST',
      path: '/v1/cloudrun/helloworld/abc',
      type: JSON_TYPE,
      body: '{"key1":"v1"}',
      hex: '924320a002e71c3bca019a05b7ad2210d336ee2cb132607eb2fc92b6a7ab6573',
    },
    {
      method: 'GET',
      path: '/v1/cloudrun/helloworld/abc?a=1&b=%E4%B8%AD',
      type: JSON_TYPE,
      body: undefined,
      hex: '03fe0e4135523a447442761972e040aaee12095f9de2e63ae42e2864610cc674',
    },
    {
      method: 'POST',
      path: '/v1/cloudrun/svc-1',
      type: 'application/json',
      body: '{"msg":"你好"}',
      hex: '7e623ebb6f91f1a29a4978b68cf59a9c484e76d291ca2fb0816abd663aa4e731',
    },
  ])('$method $path is signed as published', async ({ type, hex, ...init }) => {
    const headers = { 'content-type': type };
    expect(await sign({ ...init, headers }, { service: 'tcb' })).toBe(
      `TC3-HMAC-SHA256 Credential=AKIDEXAMPLE/2023-11-14/tcb/tc3_request, SignedHeaders=content-type;host, Signature=${hex}, Timestamp=1700000000`,
    );
  });
});

describe('tc3', () => {
  it('signs for the service of the contract and ends with the session token', async () => {
    const value = await sign({}, { token: 'session' });
    expect(value).toContain('Credential=AKIDEXAMPLE/2023-11-14/svc/tc3_request, ');
    expect(value).toMatch(/, Timestamp=1700000000, Token=session$/);
  });

  it.each([
    ['a text', '{"key1":"v1"}'],
    ['bytes', new TextEncoder().encode('{"key1":"v1"}')],
    ['a part of a buffer', new TextEncoder().encode(' {"key1":"v1"} ').subarray(1, -1)],
    ['an ArrayBuffer', new TextEncoder().encode('{"key1":"v1"}').buffer],
    ['a Blob', new Blob(['{"key1":', '"v1"}'])],
  ])('signs %s', async (_, body) => {
    const expected = await sign({ method: 'POST', body: '{"key1":"v1"}' });
    expect(await sign({ method: 'POST', body })).toBe(expected);
    expect(await sign({ method: 'POST', body: 'x' })).not.toBe(expected);
  });

  it.each([
    ['a stream', new ReadableStream()],
    ['a stream of a browser without iteration', { getReader() {} }],
    ['a stream of Node', Readable.from(['a'])],
    ['a form', new FormData()],
  ])('rejects %s and suggests a fix', async (_, body) => {
    await expect(sign({ method: 'POST', body: body as never })).rejects.toThrow(
      'Cannot sign a stream or form: pass a string, bytes or a Blob as the body, or use bearer().',
    );
  });

  it('signs host and the named headers, each once and in order', async () => {
    const signedHeaders = ['X-B', 'host', 'Content-Type', 'x-b', 'accept'];
    const headers = { 'x-b': ' B ', 'content-type': 'text/plain', Accept: '*/*' };
    const value = await sign({ headers }, { signedHeaders });
    expect(listOf(value)).toBe('accept;content-type;host;x-b');
    expect(await sign({ headers: { ...headers, 'x-b': 'b' } }, { signedHeaders })).toBe(value);
    const other = { ...headers, 'content-type': 'Text/plain' };
    expect(await sign({ headers: other }, { signedHeaders })).not.toBe(value);
  });

  it('fails if a header to sign is missing', async () => {
    for (const name of ['x-a', 'constructor']) {
      await expect(sign({}, { signedHeaders: [name] })).rejects.toThrow(
        `Cannot sign the ${name} header: the request does not have one.`,
      );
    }
  });

  it('cuts the boundary of a form', async () => {
    const type = 'multipart/form-data';
    const [cut, whole, other] = await Promise.all(
      [type, `${type} ; boundary=Xx`, `${type}-x; boundary=Xx`].map((value) =>
        sign({ method: 'POST', headers: { 'content-type': value } }),
      ),
    );
    expect(whole).toBe(cut);
    expect(other).not.toBe(cut);
  });

  it('uses the day of the given time, not that of the cached key', async () => {
    const auth = tc3(PAIR);
    const at = (now: number) => {
      const url = 'https://dev.example/';
      return auth.authorize({ method: 'GET', url, headers: {}, body: null, now });
    };
    const day = 86_400_000;
    const alone = await tc3(PAIR).authorize({
      method: 'GET',
      url: 'https://dev.example/',
      headers: {},
      body: null,
      now: day,
    });
    expect(await at(day - 1)).toContain('/1970-01-01/');
    expect(await at(day)).toBe(alone);
  });

  it('shows no secret', () => {
    const auth = tc3({ ...PAIR, token: 'to-ken' });
    const shown = inspect(auth, { depth: 9, showHidden: true }) + JSON.stringify(auth);
    expect(shown).not.toMatch(/to-ken|Gu5t9|AKID/);
  });
});
