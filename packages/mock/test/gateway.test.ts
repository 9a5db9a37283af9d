import { afterAll, describe, expect, test } from 'vitest';
import { createMock } from '../src/index.ts';
import { call, gateway, storage } from './helpers/calls.ts';

const mock = await createMock();
afterAll(() => mock.close());

const HELLO = '/v1/cloudrun/hello';

test('an unknown service gets an error that lists the configured ones', async () => {
  expect((await gateway(mock, { path: '/v1/cloudrun/hell%6F' })).status).toBe(200);
  const { status, json } = await gateway(mock, { path: '/v1/cloudrun/other' });
  const message =
    'The hosted service other does not exist. The services: hello, echo. Add it with --services or the services option, such as other: () => Response.json({}).';
  expect([status, json]).toMatchObject([404, { code: 'SERVICE_NOT_FOUND', message }]);
  const misspelled = await gateway(mock, { path: '/v1/cloudrun/helo' });
  expect(misspelled.json.message).toMatch(/ does not exist\. Did you mean hello\? Add it with /);
  const hyphenated = await gateway(mock, { path: '/v1/cloudrun/my-shop' });
  expect(hyphenated.json.message).toContain(" such as 'my-shop': () => Response.json({}).");
  // A service that replaces a built-in one is listed once.
  await using own = await createMock({ services: { hello: () => Response.json('own') } });
  expect((await gateway(own, { path: HELLO })).json).toBe('own');
  const unknown = await gateway(own, { path: '/v1/cloudrun/other' });
  expect(unknown.json.message).toMatch(/ The services: hello, echo\. Add it with /);
});

describe('Prefer and Accept', () => {
  const ask = (headers: Record<string, string>) => gateway(mock, { path: HELLO, headers });

  test.each([
    ['code=204', 404, 'It has 200, 403, 404, default.'],
    ['example=nope', 404, 'Prefer'],
    ['code=403, example=nope', 404, 'Prefer'],
    ['code=99', 400, 'code in the Prefer header must be a status from 200 to 599'],
    ['dynamic=maybe', 400, 'dynamic in the Prefer header must be true or false'],
    ['example', 400, 'example in the Prefer header must be a name'],
  ])('rejects Prefer: %s', async (prefer, status, sentence) => {
    const reply = await ask({ prefer });
    expect(reply).toMatchObject({ status, json: { code: 'INVALID_REQUEST' } });
    expect(reply.json.message).toContain(sentence);
  });

  test('with the option dynamic, the same seed generates the same response', async () => {
    const generate = async (seed: string) => {
      await using dynamic = await createMock({ dynamic: true, seed });
      return (await gateway(dynamic, { path: HELLO })).text;
    };
    expect(await generate('a')).toBe(await generate('a'));
    expect(await generate('a')).not.toBe(await generate('b'));
    await using dynamic = await createMock({ dynamic: true, seed: 'a' });
    const reply = await gateway(dynamic, { path: HELLO, headers: { prefer: 'seed=b' } });
    expect(reply.text).toBe(await generate('b'));
  });

  test.each([
    ['*/*', 200, 'application/json'],
    ['text/plain;q=0.5, text/event-stream', 200, 'text/event-stream'],
    ['nonsense, text/plain; level, text/plain', 200, 'text/plain'],
    ['a/b/c', 200, 'application/json'],
    [', ,', 200, 'application/json'],
    ['image/png', 406, 'application/json'],
  ])('Accept: %s gets a %i as %s', async (accept, status, contentType) => {
    const reply = await ask({ accept });
    expect([reply.status, reply.headers['content-type']]).toEqual([status, contentType]);
    if (status === 406) expect(reply.json.message).toContain('Accept');
  });
});

// The conformance suite checks tokens and signatures in strict mode.
test("strict credentials expire according to the session's clock", async () => {
  await using strict = await createMock({ credentials: 'strict' });
  const { token } = await strict.credentials();
  const ask = (bearer: string) =>
    call(strict, { path: HELLO, headers: { authorization: `Bearer ${bearer}` } });
  expect((await ask(token)).status).toBe(200);
  expect((await ask('any')).json).toMatchObject({ code: 'ACCESS_TOKEN_INVALID' });
  expect((await storage(strict, 'batchDelete', { fileList: [] })).status).toBe(401);
  strict.session().clock.advance(31 * 24 * 3_600_000);
  expect((await ask(token)).json).toMatchObject({ code: 'ACCESS_TOKEN_EXPIRED' });
  expect((await ask((await strict.credentials()).token)).status).toBe(200);
});

test('a mock that is exposed to the network also accepts IP addresses and its own name', async () => {
  await using open = await createMock({ host: '0.0.0.0' });
  const addresses = ['127.0.0.1', '192.168.0.1', '[fe80::1]', 'localhost'];
  for (const host of ['dev.evil.example:1', 'DEV.a.example', ...addresses]) {
    expect((await gateway(open, { path: HELLO, headers: { host } })).status).toBe(200);
  }
  for (const host of ['prod.a.example', '10.a.example', '0.a.example']) {
    const reply = await gateway(open, { path: HELLO, headers: { host } });
    expect(reply.json).toMatchObject({ code: 'INVALID_HOST' });
  }
});
