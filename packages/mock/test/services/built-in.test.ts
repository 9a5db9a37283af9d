import { afterAll, expect, test } from 'vitest';
import { get, post, startServices } from './start-services.ts';

const started = await startServices();
afterAll(() => started[Symbol.asyncDispose]());

test('echo returns bytes, responds with the requested status, and with a broken body', async () => {
  const bytes = await post(started, 'echo', new Uint8Array([255, 0]));
  expect(await bytes.json()).toMatchObject({ base64: '/wA=' });
  for (const status of [204, 299, 404, 503]) {
    const response = await get(started, `echo/status/${status}`);
    expect([response.status, response.headers.get('x-svc-upstream-status-code')]).toEqual([
      status,
      String(status),
    ]);
  }
  expect(await (await get(started, 'echo/status/418')).json()).toEqual({ status: 418 });
  expect((await get(started, 'echo/status/99')).status).toBe(400);
  expect(await (await get(started, 'echo/broken')).text()).toBe('{"broken":');
});

test('echo sends events of the query or the body', async () => {
  const accept = { accept: 'text/event-stream' };
  const query = await get(started, 'echo?data=a&data=b', { headers: accept });
  expect(await query.text()).toBe('id: 1\ndata: a\n\nid: 2\ndata: b\n\n');
  const again = { ...accept, 'last-event-id': '1' };
  expect(await (await post(started, 'echo', 'x\ny', again)).text()).toBe('id: 2\ndata: y\n\n');
});
