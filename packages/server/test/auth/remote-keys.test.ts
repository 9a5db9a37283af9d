import type { RequestListener, ServerResponse } from 'node:http';
import { pipeline } from 'node:stream';
import { beforeEach, expect, onTestFinished, test, vi } from 'vitest';
import { startService } from '../server/support/hosted-service.ts';
import { clock, createIssuer, deploy, type Issuer } from './support/deployment.ts';

const OK = { status: 200 };
const INVALID = { status: 401, code: 'ACCESS_TOKEN_INVALID' };
const UNAVAILABLE = { status: 503, code: 'SYS_ERR' };

const [one, two] = [await createIssuer('ES256', 'one'), await createIssuer('ES256', 'two')];

beforeEach(() => clock.start());

const json = (text: string) => (_request: unknown, response: ServerResponse) => {
  response.end(text);
};
/** Keys that cannot be read are ignored (RFC 7517, section 5). */
const UNREADABLE = [{ kty: 'new' }, { kty: 'RSA', n: 'AQ' }];
const setOf = (...issuers: Issuer[]) =>
  json(JSON.stringify({ keys: [...issuers.map(({ publicKey }) => publicKey), ...UNREADABLE] }));

/** A real key server whose response can be changed, and a deployment that trusts it. */
async function start(first: RequestListener) {
  const provider = { respond: first, requests: 0 };
  const base = await startService((request, response) => {
    provider.requests += 1;
    provider.respond(request, response);
  });
  const tokens = { dev: { jwks: `${base}/jwks` } };
  const { call, lines, reload } = await deploy(tokens);
  return {
    provider,
    call,
    reload: () => reload(tokens),
    /** Calls with a token that is not cached. */
    callAnew: async (issuer: Issuer) =>
      call(await issuer.token({ exp: Date.now() / 1000 + 60, jti: crypto.randomUUID() })),
    failures: () => lines.filter(({ msg }) => msg === 'cannot load the keys for access tokens'),
  };
}

test('keys are requested again if a token names another, at most every 30 s, also while the URL is down', async () => {
  const { callAnew, provider } = await start(setOf(one));
  expect(await callAnew(one)).toEqual(OK);
  provider.respond = setOf(one, two);
  expect(await callAnew(two)).toMatchObject(INVALID);
  expect(provider.requests).toBe(1);
  clock.advance(30);
  expect(await callAnew(two)).toEqual(OK);
  const three = await createIssuer('ES256', 'three');
  expect(await callAnew(three)).toMatchObject(INVALID);
  expect(provider.requests).toBe(2);
  provider.respond = (request) => request.destroy();
  clock.advance(30);
  expect(await callAnew(three)).toMatchObject(INVALID);
  expect(await callAnew(three)).toMatchObject(INVALID);
  expect(provider.requests).toBe(3);
});

test('keys that are withdrawn verify nothing any more, including cached tokens', async () => {
  const { call, callAnew, provider } = await start(setOf(one));
  const token = await one.token();
  expect(await call(token)).toEqual(OK);
  provider.respond = setOf(two);
  clock.advance(30);
  expect(await callAnew(two)).toEqual(OK);
  expect(await call(token)).toMatchObject(INVALID);
});

test('keys are refreshed in the background after five minutes', async () => {
  const { callAnew, provider } = await start(setOf(one));
  expect(await callAnew(one)).toEqual(OK);
  provider.respond = setOf(two);
  clock.advance(300);
  await callAnew(one);
  await expect.poll(() => callAnew(one)).toMatchObject(INVALID);
  expect(provider.requests).toBe(2);
});

test('keys are refreshed after the clock was set back', async () => {
  const { callAnew, provider } = await start(setOf(one));
  expect(await callAnew(one)).toEqual(OK);
  provider.respond = setOf(two);
  clock.advance(-86_400);
  await callAnew(two);
  await expect.poll(() => callAnew(two), { timeout: 20_000 }).toEqual(OK);
});

test('keys stay in use for an hour while the URL is down, also after a reload, and no longer', async () => {
  const { callAnew, failures, provider, reload } = await start(setOf(one));
  expect(await callAnew(one)).toEqual(OK);
  provider.respond = (request) => request.destroy();
  clock.advance(3599);
  expect(await callAnew(one)).toEqual(OK);
  await reload();
  expect(await callAnew(one)).toEqual(OK);
  clock.advance(31);
  expect(await callAnew(one)).toMatchObject(UNAVAILABLE);
  const reason = expect.stringMatching(/^fetch failed/);
  expect(failures().at(-1)).toMatchObject({ env: 'dev', reason });
  provider.respond = setOf(one);
  clock.advance(1);
  expect(await callAnew(one)).toEqual(OK);
});

async function* endless() {
  for (;;) yield 'x'.repeat(65_536);
}

const REDIRECT = { location: '/x' };

test.each<[string, RequestListener, RegExp]>([
  ['an error', (_request, response) => response.writeHead(500).end('hidden'), /status is 500/],
  ['a redirect', (_, response) => response.writeHead(302, REDIRECT).end('hidden'), /is 302/],
  ['no JSON', json('hidden {'), /not valid JSON/],
  ['no keys', json('{"keys":[]}'), /no usable key for/],
  ['silent', () => {}, /timeout/],
  ['never ended', (_request, response) => response.write('{'), /timeout/],
  ['endless', (_, response) => pipeline(endless, response, () => {}), /exceeds 262144 bytes/],
])('no keys can be used if the response is %s', async (_name, respond, reason) => {
  const { timeout } = AbortSignal;
  // All others end before, however slow the machine is.
  const share = reason.source === 'timeout' ? 1 / 5 : 60;
  const shorter = vi.spyOn(AbortSignal, 'timeout').mockImplementation((ms) => timeout(ms * share));
  onTestFinished(() => shorter.mockRestore());
  const { callAnew, failures, provider } = await start(respond);
  expect(await callAnew(one)).toMatchObject(UNAVAILABLE);
  // During the pause after the attempt, calls cause no request.
  expect(await callAnew(one)).toMatchObject(UNAVAILABLE);
  expect(provider.requests).toBe(1);
  expect(failures()).toMatchObject([{ reason: expect.stringMatching(reason) }]);
  expect(JSON.stringify(failures())).not.toContain('hidden');
});
