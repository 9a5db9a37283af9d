import { expect, test } from 'vitest';
import { findRestarts, secretsOf } from './config.ts';
import { resolveConfig } from './resolve-config.ts';

const base = { keys: [{ secret: 'k'.repeat(32) }], environments: { dev: {} } };

test('reports what needs a restart and keeps it, and applies the rest', async () => {
  const old = await resolveConfig(base);
  const next = await resolveConfig({
    ...base,
    listen: { port: 1 },
    limits: { tokenCacheSeconds: 5, batchItems: 7 },
    environments: { dev: { bucket: 'other' } },
    log: { calls: true },
  });
  const { config, restarts } = findRestarts(old, next);
  expect(restarts).toEqual(['listen', 'limits.tokenCacheSeconds']);
  expect(config).toMatchObject({
    listen: { port: 4020 },
    limits: { tokenCacheSeconds: 60, batchItems: 7 },
    environments: { dev: { bucket: 'other' } },
    log: { calls: true },
  });
});

test.each([
  { url: 'redis://:a%2Fpassword@localhost' },
  { url: 'rediss://localhost', password: 'a/password' },
])('the password of Redis is a secret, in %j', async (shared) => {
  const config = await resolveConfig({ ...base, shared });
  expect(secretsOf(config)).toContain('a/password');
});

test.each(['http://localhost', 'redis:', 'redis://:100%@localhost'])(
  'does not accept %s as the URL of Redis, and does not quote it',
  async (url) => {
    const error = await resolveConfig({ ...base, shared: { url } }).catch((reason) => reason);
    expect(error.message).toMatch(/^shared\.url must be /);
    expect(error.message).not.toContain('localhost');
  },
);
