import { createMock, type Mock } from './create-mock.ts';
import type { MockOptions } from './options.ts';

/**
 * A fixture for `test.extend` of Vitest and Playwright: a mock of its own for each test, or for each
 * worker where you say so.
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
  // Both read the names of other fixtures out of the pattern.
  // biome-ignore lint/correctness/noEmptyPattern: that this one needs none is said by an empty one
  return async ({}: object, use: (mock: Mock) => Promise<void>): Promise<void> => {
    const mock = await createMock(options);
    try {
      await use(mock);
    } finally {
      await mock.close();
    }
  };
}
