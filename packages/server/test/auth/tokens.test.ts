import { createHmac, createPublicKey, generateKeyPairSync, type JsonWebKey } from 'node:crypto';
import { exportJWK } from 'jose';
import { beforeAll, expect, test } from 'vitest';
import { createAuthenticator } from '../../src/auth/authenticator.ts';
import { createIssuers } from '../../src/auth/issuers.ts';
import { resolveConfig } from '../../src/config/config.ts';
import { createQuotas } from '../../src/quotas.ts';
import { CLAIMS, clock, createIssuer, deploy, type Issuer, START } from './support/deployment.ts';

const OK = { status: 200 };
const INVALID = { status: 401, code: 'ACCESS_TOKEN_INVALID' };

const [es256, rs256, eddsa, stranger, ofProd, ps256] = await Promise.all([
  createIssuer('ES256', 'one'),
  createIssuer('RS256', 'two'),
  createIssuer('EdDSA', 'three'),
  createIssuer('ES256', 'one'),
  createIssuer('ES256', 'prod'),
  createIssuer('PS256', 'four'),
]);
delete ps256.publicKey.alg;

beforeAll(() => clock.start());

const setOf = (...issuers: Issuer[]) => ({ keys: issuers.map(({ publicKey }) => publicKey) });

const start = () =>
  deploy({
    dev: { issuer: CLAIMS.iss, jwks: setOf(es256, rs256, eddsa, ps256) },
    prod: { jwks: setOf(ofProd) },
    closed: undefined,
  });

const encode = (value: unknown) => Buffer.from(JSON.stringify(value)).toString('base64url');

/** A token signed with HMAC, with any secret. */
function hmacToken(secret: string | Buffer, header = {}): string {
  const text = `${encode({ alg: 'HS256', kid: 'two', ...header })}.${encode(CLAIMS)}`;
  return `${text}.${createHmac('sha256', secret).update(text).digest('base64url')}`;
}

const changeClaim = (token: string) =>
  token.replace(/\..*\./, `.${encode({ ...CLAIMS, sub: 'admin' })}.`);

const toPem = ({ publicKey }: Issuer) => {
  const key = createPublicKey({ key: publicKey as JsonWebKey, format: 'jwk' });
  return key.export({ type: 'spki', format: 'pem' });
};

test.each<[string, () => Promise<string>]>([
  ['ES256', () => es256.token()],
  ['RS256', () => rs256.token()],
  ['EdDSA', () => eddsa.token()],
  ['without kid, if one key fits', () => es256.token({}, { kid: undefined })],
  ['typ at+jwt', () => es256.token({}, { typ: 'application/at+JWT' })],
  ['an audience in a list', () => es256.token({ aud: ['dev'] })],
  ['a second before it expires', () => es256.token({ exp: START + 1 })],
])('accepts a token: %s', async (_name, token) => {
  const { call } = await start();
  expect(await call(await token())).toEqual(OK);
});

test('refuses a token without kid if several keys fit, and says so', async () => {
  const { call } = await deploy({ dev: { jwks: setOf(es256, ofProd) } });
  const refused = { ...INVALID, message: expect.stringContaining('kid') };
  expect(await call(await es256.token({}, { kid: undefined }))).toMatchObject(refused);
});

test.each<[string, () => string | Promise<string>, object?]>([
  ['no token at all', () => 'rubbish'],
  ['a foreign key with a known kid', () => stranger.token()],
  ['an unknown key', () => stranger.token({}, { kid: 'five' })],
  ['a path as kid', () => stranger.token({}, { kid: '../../../../dev/null' })],
  ['no algorithm', () => `${encode({ alg: 'none' })}.${encode(CLAIMS)}.`],
  ['an algorithm that only fits its key', () => ps256.token()],
  ['HMAC with the public key as PEM', () => hmacToken(toPem(rs256))],
  ['HMAC with an empty secret', () => hmacToken('')],
  ['HMAC called RS256', () => hmacToken(toPem(rs256), { alg: 'RS256' })],
  ['its own key', () => stranger.token({}, { jwk: stranger.publicKey, kid: 'five' })],
  ['a URL of keys', () => stranger.token({}, { jku: 'http://127.0.0.1:1/' })],
  ['an unknown critical header', () => es256.token({}, { crit: ['exotic'], exotic: 1 })],
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
  ['expired', () => es256.token({ exp: START }), { status: 401, code: 'ACCESS_TOKEN_EXPIRED' }],
  ['expired, and signed by a stranger', () => stranger.token({ exp: START })],
  ['9 kB', () => es256.token({ big: 'x'.repeat(7000) })],
  ['a changed claim', async () => changeClaim(await es256.token())],
])('refuses a token: %s', async (_name, make, expected = INVALID) => {
  const { call, lines } = await start();
  const token = await make();
  const reply = await call(token);
  expect(reply).toMatchObject(expected);
  const said = JSON.stringify([reply, lines]);
  expect(said).not.toMatch(/user-1|login\.example/);
  for (const part of token.split('.')) if (part.length > 8) expect(said).not.toContain(part);
});

test('refuses tokens in an environment without an issuer, and of another one once it is cached', async () => {
  const { call } = await start();
  const token = await es256.token();
  expect(await call(token)).toEqual(OK);
  expect(await call(token, 'prod')).toMatchObject(INVALID);
  expect(await call(token, 'closed')).toMatchObject(INVALID);
  expect(await call(token)).toEqual(OK);
});

test('a reload replaces keys and issuer, also for cached tokens, unless the keys are unusable', async () => {
  const { call, reload } = await start();
  const token = await es256.token();
  expect(await call(token)).toEqual(OK);
  await reload({ dev: { jwks: setOf(rs256) } });
  expect(await call(token)).toMatchObject(INVALID);
  expect(await call(await rs256.token())).toEqual(OK);
  await expect(reload({ dev: { jwks: setOf() } })).rejects.toThrow(
    'environments.dev.tokens.jwks has no usable key for RS256, ES256, EdDSA.',
  );
  expect(await call(await rs256.token())).toEqual(OK);
  await reload({ dev: { jwks: setOf(rs256), issuer: 'https://other.example' } });
  expect(await call(await rs256.token())).toMatchObject(INVALID);
});

const BROKEN = { kty: 'RSA', n: 'AQ' };
const SHORT = await exportJWK(generateKeyPairSync('rsa', { modulusLength: 1024 }).publicKey);

test.each<[string, () => unknown, RegExp]>([
  ['that are private', () => ({ keys: [es256.privateKey] }), /private key/],
  ['of an empty set', () => ({ keys: [] }), /no usable key/],
  ['that are symmetric', () => ({ keys: [{ kty: 'oct', k: 'aGlkZGVu' }] }), /no usable key/],
  ['that are too short', () => ({ keys: [SHORT] }), /no usable key/],
  ['that are broken', () => ({ keys: [BROKEN] }), /no usable key/],
  ['one of which is broken', () => ({ keys: [es256.publicKey, BROKEN] }), /read: keys\[1\]\.$/],
  ['in the wrong format', () => ({ keys: 'x' }), /must be an array/],
  ['from an insecure URL', () => 'http://login.example/jwks', /https/],
])('refuses keys %s', async (_name, jwks, message) => {
  const error = await deploy({ dev: { jwks: jwks() } }).catch((error) => error);
  expect(error).toHaveProperty('name', 'ConfigError');
  expect(error.message).toMatch(message);
  expect(error.message).toMatch(/^environments\.dev\.tokens\.jwks/);
  expect(error.message).not.toMatch(new RegExp(`${es256.privateKey.d}|aGlkZGVu`));
});

test('a verified token is cached for 60 s, but not beyond its expiry, and then checked synchronously', async () => {
  const config = await resolveConfig({
    keys: [{ secret: 'a key that signs links and grants' }],
    environments: { dev: { tokens: { jwks: setOf(es256) } } },
  });
  const [issuers, quotas] = [createIssuers(config, () => {}), createQuotas(config, undefined)];
  const { gateway } = createAuthenticator(config, { issuers, quotas });
  const check = (token: string) => gateway.bearerToken(token, { env: 'dev' } as never);
  const long = await es256.token();
  const short = await es256.token({ exp: Date.now() / 1000 + 10 });
  await Promise.all([long, short].map(check));
  clock.advance(9);
  expect(check(short)).toMatchObject({ id: 'user-1' });
  clock.advance(1);
  await expect(check(short)).rejects.toMatchObject({ code: 'ACCESS_TOKEN_EXPIRED' });
  clock.advance(49);
  expect(check(long)).toMatchObject({ id: 'user-1' });
  clock.advance(1);
  const again = check(long);
  expect(again).toBeInstanceOf(Promise);
  // Before the clock is restored.
  await again;
});
