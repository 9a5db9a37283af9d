import { afterAll, expect, test } from 'vitest';
import { startFixture } from '../fixture/server.mjs';

const fixture = await startFixture({ port: 0 });
afterAll(() => fixture.close());

const call = (path: string, init?: RequestInit) => fetch(fixture.url + path, init);
const release = async (hold: string) => (await call(`/release?hold=${hold}`)).json();
const event = (n: number, released = false) =>
  `id: ${n}\ndata: {"n":${n},"released":${released}}\n\n`;

test('sends three events by default', async () => {
  const response = await call('/events');
  expect(response.headers.get('content-type')).toBe('text/event-stream');
  expect(await response.text()).toBe(event(1) + event(2) + event(3));
});

test('a held stream sends its first event and then waits for its release', async () => {
  const response = await call(
    '/events?hold=a&count=3&wait=60000&header=X-One:%201&type=text/plain',
  );
  expect([response.headers.get('content-type'), response.headers.get('x-one')]).toEqual([
    'text/plain',
    '1',
  ]);
  const reader = response.body?.pipeThrough(new TextDecoderStream()).getReader();
  expect((await reader?.read())?.value).toBe(event(1));
  expect(await release('a')).toEqual({ released: true });
  let rest = '';
  for (let part = await reader?.read(); part?.value; part = await reader?.read())
    rest += part.value;
  expect(rest).toBe(event(2, true) + event(3, true));
  expect(await release('a')).toEqual({ released: false });
});

test('a stream that nobody releases continues after a timeout', async () => {
  expect(await (await call('/events?hold=b&count=2&wait=30')).text()).toBe(event(1) + event(2));
});

test('Last-Event-ID resumes after that event', async () => {
  const after = (id: string) =>
    call('/events?hold=d&wait=10', { headers: { 'Last-Event-ID': id } });
  expect(await (await after('1')).text()).toBe(event(2) + event(3));
  expect(await (await after('3')).text()).toBe('');
  const bad = await after('x');
  expect(bad.status).toBe(400);
  expect(await bad.json()).toMatchObject({ parameter: 'Last-Event-ID' });
});

test('waits for the interval between events', async () => {
  const start = performance.now();
  await (await call('/events?count=3&interval=40')).text();
  expect(performance.now() - start).toBeGreaterThanOrEqual(78);
});

test.each([
  ['count', '/events?count=1001'],
  ['hold', '/events?hold='],
  ['wait', '/events?wait=60001'],
  ['interval', '/events?interval=x'],
  ['hold', '/release'],
  ['wait', '/closed?mark=a&wait=60001'],
])('a bad %s is named: %s', async (parameter, path) => {
  const response = await call(path);
  expect(response.status).toBe(400);
  expect(await response.json()).toMatchObject({ parameter });
});

test('at most 1000 calls wait at a time, not counting callers that have disconnected', async () => {
  const other = await startFixture({ port: 0 });
  const gone = new AbortController();
  const hold = (signal: AbortSignal) =>
    fetch(`${other.url}/events?hold=all&count=1&wait=60000`, { signal });
  await Promise.all(Array.from({ length: 1000 }, () => hold(gone.signal)));
  const refused = await hold(AbortSignal.timeout(300_000));
  expect(refused.status).toBe(503);
  expect(await refused.json()).toEqual({ error: '1000 calls are already waiting' });
  const status = async () => (await fetch(`${other.url}/closed?mark=x&wait=0`)).status;
  expect(await status()).toBe(503);
  gone.abort();
  await expect.poll(status).toBe(200);
  expect(await (await fetch(`${other.url}/release?hold=all`)).json()).toEqual({ released: false });
  await other.close();
});
