import { expect, test } from 'vitest';
import { createMock } from '../src/index.ts';
import { call } from './helpers/call.ts';
import { storage } from './helpers/calls.ts';

// The conformance suite checks tokens and signatures in strict mode (`packages/conformance/test/variants.test.ts`).
const SERVICE = '/v1/cloudrun/hello';

test("strict accepts the mock's own token, until it expires by the session's clock", async () => {
  await using mock = await createMock({ auth: 'strict' });
  const { token } = await mock.credentials();
  const ask = (bearer: string) =>
    call(mock, { path: SERVICE, headers: { authorization: `Bearer ${bearer}` } });
  expect((await ask(token)).status).toBe(200);
  expect((await ask('any')).json).toMatchObject({ code: 'ACCESS_TOKEN_INVALID' });
  expect((await storage(mock, 'batchDelete', { fileList: [] })).status).toBe(401);
  mock.session().clock.set({ advance: '31d' });
  const { status, json } = await ask(token);
  expect([status, json]).toMatchObject([401, { code: 'ACCESS_TOKEN_EXPIRED' }]);
});
