import { readdirSync, readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { gatewayErrors, limit, storageErrors } from './defaults.ts';

const folder = new URL('../surfaces/', import.meta.url);
const sources = readdirSync(folder)
  .filter((file) => /(?<!\.test)\.ts$/.test(file))
  .map((file) => readFileSync(new URL(file, folder), 'utf8'));

test('every code of a GatewayError is in its table', () => {
  const refusal = /new GatewayError\(\s*'(\w+)'/g;
  const codes = sources.flatMap((source) => [...source.matchAll(refusal)]);
  expect(codes.length).toBeGreaterThan(0);
  for (const [, code] of codes) {
    expect(gatewayErrors.get(code as string).status).toBeGreaterThanOrEqual(400);
  }
});

test('throws for a code that is in no table', () => {
  expect(() => gatewayErrors.get('NONE')).toThrow(
    'NONE is not in any error table of the contract.',
  );
});

test('returns the value of a limit', () => {
  expect(limit('batchItems')).toBe(50);
});

test('returns the first error of a status, and no success', () => {
  expect(gatewayErrors.findStatus(503)?.code).toBe('SERVICE_NOT_READY');
  expect(storageErrors.findStatus(200)).toBeUndefined();
});
