import { readdirSync, readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { gatewayErrors, limit, storageErrors, uploadErrors } from './defaults.ts';

const SURFACES = { gateway: gatewayErrors, storage: storageErrors, upload: uploadErrors };

test.each(Object.entries(SURFACES))(
  'every code that %s refuses with is in its table',
  (name, table) => {
    const folder = new URL(`../${name}/`, import.meta.url);
    const sources = readdirSync(folder)
      .filter((file) => !file.endsWith('.test.ts'))
      .map((file) => readFileSync(new URL(file, folder), 'utf8'));
    const codes = sources.flatMap((source) => [...source.matchAll(/new \w+Error\(\s*'(\w+)'/g)]);
    expect(codes.length).toBeGreaterThan(0);
    for (const [, code] of codes)
      expect(table.get(code as string).status).toBeGreaterThanOrEqual(400);
  },
);

test('a code that is in no table is a mistake', () => {
  expect(() => gatewayErrors.get('NONE')).toThrow('NONE is in no error table of the contract.');
});

test('a limit is its value', () => {
  expect(limit('batchItems')).toBe(50);
});

test('a status has the first of its errors, and no success', () => {
  expect(gatewayErrors.findStatus(503)?.code).toBe('SERVICE_NOT_READY');
  expect(storageErrors.findStatus(200)).toBeUndefined();
});
