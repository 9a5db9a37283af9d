import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { get, type Started, startServices } from './start-services.ts';

/** What a client's suite of platforms calls behind a gateway, as service files. */
let started: Started;
beforeAll(async () => {
  started = await startServices(fileURLToPath(new URL('platform', import.meta.url)));
});
afterAll(() => started[Symbol.asyncDispose]());

const accept = { accept: 'text/event-stream' };

async function readTicks(lastId?: string) {
  const response = await get(started, 'ticker', {
    headers: { ...accept, ...(lastId && { 'last-event-id': lastId }) },
  });
  let text = '';
  let isWhole = true;
  try {
    for await (const chunk of response.body ?? []) text += Buffer.from(chunk).toString();
  } catch {
    isWhole = false;
  }
  return { status: response.status, ids: text.match(/(?<=^id: )\d$/gm), isWhole };
}

test('ticker breaks off, goes on, ends and says that there is no more', async () => {
  expect(await readTicks()).toEqual({ status: 200, ids: ['1', '2', '3'], isWhole: false });
  expect(await readTicks('2')).toEqual({ status: 200, ids: ['3', '4', '5'], isWhole: false });
  expect(await readTicks('4')).toEqual({ status: 200, ids: ['5'], isWhole: true });
  expect((await readTicks('5')).status).toBe(204);
});

test.each([
  ['a call', {}],
  ['a stream', accept],
])('slow tells when %s has begun and when its caller has gone', async (name, headers) => {
  const stop = new AbortController();
  const id = name.replace(' ', '-');
  const call = get(started, `slow/${id}`, { headers, signal: stop.signal }).then(
    (response) => response.text(),
    () => '',
  );
  expect((await get(started, `slow/begun/${id}`)).status).toBe(204);
  stop.abort();
  await call.catch(() => '');
  expect((await get(started, `slow/ended/${id}`)).status).toBe(204);
});
