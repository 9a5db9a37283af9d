import { afterAll, expect, test } from 'vitest';
import { startFixture } from '../fixture/server.mjs';

// Other implementations follow its protocol; what the checks use every day is proved by their runs.

const fixture = await startFixture({ port: 0 });
afterAll(() => fixture.close());

test.each([
  ...[
    'status=199',
    'status=2e2',
    'status=',
    'size=33554433',
    'header=nothing',
    'header=A:%E4%BD%A0',
  ],
  ...['header=A:%20x%0d%0aB:%20y', 'trickle=60001', '/events?count=1001', '/release?hold'],
  ...['/closed?wait=60001&mark=a', '/count?mark', `/count?mark=${'m'.repeat(129)}`],
])('a bad parameter is named: %s', async (query) => {
  const path = query.startsWith('/') ? query : `/respond?${query}`;
  const response = await fetch(fixture.url + path);
  const [, parameter = ''] = /(?:^|\?)(\w+)/.exec(query.replace(/^\/\w+/, '')) ?? [];
  expect(response.status).toBe(400);
  expect(await response.json()).toEqual({
    error: expect.stringMatching(new RegExp(`^${parameter} must `)),
  });
});

test('open calls end when the service stops', async () => {
  const other = await startFixture({ port: 0 });
  const hanging = fetch(`${other.url}/closed?mark=none&wait=60000`);
  hanging.catch(() => {});
  await fetch(`${other.url}/count?mark=x`);
  await other.close();
  await expect(hanging).rejects.toThrow();
});
