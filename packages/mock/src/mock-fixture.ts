import { createMock, type Mock } from './create-mock.ts';
import type { MockOptions } from './options.ts';

/**
 * A fixture for `test.extend` of Vitest and Playwright: a mock of its own for each test, or for each worker
 * if you configure it so.
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
  // Both parse the names of other fixtures from the pattern.
  // biome-ignore lint/correctness/noEmptyPattern: an empty pattern means that this one needs none
  return async ({}: object, use: (mock: Mock) => Promise<void>): Promise<void> => {
    const mock = await createMock(options);
    try {
      await use(mock);
    } finally {
      await mock.close();
    }
  };
}
