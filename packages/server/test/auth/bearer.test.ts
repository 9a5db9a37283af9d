import {
  createHmac,
  createPublicKey,
  generateKeyPairSync,
  type JsonWebKey,
  sign,
} from 'node:crypto';
import type { Caller } from '@berth/server-stubs/auth';
import { exportJWK, type JWK } from 'jose';
import { beforeAll, describe, expect, test } from 'vitest';
import {
  authenticate,
  CLAIMS,
  createIssuer,
  deploy,
  type Issuer,
  START,
} from './support/deployment.ts';

const ISSUER = CLAIMS.iss;
const USER = { env: 'dev', id: 'user-1' };
const INVALID = { code: 'ACCESS_TOKEN_INVALID' };

let es256: Issuer;
let rs256: Issuer;
let eddsa: Issuer;
let stranger: Issuer;
let ofProd: Issuer;

beforeAll(async () => {
  [es256, rs256, eddsa, stranger, ofProd] = await Promise.all([
    createIssuer('ES256', 'one'),
    createIssuer('RS256', 'two'),
    createIssuer('EdDSA', 'three'),
    createIssuer('ES256', 'one'),
    createIssuer('ES256', 'prod'),
  ]);
});

const environments = () => ({
  dev: {
    tokens: {
      issuer: ISSUER,
      jwks: { keys: [es256.publicKey, rs256.publicKey, eddsa.publicKey] },
    },
  },
  prod: { tokens: { jwks: { keys: [ofProd.publicKey] } } },
  closed: {},
});

const send = (token: string) => deploy(environments()).ask(token);

const encode = (value: unknown) => Buffer.from(JSON.stringify(value)).toString('base64url');

/** A token signed with HMAC, with any secret. */
function hmacToken(secret: string | Buffer, header = {}): string {
  const text = `${encode({ alg: 'HS256', kid: 'two', ...header })}.${encode(CLAIMS)}`;
  return `${text}.${createHmac('sha256', secret).update(text).digest('base64url')}`;
}

const pem = ({ publicKey }: Issuer) =>
  createPublicKey({ key: publicKey as JsonWebKey, format: 'jwk' }).export({
    type: 'spki',
    format: 'pem',
  });

describe('accepts a token', () => {
  test.each<[string, () => Promise<string>]>([
    ['ES256', () => es256.token()],
    ['RS256', () => rs256.token()],
    ['EdDSA', () => eddsa.token()],
    ['without kid, if one key fits', () => es256.token({}, { kid: undefined as never })],
    ['typ at+jwt', () => es256.token({}, { typ: 'application/at+JWT' })],
    ['an audience in a list', () => es256.token({ aud: ['dev'] })],
    ['a second before it expires', () => es256.token({ exp: START + 1 })],
  ])('%s', async (_name, token) => {
    expect(await send(await token())).toEqual(USER);
  });

  test('without kid, if several keys fit', async () => {
    const others = await Promise.all(['a', 'b'].map((kid) => createIssuer('ES256', kid)));
    const keys = [...others.map(({ publicKey }) => publicKey), es256.publicKey];
    const { ask } = deploy({ dev: { tokens: { jwks: { keys } } } });
    const call = async (issuer: Issuer) => ask(await issuer.token({}, { kid: undefined as never }));
    expect(await call(es256)).toEqual(USER);
    expect(await call(stranger)).toMatchObject(INVALID);
  });
});

describe('refuses an attack', () => {
  test.each<[string, () => string | Promise<string>, string?]>([
    ['no token at all', () => 'rubbish'],
    ['a foreign key with a known kid', () => stranger.token()],
    ['an unknown key', () => stranger.token({}, { kid: 'four' })],
    ['no algorithm', () => `${encode({ alg: 'none' })}.${encode(CLAIMS)}.`],
    ['HMAC with the public key as PEM', () => hmacToken(pem(rs256))],
    ['HMAC with an empty secret', () => hmacToken('')],
    ['HMAC called RS256', () => hmacToken(pem(rs256), { alg: 'RS256' })],
    [
      'a key inside the token',
      () => stranger.token({}, { jwk: stranger.publicKey as never, kid: 'four' }),
    ],
    ['a URL of keys inside the token', () => stranger.token({}, { jku: 'http://127.0.0.1:1/' })],
    ['an unknown critical header', () => es256.token({}, { crit: ['exotic'], exotic: 1 } as never)],
    ['another typ', () => es256.token({}, { typ: 'logout+jwt' })],
    ['a token from another environment', () => ofProd.token({ aud: 'prod' })],
    ['a key from another environment', () => ofProd.token()],
    ['another audience', () => es256.token({ aud: 'prod' })],
    ['two audiences', () => es256.token({ aud: ['dev', 'prod'] })],
    ['no audience', () => es256.token({ aud: undefined })],
    ['another issuer', () => es256.token({ iss: 'https://evil.example' })],
    ['no subject', () => es256.token({ sub: undefined })],
    ['no expiry', () => es256.token({ exp: undefined })],
    ['not valid yet', () => es256.token({ nbf: START + 1 })],
    ['expired', () => es256.token({ exp: START }), 'ACCESS_TOKEN_EXPIRED'],
    ['expired, and signed by a stranger', () => stranger.token({ exp: START })],
    ['9 kB', () => es256.token({ big: 'x'.repeat(7000) })],
    [
      'a changed claim',
      async () => {
        const [header, , signature] = (await es256.token()).split('.');
        return `${header}.${encode({ ...CLAIMS, sub: 'admin' })}.${signature}`;
      },
    ],
  ])('%s', async (_name, make, code = INVALID.code) => {
    const token = await make();
    const reply = await send(token);
    expect(reply).toMatchObject({ code });
    expect(JSON.stringify(reply)).not.toMatch(/user-1|login\.example/);
    for (const part of token.split('.')) {
      if (part.length > 8) expect(JSON.stringify(reply)).not.toContain(part);
    }
  });

  test.each(['RS512', 'PS256', 'ES384'])('%s, although the set has a key for it', async (alg) => {
    const issuer = await createIssuer(alg, 'other');
    const { alg: _, ...publicKey } = issuer.publicKey;
    const { ask } = deploy({ dev: { tokens: { jwks: { keys: [publicKey] } } } });
    expect(await ask(await issuer.token())).toMatchObject(INVALID);
  });
});

describe('caches a verified token', () => {
  function start() {
    const { clock, authenticator } = deploy(environments());
    const ask = (token: string, env = 'dev') =>
      authenticator.gateway.bearerToken(token, { env } as never) as Caller | Promise<Caller>;
    return { clock, ask, authenticator };
  }

  test('synchronously, for 60 s', async () => {
    const { clock, ask } = start();
    const token = await es256.token();
    expect(ask(token)).toBeInstanceOf(Promise);
    const caller = await ask(token);
    expect(ask(token)).toBe(caller);
    clock.seconds += 59;
    expect(ask(token)).toBe(caller);
    clock.seconds += 1;
    expect(ask(token)).toBeInstanceOf(Promise);
    expect(await ask(token)).toEqual(USER);
  });

  test('but not beyond its expiry', async () => {
    const { clock, ask } = start();
    const token = await es256.token({ exp: START + 10 });
    await ask(token);
    clock.seconds += 9;
    expect(ask(token)).not.toBeInstanceOf(Promise);
    clock.seconds += 1;
    await expect(ask(token)).rejects.toMatchObject({ code: 'ACCESS_TOKEN_EXPIRED' });
  });

  test('for its own environment only', async () => {
    const { ask } = start();
    const token = await es256.token();
    await ask(token);
    await expect(ask(token, 'prod')).rejects.toMatchObject(INVALID);
    await expect(ask(token, '__proto__')).rejects.toMatchObject(INVALID);
  });

  test('until a key is removed', async () => {
    const { ask, authenticator } = start();
    const token = await es256.token();
    await ask(token);
    authenticator.update({ dev: { tokens: { jwks: { keys: [rs256.publicKey] } } } });
    await expect(ask(token)).rejects.toMatchObject(INVALID);
    expect(await ask(await rs256.token())).toEqual(USER);
  });
});

describe('keys', () => {
  test('are replaced by an update, unless they are unusable', async () => {
    const trust = (...keys: JWK[]) => ({ dev: { tokens: { jwks: { keys } } } });
    const { authenticator, ask } = deploy(trust(es256.publicKey));
    const call = async (issuer: Issuer) => ask(await issuer.token());
    expect([await call(es256), await call(rs256)]).toMatchObject([USER, INVALID]);
    authenticator.update(trust(rs256.publicKey));
    expect([await call(es256), await call(rs256)]).toMatchObject([INVALID, USER]);
    expect(() => authenticator.update(trust())).toThrow(/dev.*no key for/);
    expect(await call(rs256)).toEqual(USER);
  });

  test.each<[string, () => unknown, RegExp]>([
    ['that are private', () => ({ keys: [es256.privateKey] }), /private key/],
    ['that are not keys', () => ({ keys: [] }), /no key/],
    ['that are symmetric', () => ({ keys: [{ kty: 'oct', k: 'aGlkZGVu' }] }), /no key/],
    ['in the wrong format', () => ({ keys: 'x' }), /list of keys/],
    ['from an insecure URL', () => 'http://login.example/jwks', /https/],
  ])('%s are refused', async (_name, jwks, message) => {
    const create = () => authenticate({ dev: { tokens: { jwks: jwks() as never } } });
    expect(create).toThrow(TypeError);
    expect(create).toThrow(message);
    expect(create).not.toThrow(es256.privateKey.d);
    expect(create).not.toThrow('aGlkZGVu');
  });

  test('that are too short are not accepted', async () => {
    const { publicKey, privateKey } = generateKeyPairSync('rsa', { modulusLength: 1024 });
    const jwk = { ...(await exportJWK(publicKey)), kid: 'weak', alg: 'RS256' };
    const { ask } = deploy({ dev: { tokens: { jwks: { keys: [jwk] } } } });
    const text = `${encode({ alg: 'RS256', kid: 'weak' })}.${encode(CLAIMS)}`;
    const token = `${text}.${sign('sha256', Buffer.from(text), privateKey).toString('base64url')}`;
    expect(await ask(token)).toMatchObject(INVALID);
  });
});
