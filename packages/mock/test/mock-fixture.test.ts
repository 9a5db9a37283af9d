import { test as base, expect } from 'vitest';
import { type Mock, mockFixture } from '../src/index.ts';
import { gateway } from './helpers/calls.ts';

const test = base.extend<{ mock: Mock }>({ mock: mockFixture({ env: 'shop' }) });
let last: Mock | undefined;

test('a test has a mock', async ({ mock }) => {
  last = mock;
  expect((await gateway(mock, { path: '/v1/cloudrun/hello' })).status).toBe(200);
});

test('each test has its own, which is closed afterwards', async ({ mock }) => {
  expect(mock.port).not.toBe(last?.port);
  await expect(fetch(last?.url ?? '')).rejects.toThrow();
});

// Playwright parses the parameters from the function's source.
test('its parameter is a pattern', () => {
  expect(String(mockFixture())).toMatch(/^async \(\{\s*\}/);
});
