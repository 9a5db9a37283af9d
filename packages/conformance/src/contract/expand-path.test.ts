import { expect, test } from 'vitest';
import { expandPath } from './expand-path.ts';

test('each value is one segment', () => {
  const path = expandPath('/envs/{envId}/storages:{name}', { envId: 'a/b c', name: 'x' });
  expect(path).toBe('/envs/a%2Fb%20c/storages:x');
});

test('a parameter without a value is an error', () => {
  expect(() => expandPath('/{name}', {})).toThrow('/{name}: no value for name');
});
