import { once } from 'node:events';
import { readFile } from 'node:fs/promises';
import { afterAll, expect, test } from 'vitest';
import { WebSocket } from 'ws';
import { PROTOCOL, startFixture } from '../fixture/server.mjs';

// Other implementations follow its protocol; what the checks use every day is proved by their runs.

const fixture = await startFixture({ port: 0 });
afterAll(() => fixture.close());

test.each([
  ...['status=199', 'status=2e2', 'status=', 'status=200&status=404', 'size=33554433'],
  ...['size=1&body64=a', 'header=nothing', 'header=A:%E4%BD%A0', 'header=A:%20x%0d%0aB:%20y'],
  ...['trickle=60001', 'mark=', '/events?wait=60001', '/events?mark=a&mark=', '/release?hold'],
  ...['/closed?wait=60001&mark=a', '/count?mark', '/count?mark=a&mark=b'],
  `/count?mark=${'m'.repeat(129)}`,
])('a bad parameter is named: %s', async (query) => {
  const path = query.startsWith('/') ? query : `/respond?${query}`;
  const response = await fetch(fixture.url + path);
  const [, parameter = ''] = /(?:^|\?)(\w+)/.exec(query.replace(/^\/\w+/, '')) ?? [];
  expect(response.status).toBe(400);
  expect(await response.json()).toEqual({
    error: expect.stringMatching(new RegExp(`^${parameter} must `)),
  });
});

test('the README describes the protocol of the service', async () => {
  const readme = await readFile(new URL('../fixture/README.md', import.meta.url), 'utf8');
  expect(readme).toMatch(new RegExp(`^# The fixture service, protocol ${PROTOCOL}$`, 'm'));
});

test('a handshake may be greeted with a long text, have two marks, and be rejected without content', async () => {
  const greeting = 'g'.repeat(200);
  const greeted = new WebSocket(`${fixture.url}/socket?greet=${greeting}&mark=one&mark=two`);
  expect(String((await once(greeted, 'message'))[0])).toBe(greeting);
  greeted.close(4000);
  for (const mark of ['one', 'two']) {
    const closed = await fetch(`${fixture.url}/closed?mark=${mark}`);
    expect(await closed.json()).toMatchObject({ closed: true, code: 4000 });
  }
  const rejected = new WebSocket(`${fixture.url}/socket?refuse=204`);
  const [, { statusCode, headers }] = await once(rejected, 'unexpected-response');
  expect([statusCode, headers['content-length']]).toEqual([204, undefined]);
});

test('open calls end when the service stops', async () => {
  const other = await startFixture({ port: 0 });
  const hanging = fetch(`${other.url}/closed?mark=none&wait=60000`);
  hanging.catch(() => {});
  await fetch(`${other.url}/count?mark=x`);
  await other.close();
  await expect(hanging).rejects.toThrow();
});
