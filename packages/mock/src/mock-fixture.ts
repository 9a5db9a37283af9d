import { createMock, type Mock } from './create-mock.ts';
import type { MockOptions } from './options.ts';

/**
 * Creates a fixture for `test.extend` in Vitest and Playwright. Each test gets its own mock. With the scope
 * `worker`, each worker gets its own mock instead.
 *
 * @example
 * const test = base.extend({ mock: mockFixture({ env: 'dev' }) });
 * test('greets', async ({ mock }) => {
 *   await fetch(`${mock.gatewayUrl}/v1/cloudrun/hello`, { headers: { authorization: 'Bearer any' } });
 * });
 *
 * @example
 * // One mock for all tests of a worker; each test may have a session of its own.
 * const test = base.extend({ mock: [mockFixture(), { scope: 'worker' }] });
 */
export function mockFixture(options?: MockOptions) {
  // Both frameworks parse the names of other fixtures from the pattern.
  // biome-ignore lint/correctness/noEmptyPattern: an empty pattern means that this fixture needs none
  return async ({}: object, use: (mock: Mock) => Promise<void>): Promise<void> => {
    const mock = await createMock(options);
    try {
      await use(mock);
    } finally {
      await mock.close();
    }
  };
}
