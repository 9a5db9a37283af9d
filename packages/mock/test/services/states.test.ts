import { expect, test } from 'vitest';
import { get, startServices } from './start-services.ts';

const routes = { 'GET /': { json: 'ready' } };

test('a service that starts cold is not ready from the first call on, then ready', async () => {
  await using started = await startServices({
    cold: { state: { code: 'SERVICE_NOT_READY', for: '5s' }, routes },
  });
  const { clock, states } = started;
  clock.set(Date.now(), { frozen: true });
  const first = await get(started, 'cold');
  expect([first.status, first.headers.get('retry-after')]).toEqual([503, '5']);
  expect(await first.json()).toMatchObject({ code: 'SERVICE_NOT_READY' });
  expect(first.headers.has('x-svc-upstream-status-code')).toBe(false);
  clock.advance(4_001);
  expect((await get(started, 'cold')).headers.get('retry-after')).toBe('1');
  clock.advance(999);
  expect(await (await get(started, 'cold')).json()).toBe('ready');
  clock.advance(60_000);
  expect((await get(started, 'cold')).status).toBe(200);
  states.clear();
  expect((await get(started, 'cold')).status).toBe(503);
});

test('a state without a time lasts', async () => {
  await using started = await startServices({ owed: { state: 'SERVICE_CHARGE_OVERDUE', routes } });
  const response = await get(started, 'owed');
  expect([response.status, response.headers.get('retry-after')]).toEqual([402, null]);
});

test('a state that is set takes precedence over the definition, built-in services included', async () => {
  await using started = await startServices({ owed: { state: 'SERVICE_CHARGE_OVERDUE', routes } });
  const { states, clock } = started;
  states.set('owed', { code: 'READY' });
  expect((await get(started, 'owed')).status).toBe(200);
  states.set('owed', { code: 'SERVICE_TIMEOUT', until: clock.now() + 60_000 });
  states.set('echo', { code: 'SERVICE_FORBIDDEN' });
  expect((await get(started, 'owed')).status).toBe(504);
  expect((await get(started, 'echo')).status).toBe(403);
  expect(Object.keys(states.list())).toEqual(['owed', 'echo']);
  clock.advance(60_000);
  expect((await get(started, 'owed')).status).toBe(402);
  expect(Object.keys(states.list())).toEqual(['echo']);
  states.set('echo', undefined);
  expect((await get(started, 'echo')).status).toBe(200);
});
