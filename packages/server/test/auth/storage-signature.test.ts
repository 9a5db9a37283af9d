import { type StorageSigning, signStorageRequest, tc3 } from '@berth/server-stubs/engine/node';
import { describe, expect, test } from 'vitest';
import { deploy, START } from './support/deployment.ts';

const { createSigner, sha256, toStorageCanonicalRequest, toStringToSign } = tc3;

const SECRET = 'a secret that no response may show';
const TOKEN = 'session-token-of-temporary-credentials';
const PERMANENT = { id: 'ci', secret: SECRET };
const TEMPORARY = { id: 'temporary', secret: SECRET, token: TOKEN };

const ENVIRONMENTS = {
  dev: {
    credentials: [
      PERMANENT,
      TEMPORARY,
      { id: 'old', secret: SECRET, expires: new Date(START * 1000).toISOString() },
      { id: 'twin', secret: 'of dev' },
    ],
  },
  prod: {
    credentials: [
      { id: 'of-prod', secret: SECRET },
      { id: 'twin', secret: 'of prod' },
    ],
  },
};

const NAMES = {
  authorization: 'X-Svc-Authorization',
  token: 'X-Svc-SessionToken',
  time: 'X-Svc-TimeStamp',
};

const sign = (
  credential = PERMANENT as typeof PERMANENT & { token?: string },
  more: Partial<StorageSigning> = {},
) => signStorageRequest(credential, { timestamp: START, ...more });

async function send(headers: Readonly<Record<string, string>>, env = 'dev') {
  const { storage } = await deploy(ENVIRONMENTS);
  const { status, json } = await storage(env, headers);
  return { status, code: json.body.code, message: json.body.message, data: json.body.data };
}

/** The headers with one of them changed, or omitted. */
function change(name: string, to: (value: string) => string | undefined) {
  const { [name]: value = '', ...rest } = sign();
  const changed = to(value);
  return changed === undefined ? rest : { ...rest, [name]: changed };
}

describe('accepts a signed call', () => {
  const data = { fileList: [{ fileID: 'dev/ci', code: 'SUCCESS' }] };
  test.each([
    ['with permanent credentials', sign()],
    ['without the header of the token', change(NAMES.token, () => undefined)],
    [
      'without spaces after commas',
      change(NAMES.authorization, (value) => value.replaceAll(', ', ',')),
    ],
    ['with any content type', { ...sign(), 'content-type': 'application/json;charset=UTF-8' }],
    ['assembled by hand', signOtherDay('2023-11-14')],
    ['300 s early', sign(PERMANENT, { timestamp: START + 300 })],
    ['300 s late', sign(PERMANENT, { timestamp: START - 300 })],
  ])('%s', async (_name, headers) => {
    expect(await send(headers)).toMatchObject({ status: 200, data });
  });

  test('with temporary credentials and their token', async () => {
    expect(await send(sign(TEMPORARY))).toMatchObject({ status: 200 });
  });

  test('with the secret of the environment, if two have the same id', async () => {
    expect(await send(sign({ id: 'twin', secret: 'of dev' }))).toMatchObject({ status: 200 });
    expect(await send(sign({ id: 'twin', secret: 'of prod' }), 'prod')).toMatchObject({
      status: 200,
    });
    expect(await send(sign({ id: 'twin', secret: 'of prod' }))).toMatchObject({ status: 401 });
  });

  test('with the service and the signing host of the configuration', async () => {
    const signature = { service: 'tcb', storageSigningHost: 'api.other.example' };
    const { storage } = await deploy(ENVIRONMENTS, { signature });
    const headers = sign(PERMANENT, { service: 'tcb', signingHost: 'api.other.example' });
    expect(await storage('dev', headers)).toMatchObject({ status: 200 });
  });
});

/** A valid signature for the scope of another day. */
function signOtherDay(date: string) {
  const text = toStorageCanonicalRequest('api.berth.example', 'application/json; charset=utf-8');
  const scope = { date, service: 'svc' };
  const toSign = toStringToSign('TC3-HMAC-SHA256', START, scope, sha256(text));
  const hex = createSigner(SECRET)(scope, toSign).toString('hex');
  const credential = `Credential=ci/${date}/svc/tc3_request`;
  const authorization = `1.0 TC3-HMAC-SHA256 ${credential}, SignedHeaders=content-type;host, Signature=${hex}`;
  return change(NAMES.authorization, () => authorization);
}

describe('refuses an attack', () => {
  const inAuthorization = (from: string | RegExp, to: string) =>
    change(NAMES.authorization, (value) => value.replace(from, to));
  test.each<[string, Readonly<Record<string, string>>]>([
    ['no headers', {}],
    ['no time', change(NAMES.time, () => undefined)],
    ['an invalid time', change(NAMES.time, () => 'now')],
    ['another time', change(NAMES.time, () => String(START + 1))],
    ['another version', inAuthorization('1.0', '2.0')],
    ['no version', inAuthorization('1.0 ', '')],
    ['another algorithm', inAuthorization('SHA256', 'SHA1')],
    ['another service', sign(PERMANENT, { service: 'tcb' })],
    ['another signing host', sign(PERMANENT, { signingHost: 'api.evil' })],
    ['a scope of another day', signOtherDay('2023-11-13')],
    ['another list of headers', inAuthorization('content-type;host', 'host')],
    ['a time inside the signature', inAuthorization(/$/, `, Timestamp=${START}`)],
    ['a forged signature', inAuthorization(/Signature=.*/, `Signature=${'0'.repeat(64)}`)],
    ['two signatures', inAuthorization(/$/, `, Signature=${'0'.repeat(64)}`)],
    ['an unknown id', sign({ id: 'nobody', secret: SECRET })],
    ['a wrong secret', sign({ id: 'ci', secret: 'guess' })],
    ['an expired key pair', sign({ id: 'old', secret: SECRET })],
    ['a temporary one without its token', sign({ id: 'temporary', secret: SECRET })],
    ['a temporary one with a wrong token', sign({ ...TEMPORARY, token: 'x' })],
    ['a permanent one with a token', sign({ ...PERMANENT, token: 'x' })],
    [
      'a wrong secret for the id from another environment',
      sign({ id: 'of-prod', secret: 'guess' }),
    ],
    ['rubbish', change(NAMES.authorization, () => 'rubbish')],
  ])('%s', async (_name, headers) => {
    const reply = await send(headers);
    expect(reply).toMatchObject({ status: 401, code: 'SIGN_PARAM_INVALID', data: undefined });
    const hex = /Signature=(\w+)/.exec(headers[NAMES.authorization] ?? '')?.[1] ?? SECRET;
    for (const hidden of [SECRET, TOKEN, hex]) expect(reply.message).not.toContain(hidden);
  });

  test.each([-301, 301])(
    'refuses a time %i s off, and reports the time of the server',
    async (off) => {
      const reply = await send(sign(PERMANENT, { timestamp: START + off }));
      expect(reply).toMatchObject({ status: 401, code: 'SIGN_PARAM_INVALID' });
      expect(reply.message).toContain(`${START} (2023-11-14T22:13:20Z)`);
    },
  );

  test('another environment', async () => {
    const headers = sign({ id: 'of-prod', secret: SECRET });
    expect(await send(headers)).toMatchObject({ status: 403, code: 'STORAGE_EXCEED_AUTHORITY' });
  });

  test('reports a missing environment only to callers with credentials', async () => {
    expect(await send(sign(), 'none')).toMatchObject({ status: 404, code: 'INVALID_ENV' });
    expect(await send(sign({ id: 'nobody', secret: SECRET }), 'none')).toMatchObject({
      status: 401,
    });
    expect(await send(sign(), '__proto__')).toMatchObject({ status: 404, code: 'INVALID_ENV' });
  });
});

test('rotates key pairs without a restart', async () => {
  const { authenticator, storage } = await deploy(ENVIRONMENTS);
  const call = async (secret: string) => (await storage('dev', sign({ id: 'ci', secret }))).status;
  expect([await call(SECRET), await call('new')]).toEqual([200, 401]);
  authenticator.update({ dev: { credentials: [{ id: 'ci', secret: 'new' }] } });
  expect([await call(SECRET), await call('new')]).toEqual([401, 200]);
});
