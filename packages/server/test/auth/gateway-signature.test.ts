import type { Caller } from '@berth/server-stubs/engine/node';
import { signGatewayRequest, tc3, type UnsignedRequest } from '@berth/server-stubs/engine/node';
import { describe, expect, test } from 'vitest';

import { authenticate, deploy, START } from './support/deployment.ts';

const { sha256 } = tc3;

const ID = 'ci';
const SECRET = 'a secret that no response may show';
const TOKEN = 'session-token-of-temporary-credentials';
const PATH = '/v1/cloudrun/hello/abc';
const HOST = 'dev.example';
const CREDENTIAL = { id: ID, secret: SECRET };

const ENVIRONMENTS = {
  dev: {
    credentials: [
      CREDENTIAL,
      { id: 'temporary', secret: SECRET, token: TOKEN },
      { id: 'old', secret: SECRET, expires: new Date((START - 1) * 1000).toISOString() },
    ],
  },
  prod: { credentials: [{ id: 'of-prod', secret: SECRET }] },
};

const REQUEST: UnsignedRequest = {
  method: 'GET',
  target: PATH,
  headers: { host: HOST },
  timestamp: START,
};
const JSON_POST = {
  ...REQUEST,
  method: 'POST',
  headers: { host: HOST, 'content-type': 'application/json' },
  body: '{"a":1}',
};

async function send(
  authorization: string,
  { method, target, headers, body = '' }: UnsignedRequest = REQUEST,
) {
  const deployment = await deploy(ENVIRONMENTS);
  const reply = await deployment.gateway('dev', target, {
    method,
    headers: { ...headers, authorization },
    body: String(body),
  });
  return { ...reply, served: deployment.served };
}

const REFUSED = { status: 401, json: { code: 'INVALID_CREDENTIALS' }, served: [] };

describe('accepts a signed call', () => {
  test('up to 300 s off in either direction', async () => {
    for (const off of [-300, 300]) {
      const request = { ...REQUEST, timestamp: START + off };
      expect(await send(signGatewayRequest(CREDENTIAL, request), request)).toMatchObject({
        status: 200,
      });
    }
  });

  test('with the token of temporary credentials', async () => {
    const credential = { id: 'temporary', secret: SECRET, token: TOKEN };
    expect(await send(signGatewayRequest(credential, REQUEST))).toMatchObject({ status: 200 });
  });
});

describe('refuses an attack, and does not call the hosted service', () => {
  const sign = (
    credential = CREDENTIAL as typeof CREDENTIAL & { token?: string },
    request = REQUEST,
  ) => signGatewayRequest(credential, request);
  const signed = sign();
  test.each<[string, string, UnsignedRequest?]>([
    ['an unknown id', sign({ id: 'nobody', secret: SECRET })],
    ['an id from Object.prototype', sign({ id: '__proto__', secret: SECRET })],
    ['a wrong secret', sign({ id: ID, secret: 'guess' })],
    ['an empty secret', sign({ id: ID, secret: '' })],
    ['a key pair from another environment', sign({ id: 'of-prod', secret: SECRET })],
    ['an expired key pair', sign({ id: 'old', secret: SECRET })],
    ['a temporary one without its token', sign({ id: 'temporary', secret: SECRET })],
    ['a temporary one with a wrong token', sign({ id: 'temporary', secret: SECRET, token: 'x' })],
    ['a permanent one with a token', sign({ ...CREDENTIAL, token: 'x' })],
    ['a list that omits a header', signed.replace('=host,', '=accept;host,')],
    [
      'a list that names a member of Object.prototype',
      signed.replace('=host,', '=__proto__;host,'),
    ],
    ['two signatures', `${signed}, Signature=${'0'.repeat(64)}`],
    ['two tokens', `${signed}, Token=, Token=`],
    ['rubbish', 'TC3-HMAC-SHA256 rubbish'],
    ['another algorithm', signed.replace('SHA256', 'SHA1')],
    ['a target with a host of its own', signed, { ...REQUEST, target: `http://dev.evil${PATH}` }],
  ])('%s', async (_name, authorization, request = REQUEST) => {
    const reply = await send(authorization, request);
    expect(reply).toMatchObject(REFUSED);
    const hex = /Signature=(\w+)/.exec(authorization)?.[1] ?? SECRET;
    for (const hidden of [SECRET, TOKEN, hex]) expect(JSON.stringify(reply)).not.toContain(hidden);
  });

  test.each([-301, 301])(
    'refuses a time %i s off, and reports the time of the server',
    async (off) => {
      const request = { ...REQUEST, timestamp: START + off };
      const reply = await send(signGatewayRequest(CREDENTIAL, request), request);
      expect(reply).toMatchObject(REFUSED);
      expect(reply.json.message).toContain(`${START} (2023-11-14T22:13:20Z)`);
    },
  );

  test('none at all', async () => {
    const { gateway } = await deploy(ENVIRONMENTS);
    expect(await gateway('dev', PATH)).toMatchObject({
      status: 401,
      json: { code: 'MISSING_CREDENTIALS' },
    });
  });

  test('reports every unknown or wrong part alike', async () => {
    const replies = await Promise.all([
      send(sign({ id: 'nobody', secret: SECRET })),
      send(sign({ id: ID, secret: 'guess' })),
      send(sign({ id: 'old', secret: SECRET })),
      send(sign({ id: 'temporary', secret: SECRET })),
      send(sign({ id: 'of-prod', secret: SECRET })),
    ]);
    expect(new Set(replies.map(({ json }) => json.message)).size).toBe(1);
  });
});

test('refuses an unknown id as late as a wrong signature: once the body has been read', async () => {
  const { gateway } = authenticate(ENVIRONMENTS);
  const ask = (credential: typeof CREDENTIAL) => {
    const headers = { ...JSON_POST.headers, 'content-length': '7' };
    const request = { method: 'POST', url: PATH, headers };
    const login = { env: 'dev', request, rawPath: PATH, rawQuery: undefined };
    return gateway.signature(signGatewayRequest(credential, JSON_POST), login as never);
  };
  expect(ask(CREDENTIAL)).toMatchObject({ env: 'dev', verifyBody: expect.any(Function) });
  for (const id of ['nobody', 'old', 'of-prod', 'temporary']) {
    const caller = (await ask({ id, secret: SECRET })) as Caller;
    expect(caller).toMatchObject({ verifyBody: expect.any(Function) });
    expect(() => caller.verifyBody?.(sha256(JSON_POST.body))).toThrow(/does not match/);
  }
});

test('rotates key pairs without a restart', async () => {
  const { authenticator, gateway } = await deploy(ENVIRONMENTS);
  const call = async (secret: string) => {
    const authorization = signGatewayRequest({ id: ID, secret }, REQUEST);
    return (await gateway('dev', PATH, { headers: { authorization } })).status;
  };
  expect([await call(SECRET), await call('new')]).toEqual([200, 401]);
  authenticator.update({ dev: { credentials: [{ id: ID, secret: 'new' }] } });
  expect([await call(SECRET), await call('new')]).toEqual([401, 200]);
  authenticator.update({ dev: {} });
  expect(await call('new')).toBe(401);
});
