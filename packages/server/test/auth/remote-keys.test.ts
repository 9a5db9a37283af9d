import type { RequestListener, ServerResponse } from 'node:http';
import { beforeAll, describe, expect, test } from 'vitest';
import { createKeySource, KeysUnavailable } from '../../src/auth/keys.ts';
import { startService } from '../server/support/hosted-service.ts';
import { createIssuer, deploy, type Issuer } from './support/deployment.ts';

let one: Issuer;
let two: Issuer;

beforeAll(async () => {
  [one, two] = await Promise.all([createIssuer('ES256', 'one'), createIssuer('ES256', 'two')]);
});

const set = (...issuers: Issuer[]) =>
  JSON.stringify({ keys: issuers.map(({ publicKey }) => publicKey) });

/** A real key server whose response can be changed, and a deployment that trusts it. */
async function start(first: RequestListener) {
  const provider = { respond: first, asked: 0 };
  const base = await startService((request, response) => {
    provider.asked += 1;
    provider.respond(request, response);
  });
  const failures: string[] = [];
  const environments = { dev: { tokens: { jwks: `${base}/jwks` } } };
  const { clock, ask } = deploy(environments, {
    onKeyFailure: (env, reason) => failures.push(`${env}: ${reason}`),
  });
  /** Asks with a token that is not cached. */
  const call = async (issuer: Issuer) =>
    ask(await issuer.token({ exp: clock.seconds + 60, jti: crypto.randomUUID() }));
  return { clock, ask, provider, failures, call };
}

const json = (text: string) => (_request: unknown, response: ServerResponse) => {
  response.end(text);
};
const OK = { id: 'user-1' };
const INVALID = { code: 'ACCESS_TOKEN_INVALID' };
const AWAY = { code: 'SYS_ERR' };

describe('keys from a URL', () => {
  test('are requested once, however many calls wait for them', async () => {
    const { call, provider } = await start(json(set(one)));
    const replies = await Promise.all([one, one, one, two].map(call));
    expect(replies).toMatchObject([OK, OK, OK, INVALID]);
    expect(provider.asked).toBe(1);
  });

  test('are requested again if a token names another, at most every 30 s', async () => {
    const { call, clock, provider } = await start(json(set(one)));
    expect(await call(one)).toMatchObject(OK);
    provider.respond = json(set(one, two));
    expect(await call(two)).toMatchObject(INVALID);
    expect(provider.asked).toBe(1);
    clock.seconds += 30;
    expect(await call(two)).toMatchObject(OK);
    expect(await call(await createIssuer('ES256', 'three'))).toMatchObject(INVALID);
    expect(provider.asked).toBe(2);
  });

  test('that are withdrawn verify nothing any more, including cached tokens', async () => {
    const { call, clock, ask, provider } = await start(json(set(one)));
    const token = await one.token();
    expect(await ask(token)).toMatchObject(OK);
    provider.respond = json(set(two));
    clock.seconds += 30;
    expect(await call(two)).toMatchObject(OK);
    expect(await ask(token)).toMatchObject(INVALID);
  });

  test('stay in use for an hour while the URL is down, and no longer', async () => {
    const { call, clock, failures, provider } = await start(json(set(one)));
    expect(await call(one)).toMatchObject(OK);
    provider.respond = (request) => request.destroy();
    clock.seconds += 3599;
    expect(await call(one)).toMatchObject(OK);
    clock.seconds += 31;
    expect(await call(one)).toMatchObject(AWAY);
    expect(failures.at(-1)).toMatch(/^dev: fetch failed/);
    provider.respond = json(set(one));
    clock.seconds += 1;
    expect(await call(one)).toMatchObject(OK);
  });

  test.each<[string, RequestListener, RegExp]>([
    ['an error', (_request, response) => response.writeHead(500).end('hidden'), /status is 500/],
    [
      'a redirect',
      (_request, response) => response.writeHead(302, { location: '/x' }).end(),
      /fetch failed/,
    ],
    ['no JSON', json('hidden {'), /not valid JSON/],
    ['no keys', json('{"keys":[]}'), /no key for/],
    ['nothing', json('null'), /list of keys/],
  ])('are unavailable if the response is %s', async (_name, respond, reason) => {
    const { call, failures, provider } = await start(respond);
    expect(await call(one)).toMatchObject(AWAY);
    expect(failures).toEqual([expect.stringMatching(reason)]);
    expect(failures[0]).not.toContain('hidden');
    // During the pause after the attempt, calls cause no request.
    expect(await call(one)).toMatchObject(AWAY);
    expect(provider.asked).toBe(1);
  });

  test('are refused if a private one is among them', async () => {
    const { call, failures } = await start(json(JSON.stringify({ keys: [one.privateKey] })));
    expect(await call(one)).toMatchObject(AWAY);
    expect(failures).toEqual([expect.stringMatching(/private key/)]);
    expect(failures[0]).not.toContain(one.privateKey.d);
  });

  test('are refused if the response has no end', async () => {
    let sent = 0;
    const { call, failures } = await start((_request, response) => {
      const more = () => {
        while (!response.destroyed) {
          sent += 65_536;
          if (!response.write('x'.repeat(65_536))) break;
        }
      };
      response.on('drain', more);
      more();
    });
    expect(await call(one)).toMatchObject(AWAY);
    expect(failures).toEqual([expect.stringMatching(/exceeds 262144 bytes/)]);
    expect(sent).toBeLessThan(64 * 1024 * 1024);
  });
});

describe('a source of keys', () => {
  async function source(listener: RequestListener, timeoutMs: number) {
    const failures: string[] = [];
    const url = await startService(listener);
    const onFailure = (reason: string) => failures.push(reason);
    return { failures, keys: createKeySource(url, { now: () => 0, onFailure, timeoutMs }) };
  }

  test('times out if the response does not end', async () => {
    const { failures, keys } = await source((_request, response) => void response.write('{'), 50);
    await expect(keys.load()).rejects.toBeInstanceOf(KeysUnavailable);
    expect(failures).toEqual(['The request timed out.']);
  });

  test('aborts when it is closed, and reports nothing', async () => {
    const { promise: isAsked, resolve: asked } = Promise.withResolvers<void>();
    const { failures, keys } = await source(() => asked(), 60_000);
    const loading = expect(keys.load()).rejects.toBeInstanceOf(KeysUnavailable);
    await isAsked;
    keys.close();
    await loading;
    expect(failures).toEqual([]);
  });
});
