import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, onTestFinished, test, vi } from 'vitest';
import { z } from 'zod';
import jsonSchema from '../../generated/config.schema.gen.json' with { type: 'json' };
import { createTokenKeys } from '../../src/cli/development.ts';
import { loadConfig, resolveConfig } from '../../src/config/config.ts';
import { createServer } from '../../src/index.ts';
import { makeCertificate } from './support/make-certificate.ts';
import { makeFolder } from './support/start-server.ts';

const KEY = 'k'.repeat(32);
const GOOD = `keys: [{ secret: ${KEY} }]\nenvironments:\n  dev: {}\n`;
const ACME = new URL('../../../../spec/wire-profiles/acme.json', import.meta.url);

type Files = Record<string, string | Buffer>;

async function load(yaml: string | Buffer, files: Files = {}, env = {}) {
  const folder = await makeFolder({ 'berth.yaml': yaml, ...files });
  return { folder, config: await loadConfig(join(folder, 'berth.yaml'), env) };
}

/** The message of the error, with names of files relative to the folder. */
async function refusal(yaml: string | Buffer, files: Files = {}, env = {}) {
  const folder = await makeFolder({ 'berth.yaml': yaml, ...files });
  const error = await loadConfig(join(folder, 'berth.yaml'), env).catch((error) => error);
  expect(error).toHaveProperty('name', 'ConfigError');
  return String(error.message).replaceAll(`${folder}/`, '');
}

test('the smallest configuration is keys and an environment', async () => {
  const { config, folder } = await load(GOOD);
  expect(config).toMatchObject({
    listen: { host: '127.0.0.1', port: 4020, trustProxy: false },
    admin: { host: '127.0.0.1', port: 4021 },
    limits: { grantSeconds: 900, uploadBytes: 5_368_709_120 },
    store: { driver: 'file', root: join(folder, 'berth-data/files') },
    environments: { dev: { bucket: 'files', credentials: [], services: {} } },
    wireProfile: { storeFileID: 'storeFileID' },
  });
  // In code, relative paths are relative to the working directory.
  const { store } = await resolveConfig({ keys: [{ secret: KEY }], environments: { dev: {} } });
  expect(store).toMatchObject({ root: join(process.cwd(), 'berth-data/files') });
});

test('reads files and environment variables, and its result is a configuration again', async () => {
  const { cert, key } = await makeCertificate('localhost');
  const { jwks } = await createTokenKeys();
  const { config } = await load(
    `listen:
  port: \${PORT}
  trustProxy: \${PROXY}
  tls: { cert: c.pem, key: keys/k.pem }
admin: "\${ADMIN}"
keys: [{ secretFile: link.key }]
wireProfile: names.json
environments:
  dev: &dev
    tokens: { jwks: jwks.json }
    credentials:
      - { id: a, secretFile: a.secret }
      - { id: b, secret: "\${B}" }
      - id: c
        secret: \${C}
    services: { hello: { endpoints: [HTTP://Example:80/] } }
  qa: *dev
`,
    {
      'link.key': `${KEY}\n`,
      'a.secret': ' long-secret-of-a \n',
      'jwks.json': JSON.stringify(jwks),
      'names.json': await readFile(ACME, 'utf8'),
      'c.pem': await readFile(cert, 'utf8'),
      'keys/k.pem': await readFile(key, 'utf8'),
    },
    { PORT: '1', ADMIN: 'false', PROXY: 'true', B: 'long-secret-of-b', C: '4200000000000000' },
  );
  expect(config.listen).toMatchObject({ port: 1, trustProxy: true });
  expect(config.listen.tls?.key).toContain('PRIVATE KEY');
  expect(config.admin).toBe(false);
  expect(config.keys).toEqual([{ secret: KEY }]);
  expect(config.wireProfile.name).toBe('acme');
  expect(config.environments.dev).toMatchObject({
    tokens: { jwks },
    credentials: [
      { id: 'a', secret: 'long-secret-of-a' },
      { id: 'b', secret: 'long-secret-of-b' },
      { id: 'c', secret: '4200000000000000' },
    ],
    services: { hello: { endpoints: ['http://example'] } },
  });
  expect(config.environments.qa).toEqual(config.environments.dev);
});

const REF = `\${NAME}`;

test.each([
  { listen: { port: REF, trustProxy: REF, headersSeconds: REF } },
  { admin: REF, publicUrl: REF, log: { level: REF }, cors: { origins: REF } },
  { store: { driver: REF, bucket: 'b', endpoint: REF }, redis: { url: REF } },
  { environments: { dev: { bucket: REF, credentials: [{ id: REF, secret: REF }] } } },
])('the JSON Schema accepts references to environment variables: %j', (settings) => {
  const config = { keys: [{ secret: REF }], environments: { dev: {} }, ...settings };
  const schema = z.fromJSONSchema(jsonSchema as Parameters<typeof z.fromJSONSchema>[0]);
  const { data, error } = schema.safeParse(config);
  expect(error).toBeUndefined();
  expect(data).toMatchObject(config);
  expect(schema.safeParse({ ...config, listen: { port: 'NAME' } }).success).toBe(false);
});

const S3 = 'driver: s3, bucket: b';
const { jwks: JWKS } = await createTokenKeys();
const BROKEN = JSON.stringify({
  keys: [...JWKS.keys, { kty: 'new', x: 1 }, { ...JWKS.keys[0], x: 'broken' }],
});
const TWO = '{ id: a, secret: long-secret-of-a }';

test.each([
  ['listen: { prot: 1 }', '1:11: listen.prot is not a setting: did you mean port?'],
  ['admin: true', '1:1: admin must be an object or false.'],
  ['store: { driver: file, rot: x }', '1:24: store.rot is not a setting: did you mean root?'],
  [`store: { ${S3}, accessKeyId: a }`, '1:1: store needs both `accessKeyId` and'],
  [`store: { ${S3}, prefix: ${'x'.repeat(513)} }`, 'store.prefix must be at most 512 bytes long'],
  [`store: { ${S3}, endpoint: 'minio:9000' }`, 'store.endpoint must be an http or https URL.'],
  ['store: { driver: nfs }', '1:10: store.driver must be one of file, s3.'],
  ['listen:\n  port: a', '2:3: listen.port must be a number.'],
  ['listen: { port: 70000 }', '1:11: listen.port must be at most 65535.'],
  ['listen: { headersSeconds: 0 }', 'listen.headersSeconds must be at least 0.001.'],
  ['listen: { keepAliveSeconds: 0 }', 'listen.keepAliveSeconds must be at least 0.001.'],
  ['listen: { shutdownSeconds: 1e10 }', 'listen.shutdownSeconds must be at most 2073600.'],
  [
    'listen: { tls: { cert: text, key: text } }',
    '1:18: listen.tls.cert refers to text, which is no',
  ],
  [
    'listen: { tls: { cert: text, key: text } }',
    '1:30: listen.tls.key refers to text, which is no',
  ],
  ['listen: { tls: { cert: text, key: "a\\nb" } }', 'tls.key must be the name of a file, not its'],
  ['publicUrl: example.com', '1:1: publicUrl must be an http or https URL.'],
  ['publicUrl: "https://a.example/?b"', 'publicUrl must not have a query or a fragment.'],
  ['redis: { url: http://localhost }', '1:10: redis.url must be a URL such as'],
  ['redis: { url: "redis://:100%@a" }', 'redis.url must be percent-encoded: write % as %25.'],
  ['cors: { credentials: true }', '1:1: cors needs a list of `origins` with `credentials`'],
  ['cors: { origins: [https://a.example/] }', '1:19: cors.origins[0] must be an origin such as'],
  ['cors: { origins: 1 }', '1:9: cors.origins must be * or an array.'],
  ['limits: { linkMaxSeconds: 60 }', '1:1: limits.linkSeconds must not exceed `linkMaxSeconds`.'],
  ['limits: { grantSeconds: 604801 }', 'limits.grantSeconds must be at most 604800.'],
  ['wireProfile: none.json', '1:1: wireProfile refers to none.json, which cannot be read: no such'],
  ['wireProfile: profile.json', 'wireProfile.storageHeaders.timestamp must be the name of'],
  ['cors: { origins: [], "origins": [] }', '1:22: Map keys must be unique.'],
  ['a: [', '2:1: Flow sequence in block collection'],
  ['a: *b', '1:4: There is no anchor &b.'],
  ['publicUrl: $(NOWHERE)', '1:12: The environment variable NOWHERE is not set.'],
  ['listen: { port: "$(TEXT)" }', '1:11: listen.port must be a number.'],
  ['listen: { port: "$(BRACKET)" }', '1:11: listen.port must be a number.'],
  ['Dev: {}', '2:3: environments.Dev must be a host name label'],
  ['dev: { bucket: a/b }', '2:10: environments.dev.bucket must be letters'],
  ['dev: { credentials: [{ id: a }] }', 'dev.credentials[0] needs exactly one of `secret`'],
  [
    'dev: { credentials: [{ secret: long-secret-of-a }] }',
    '[0].id is missing: it must be a string',
  ],
  ['dev: { credentials: [{ id: a, secret: x }] }', '[0].secret must have at least 16 characters'],
  ['dev: { credentials: [{ id: a, secretFile: text }] }', 'to text, which must have at least 16'],
  ['dev: { services: { aa: { headersSeconds: 0, endpoints: [] } } }', 'must be at least 0.001.'],
  ['dev: { services: { aa: { headersSeconds: 9e9, endpoints: [] } } }', 'must be at most 2073600.'],
  ['dev: { credentials: [{ id: a, secretFile: gone }] }', 'refers to gone, which cannot be read'],
  ['dev: { credentials: [{ id: a, secretFile: "a\\0b" }] }', 'refers to a\0b, which cannot'],
  ['dev: { credentials: [{ id: a, secretFile: empty }] }', 'refers to empty, which is empty'],
  [`dev: { credentials: [${TWO}, ${TWO}] }`, 'dev.credentials must not list an `id` twice'],
  [`dev: { credentials: [{ id: a/b, secret: ${KEY} }] }`, '[0].id must be 1 to 256 visible'],
  [`dev: { credentials: [{ id: "", secret: ${KEY} }] }`, '[0].id must be 1 to 256 visible'],
  [`dev: { credentials: [{ id: müller, secret: ${KEY} }] }`, '[0].id must be 1 to 256 visible'],
  ['dev: { tokens: { jwks: "HTTP://a.example" } }', 'jwks must use https'],
  ['dev: { tokens: { jwks: text } }', 'jwks refers to text, which is not a JSON object'],
  ['dev: { tokens: { jwks: broken.json } }', 'jwks has a key that cannot be read: keys[2].'],
  ['dev: { tokens: { jwks: "https://me@a/" } }', 'jwks must not have a user name or password.'],
  ['dev: { services: { a: {} } }', 'environments.dev.services.a must be a service name'],
  ['dev: { services: { ab: { endpoints: [x] } } }', 'endpoints[0] must be a URL without a path'],
  ['dev: { quota: { calls: 1, burst: 2 } }', 'burst is not a setting; known settings:'],
])('an error names file, line, column, setting and fix: %s', async (wrong, part) => {
  const profile = '{ "storageHeaders": { "timestamp": "a b" } }';
  const files = { text: 'x', empty: ' \n', 'profile.json': profile, 'broken.json': BROKEN };
  const line = wrong.replace(/\$\((\w+)\)/, (_, name) => `\${${name}}`);
  const yaml = /^dev:/i.test(line)
    ? `environments:\n  ${line}\nkeys: [{ secret: ${KEY} }]`
    : `${line}\n${GOOD}`;
  const text = await refusal(yaml, files, { TEXT: 'text', BRACKET: '[' });
  expect(text).toMatch(/^(berth\.yaml:[12]:\d+: .+\n?)+$/);
  expect(text).toContain(part);
});

test('reports all errors together, also of the syntax, and never a secret', async () => {
  const syntax = await refusal('a: { b: 1, b: 2 }\nc: { d: 1, d: 2 }');
  expect(syntax.match(/^berth\.yaml:\d+/gm)).toEqual(['berth.yaml:1', 'berth.yaml:2']);
  const text = await refusal(
    'keys: [{ secret: short }]\nenvironments: { dev: { credentials: [{ id: 1, secret: 7715 }] } }\nx: 1',
  );
  expect(text.split('\n')).toHaveLength(4);
  expect(text).not.toMatch(/short|7715/);
});

test.each([
  ['UTF-8 with a BOM', (text: string) => Buffer.from(`\ufeff${text}`)],
  ['UTF-16, as PowerShell writes it', (text: string) => Buffer.from(`\ufeff${text}`, 'utf16le')],
  ['UTF-16, big-endian', (text: string) => Buffer.from(`\ufeff${text}`, 'utf16le').swap16()],
])('reads files in %s', async (_, encode) => {
  const yaml = GOOD.replace(`secret: ${KEY}`, 'secretFile: k');
  const { config } = await load(encode(yaml), { k: encode(KEY) });
  expect(config.keys).toEqual([{ secret: KEY }]);
  expect(await refusal(encode('kees: 1'))).toContain('berth.yaml:1:1: kees is not a setting');
});

test('a certificate and a key must belong together', async () => {
  const { cert } = await makeCertificate('localhost');
  const { key } = await makeCertificate('localhost');
  const text = await refusal(`listen: { tls: { cert: ${cert}, key: ${key} } }\n${GOOD}`);
  expect(text).toContain('1:11: listen.tls must be a certificate and its private key (');
});

test('an empty file lacks keys and environments; none at all cannot be read', async () => {
  expect(await refusal('')).toMatch(/keys is missing.*\n.*environments is missing/);
  expect(await refusal('- a')).toBe('berth.yaml:1:1: The configuration must be an object.');
  const error = await loadConfig('/nowhere/berth.yaml').catch((error) => error);
  expect(error.message).toMatch(/^\/nowhere\/berth\.yaml: cannot be read: no such file/);
});

test('a server can be created from a file, and logs only to the stream that it gets', async () => {
  const folder = await makeFolder({ 'berth.yaml': `listen: { port: 0 }\nadmin: false\n${GOOD}` });
  const file = join(folder, 'berth.yaml');
  const write = vi.spyOn(process.stdout, 'write').mockReturnValue(true);
  onTestFinished(() => write.mockRestore());
  for (const options of [{}, { logTo: process.stdout }]) {
    await using server = await createServer(file, options);
    await server.listen();
    const isLogged = write.mock.calls.some(([line]) => String(line).includes('"listening"'));
    expect(isLogged).toBe('logTo' in options);
    expect(await server.reload(file)).toEqual([]);
  }
});
