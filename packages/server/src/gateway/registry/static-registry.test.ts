import { expect, test } from 'vitest';
import type { StaticServiceConfig } from './service-registry.ts';
import { createStaticRegistry } from './static-registry.ts';

const V1 = { name: 'v1', endpoints: ['http://127.0.0.1:9001', 'http://127.0.0.1:9002'] };
const V2 = { name: 'v2', endpoints: ['http://127.0.0.1:9003'] };
const hello = (more: Partial<StaticServiceConfig> = {}): StaticServiceConfig => ({
  env: 'dev',
  name: 'hello',
  versions: [V1, V2],
  ...more,
});

test('knows the services of the configuration, with what is not said filled in', () => {
  const registry = createStaticRegistry([hello({ versions: [V2], callers: ['ann'] })]);
  expect(registry.find('dev', 'hello')).toEqual({
    env: 'dev',
    name: 'hello',
    state: 'ready',
    callers: new Set(['ann']),
    versions: [
      {
        name: 'v2',
        weight: 100,
        hasResource: true,
        endpoints: [{ origin: 'http://127.0.0.1:9003' }],
      },
    ],
  });
  for (const [env, name] of [
    ['dev', 'other'],
    ['prod', 'hello'],
    ['__proto__', 'toString'],
  ] as const) {
    expect(registry.find(env, name)).toBeUndefined();
  }
});

test('keeps a service as the same object where an update does not change it', () => {
  const registry = createStaticRegistry([hello(), hello({ name: 'other' })]);
  const before = registry.find('dev', 'hello');
  registry.update([hello(), hello({ env: 'prod' })]);
  expect(registry.find('dev', 'hello')).toBe(before);
  expect(registry.find('dev', 'other')).toBeUndefined();
  expect(registry.find('prod', 'hello')).toBeDefined();
});

test('keeps the versions and endpoints that stay of a service that changed', () => {
  const registry = createStaticRegistry([hello()]);
  const before = registry.find('dev', 'hello');
  const moved = {
    name: 'v1',
    weight: 5,
    endpoints: ['http://127.0.0.1:9002/', 'http://127.0.0.1:9009'],
  };
  registry.update([hello({ state: 'not-ready', versions: [moved, V2] })]);
  const after = registry.find('dev', 'hello');
  expect(after).not.toBe(before);
  expect(after?.state).toBe('not-ready');
  expect(after?.versions[1]).toBe(before?.versions[1]);
  expect(after?.versions[0]).not.toBe(before?.versions[0]);
  expect(after?.versions[0]?.endpoints[0]).toBe(before?.versions[0]?.endpoints[1]);
});

test('takes an endpoint that stands there twice once', () => {
  const endpoints = ['http://Web.test:80', 'http://web.test/', 'http://web.test:80'];
  const registry = createStaticRegistry([hello({ versions: [{ name: 'v1', endpoints }] })]);
  expect(registry.find('dev', 'hello')?.versions[0]?.endpoints).toEqual([
    { origin: 'http://web.test' },
  ]);
});

test.each([
  'ftp://web.test',
  'web.test:80',
  'http://user@web.test',
  'http://web.test/path',
  'http://web.test?x',
  '',
])('refuses %s as an endpoint, and keeps the old services', (endpoint) => {
  const registry = createStaticRegistry([hello()]);
  const before = registry.find('dev', 'hello');
  const bad = hello({ versions: [{ name: 'v1', endpoints: [endpoint] }] });
  expect(() => registry.update([hello({ name: 'new' }), bad])).toThrow(TypeError);
  expect(registry.find('dev', 'hello')).toBe(before);
  expect(registry.find('dev', 'new')).toBeUndefined();
});

test('refuses a service that stands there twice', () => {
  expect(() => createStaticRegistry([hello(), hello()])).toThrow('configured twice');
});
