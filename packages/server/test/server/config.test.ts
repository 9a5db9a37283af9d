import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { loadConfig } from '../../src/config/load.ts';
import { makeFolder } from './support/start-server.ts';

const KEY = 'k'.repeat(32);
const GOOD = `keys: [{ secret: ${KEY} }]\nenvironments:\n  dev: {}\n`;

async function load(yaml: string, files: Record<string, string> = {}, env = {}) {
  const folder = await makeFolder({ 'berth.yaml': yaml, ...files });
  return { folder, config: await loadConfig(join(folder, 'berth.yaml'), env) };
}

async function refusal(yaml: string, files: Record<string, string> = {}): Promise<string> {
  const folder = await makeFolder({ 'berth.yaml': yaml, ...files });
  const error = await loadConfig(join(folder, 'berth.yaml'), {}).catch((error) => error);
  expect(error).toHaveProperty('name', 'ConfigError');
  return error.message.replaceAll(`${folder}/`, '');
}

test('the smallest file is keys and an environment', async () => {
  const { config, folder } = await load(GOOD);
  expect(config).toMatchObject({
    listen: { host: '127.0.0.1', port: 4020, trustProxy: false },
    admin: { host: '127.0.0.1', port: 4021 },
    limits: { grantSeconds: 900, uploadBytes: 5_368_709_120 },
    store: { driver: 'file', root: join(folder, 'berth-data/files') },
    environments: { dev: { bucket: 'files', credentials: [], services: {} } },
    wireProfile: { storeFileID: 'storeFileID' },
  });
});

test('secrets come from files and from environment variables, paths are relative to the file', async () => {
  const { config, folder } = await load(
    `listen:
  port: \${PORT}
  tls: { cert: c.pem, key: keys/k.pem }
keys: [{ file: link.key }]
wireProfile: names.json
environments:
  dev:
    tokens: { jwks: jwks.json }
    credentials:
      - { id: a, secretFile: a.secret }
      - { id: b, secret: "\${B}" }
      - id: c
        secret: \${C}
`,
    {
      'link.key': `${KEY}\n`,
      'a.secret': ' long-secret-of-a \n',
      'jwks.json': '{"keys":[]}',
      'names.json': await readFile(
        new URL('../../../../spec/wire-profiles/acme.json', import.meta.url),
        'utf8',
      ),
    },
    { PORT: '1', B: 'long-secret-of-b', C: '4200000000000000' },
  );
  expect(config.listen).toMatchObject({ port: 1, tls: { key: join(folder, 'keys/k.pem') } });
  expect(config.keys).toEqual([{ secret: KEY }]);
  expect(config.wireProfile.name).toBe('acme');
  expect(config.environments.dev).toMatchObject({
    tokens: { jwks: { keys: [] } },
    credentials: [
      { id: 'a', secret: 'long-secret-of-a' },
      { id: 'b', secret: 'long-secret-of-b' },
      { id: 'c', secret: '4200000000000000' },
    ],
  });
});

describe('a fault names file, line, column, setting and fix', () => {
  test.each([
    ['listen: { prot: 1 }', 'berth.yaml:1:11: listen.prot is not a setting: did you mean port.'],
    [
      'store: { driver: file, rot: x }',
      'berth.yaml:1:24: store.rot is not a setting: did you mean root.',
    ],
    [
      'store: { driver: s3, bucket: b, accessKeyId: a }',
      'berth.yaml:1:1: store needs both `accessKeyId` and `secretAccessKey`',
    ],
    ['store: { driver: disk }', 'berth.yaml:1:10: store.driver must be one of file, s3.'],
    ['listen:\n  port: a', 'berth.yaml:2:3: listen.port must be a number.'],
    ['log: { level: loud }', 'berth.yaml:1:8: log.level must be one of fatal, error, '],
    ['publicUrl: example.com', 'berth.yaml:1:1: publicUrl must be an http or https URL.'],
    ['redis: { url: http://localhost }', 'berth.yaml:1:10: redis.url must be a URL such as'],
    ['redis: { url: "redis://:100%@a" }', 'redis.url must be percent-encoded: write % as %25.'],
    [
      'cors: { credentials: true }',
      'berth.yaml:1:1: cors needs a list of `origins` with `credentials`',
    ],
    ['limits: { linkMaxSeconds: 60 }', 'berth.yaml:1:1: limits needs a `linkSeconds`'],
    ['limits: { uploadBytes: 0 }', 'berth.yaml:1:11: limits.uploadBytes must be at least 1.'],
    [
      'wireProfile: none.json',
      'berth.yaml:1:1: wireProfile refers to none.json, which cannot be read: no such file',
    ],
    ['cors: { origins: [], "origins": [] }', 'berth.yaml:1:22: Map keys must be unique.'],
    ['a: [', 'berth.yaml:2:1: Flow sequence in block collection'],
    // biome-ignore lint/suspicious/noTemplateCurlyInString: it is a reference of the file
    ['publicUrl: ${NOWHERE}', 'berth.yaml:1:12: The environment variable NOWHERE is not set.'],
  ])('%s', async (yaml, line) => {
    expect(await refusal(`${yaml}\n${GOOD}`)).toContain(line);
  });

  test.each([
    ['Dev: {}', 'environments.Dev must be a single host name label'],
    ['dev: { bucket: a/b }', 'environments.dev.bucket must be letters'],
    [
      'dev: { credentials: [{ id: a }] }',
      '5:24: environments.dev.credentials[0] needs exactly one of `secret`',
    ],
    [
      'dev: { credentials: [{ secret: long-secret-of-a }] }',
      'environments.dev.credentials[0].id is missing: it must be a string',
    ],
    [
      'dev: { credentials: [{ id: a, secretFile: gone }] }',
      'secretFile refers to gone, which cannot be read',
    ],
    ['dev: { tokens: { jwks: text } }', 'tokens.jwks refers to text, which is not valid JSON'],
    ['dev: { services: { a: {} } }', 'environments.dev.services.a must be a service name'],
    [
      'dev: { services: { ab: { endpoints: [localhost] } } }',
      'endpoints[0] must be a URL without a path',
    ],
  ])('%s', async (yaml, part) => {
    const text = await refusal(
      `# one\n# two\nkeys: [{ secret: ${KEY} }]\nenvironments:\n  ${yaml}\n`,
      { text: 'x' },
    );
    expect(text).toMatch(/^berth\.yaml:[45]:\d+: environments/);
    expect(text).toContain(part);
    expect(text.split('\n')).toHaveLength(1);
  });

  test('reports all faults together, and never a secret', async () => {
    const text = await refusal(
      'keys: [{ secret: short }]\nenvironments: { dev: { credentials: [{ id: 1, secret: 7715 }] } }\nx: 1',
    );
    expect(text.split('\n')).toHaveLength(4);
    expect(text).not.toMatch(/short|7715/);
  });

  test('an empty file lacks keys and environments', async () => {
    expect(await refusal('')).toMatch(/keys is missing.*\n.*environments is missing/);
  });
});
