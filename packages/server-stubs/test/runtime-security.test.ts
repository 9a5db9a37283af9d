import { type Call, HttpError } from '@berth/server-stubs';
import {
  createTableRouter,
  type SecurityHandlers,
  type SecurityScheme,
} from '@berth/server-stubs/runtime';
import { expect, it, vi } from 'vitest';
import { send } from './support/send.ts';
import { serve } from './support/serve.ts';
import { toTable } from './support/to-table.ts';

const SCHEMES: Record<string, SecurityScheme> = {
  bearer: { type: 'http', scheme: 'bearer' },
  login: { type: 'oauth2' },
  key: { type: 'apiKey', in: 'header', name: 'X-Key' },
  word: { type: 'apiKey', in: 'query', name: 'word' },
  session: { type: 'apiKey', in: 'cookie', name: 'sid' },
};

function start(security: string[][], handlers: SecurityHandlers, onError = vi.fn()) {
  const table = toTable([{ path: '/', security }], { securitySchemes: SCHEMES });
  const operation = (_input: unknown, { security: body }: Call) => ({ status: 200, body });
  return serve(createTableRouter(table, { operation }, { security: handlers, onError }));
}

const bearer = (token: string) => (token === 'good' ? { user: 'ann' } : undefined);
const NO_BEARER = 'The Authorization header has no bearer credentials.';
const WORD = 'The query parameter word is missing, repeated, or has invalid percent-encoding.';
const GOOD = { authorization: 'bearer  good' };
const BAD = { authorization: 'Bearer bad' };

it('calls a handler as a method of its object', async () => {
  const users = {
    good: 'ann',
    bearer(token: string) {
      return this.good && { token, user: this.good };
    },
  };
  const base = await start([['bearer']], users as never);
  const { json } = await send(base, '/', { headers: GOOD });
  expect(json).toEqual({ bearer: { token: 'good', user: 'ann' } });
});

it.each([
  ['bearer', {}, NO_BEARER, 'Bearer realm="Test"'],
  ['bearer', BAD, 'The credentials are invalid.', 'Bearer realm="Test"'],
  ['bearer', { authorization: 'Bearer' }, NO_BEARER],
  ['login', { authorization: 'Basic good' }, NO_BEARER],
  ['key', {}, 'The X-Key header is missing.', 'ApiKey realm="Test", in="header", name="X-Key"'],
  ['session', {}, 'The sid cookie is missing.'],
  ['word', {}, WORD],
  ['word', {}, WORD, undefined, '?word=%'],
  ['word', {}, WORD, undefined, '?word=a&word=b'],
])(
  'rejects a call, and says what %s requires: %j',
  async (scheme, headers, detail, challenge?, query = '') => {
    const key = () => undefined;
    const handlers = { bearer, login: bearer, key, session: key, word: key };
    const response = await send(await start([[scheme]], handlers), `/${query}`, { headers });
    expect(JSON.parse(response.text)).toMatchObject({ status: 401, detail });
    const sent = response.headers['www-authenticate'];
    expect(sent).toBe(challenge ?? sent);
  },
);

it.each<[security: string[][], schemes: Record<string, SecurityScheme>, challenge: string]>([
  [[['bearer'], ['login']], SCHEMES, 'Bearer realm="Test"'],
  [[['tls']], { tls: { type: 'mutualTLS' } }, 'Mutual realm="Test"'],
  [[[]], { bearer: { type: 'http', scheme: 'basic' } }, 'Basic realm="Test"'],
  [[], {}, 'Bearer realm="Test"'],
])('a 401 has each challenge once: %j of %j', async (security, securitySchemes, challenge) => {
  const table = toTable([{ path: '/', security }], { securitySchemes });
  const operation = () => Promise.reject(new HttpError('unauthorized', 'The key is unknown.'));
  const options = { security: { bearer, login: bearer, tls: () => 'ann' } };
  const base = await serve(createTableRouter(table, { operation }, options));
  expect((await send(base, '/')).headers['www-authenticate']).toBe(challenge);
});

it('requires all schemes of one alternative, and calls no handler if a credential is missing', async () => {
  const key = vi.fn(async (value: string) => value);
  const handlers = { bearer, key, word: (word: string) => word, session: (id: string) => id };
  const pairs = [
    ['bearer', 'key'],
    ['word', 'session'],
  ];
  const base = await start(pairs, handlers);
  const incomplete = await send(base, '/', { headers: GOOD });
  expect(JSON.parse(incomplete.text)).toMatchObject({
    status: 401,
    detail: 'The X-Key header is missing.',
  });
  expect((await send(base, '/', { headers: { 'x-key': 'k' } })).status).toBe(401);
  expect(key).not.toHaveBeenCalled();
  const both = await send(base, '/', { headers: { ...GOOD, 'x-key': 'k' } });
  expect(both.json).toEqual({ bearer: { user: 'ann' }, key: 'k' });
  const alternative = await send(base, '/?word=a%20b', { headers: { cookie: 'sid=7' } });
  expect(alternative.json).toEqual({ word: 'a b', session: '7' });
});

it('tries the next alternative, also late, and accepts anyone if one is empty', async () => {
  const rejects = { bearer: async () => false, key: (value: string) => value };
  const headers = { ...GOOD, 'x-key': 'k' };
  const base = await start([['bearer'], ['key']], rejects);
  expect((await send(base, '/', { headers })).json).toEqual({ key: 'k' });
  expect((await send(base, '/', { headers: GOOD })).status).toBe(401);
  expect((await send(await start([['bearer'], []], rejects), '/')).json).toEqual({});
});

it('returns the reason that was given first', async () => {
  const rejects = async () => {
    throw new HttpError('unauthorized', 'The token has expired.', {
      headers: { 'www-authenticate': 'Bearer error="invalid_token"' },
    });
  };
  const key = () => {
    throw new HttpError('unauthorized', 'The key is unknown.');
  };
  const base = await start([['bearer'], ['key']], { bearer: rejects, key });
  const response = await send(base, '/', { headers: { ...GOOD, 'x-key': 'k' } });
  expect(JSON.parse(response.text).detail).toBe('The token has expired.');
  expect(response.headers['www-authenticate']).toBe('Bearer error="invalid_token"');
});

it('responds with 500 if a security handler rejects by mistake', async () => {
  const onError = vi.fn();
  const fail = () => Promise.reject(new Error('database'));
  const base = await start([['bearer'], []], { bearer: fail }, onError);
  const response = await send(base, '/', { headers: GOOD });
  expect([response.status, response.text.includes('database')]).toEqual([500, false]);
  expect(onError).toHaveBeenCalledOnce();
});

it('does not authenticate a path that cannot be decoded', async () => {
  const bearer = vi.fn();
  const table = toTable([{ path: '/{a~b}', security: [['bearer']] }], { securitySchemes: SCHEMES });
  const operation = () => ({ status: 200 });
  const router = createTableRouter(table, { operation }, { security: { bearer } });
  const { text } = await send(await serve(router), '/%zz', { headers: GOOD });
  expect(JSON.parse(text)).toMatchObject({ status: 400, errors: [{ pointer: '/a~0b' }] });
  expect(bearer).not.toHaveBeenCalled();
});
