import { text } from 'node:stream/consumers';
import {
  createRouter,
  type Handler,
  type MultipartStream,
  type RequestLimits,
} from '@berth/server-stubs/runtime';
import { expect, it, vi } from 'vitest';
import { send } from './support/send.ts';
import { open, receive } from './support/send-raw.ts';
import { serve } from './support/serve.ts';
import { toTable } from './support/to-table.ts';

const BODY = {
  required: true,
  content: [{ mediaType: 'multipart/form-data', kind: 'multipart' as const }],
};
const TABLE = toTable([{ path: '/', method: 'POST', body: BODY }]);

const list: Handler = async ({ body }: { body: MultipartStream }) => {
  const parts: unknown[] = [];
  for await (const part of body) {
    parts.push(part.kind === 'file' ? { ...part, body: await text(part.body) } : part);
  }
  return { status: 200, body: parts };
};

function start(handler: Handler = list, requests: RequestLimits = {}, onError = vi.fn()) {
  return serve(createRouter(TABLE, { operation: handler }, { requests, onError }));
}

function post(base: string, form: FormData) {
  return fetch(base, { method: 'POST', body: form });
}

function toForm(fields: Record<string, string | Blob>): FormData {
  const form = new FormData();
  for (const [name, value] of Object.entries(fields)) form.append(name, value);
  return form;
}

it('yields fields and files in order', async () => {
  const file = new File(['中文'], 'a b.txt', { type: 'text/plain' });
  const response = await post(await start(), toForm({ key: 'k', file, after: '' }));
  expect(await response.json()).toEqual([
    { kind: 'field', name: 'key', value: 'k', mediaType: 'text/plain' },
    { kind: 'file', name: 'file', filename: 'a b.txt', mediaType: 'text/plain', body: '中文' },
    { kind: 'field', name: 'after', value: '', mediaType: 'text/plain' },
  ]);
});

it('discards what the handler does not read', async () => {
  const handler: Handler = async ({ body }: { body: MultipartStream }) => {
    const names: string[] = [];
    for await (const part of body) names.push(part.name);
    return { status: 200, body: names };
  };
  const big = new Blob([Buffer.alloc(2_000_000)]);
  const response = await post(await start(handler), toForm({ a: big, b: big, c: '1' }));
  expect(await response.json()).toEqual(['a', 'b', 'c']);
});

it.each<[string, RequestLimits, Record<string, string | Blob>]>([
  ['fields', { formFields: 1 }, { a: '1', b: '2' }],
  ['files', { formFiles: 1 }, { a: new Blob(['1']), b: new Blob(['2']) }],
  ['bytes of a field', { fieldBytes: 3 }, { a: '1234' }],
  ['bytes in all', { streamBytes: 100 }, { a: new Blob(['1'.repeat(200)]) }],
])('limits the number of %s', async (_name, limits, fields) => {
  expect((await post(await start(list, limits), toForm(fields))).status).toBe(413);
});

it('limits the bytes of a form of unknown length', async () => {
  const base = await start(list, { streamBytes: 1000 });
  const response = await send(base, '/', {
    method: 'POST',
    headers: { 'content-type': 'multipart/form-data; boundary=x' },
    body: (async function* () {
      yield '--x\r\nContent-Disposition: form-data; name="a"; filename="a"\r\n\r\n';
      for (let index = 0; index < 20; index += 1) yield 'y'.repeat(100);
    })(),
  });
  expect(response.status).toBe(413);
});

it.each([
  ['no boundary', 'multipart/form-data', 'x'],
  [
    'no end',
    'multipart/form-data; boundary=x',
    '--x\r\nContent-Disposition: form-data; name="a"\r\n\r\nb',
  ],
  [
    'no end of a file',
    'multipart/form-data; boundary=x',
    '--x\r\nContent-Disposition: form-data; name="a"; filename="f"\r\n\r\nb',
  ],
  [
    'no name',
    'multipart/form-data; boundary=x',
    '--x\r\nContent-Disposition: form-data\r\n\r\nb\r\n--x--',
  ],
  ['nothing of a form', 'multipart/form-data; boundary=x', 'hello'],
])('refuses a form with %s', async (_name, type, body) => {
  const onError = vi.fn();
  const response = await send(await start(list, {}, onError), '/', {
    method: 'POST',
    headers: { 'content-type': type },
    body,
  });
  expect(response.status).toBe(400);
  expect(JSON.parse(response.text).detail).toMatch(/^The form cannot be read/);
  expect(onError).not.toHaveBeenCalled();
});

it('responds if the handler reads nothing, or leaves early', async () => {
  const nothing = await start(() => ({ status: 200, body: 'done' }));
  const early = await start(async ({ body }: { body: MultipartStream }) => {
    for await (const part of body) return { status: 200, body: part.name };
    return { status: 200, body: 'none' };
  });
  const form = toForm({ a: new Blob([Buffer.alloc(1_000_000)]), b: '2' });
  expect(await (await post(nothing, form)).json()).toBe('done');
  expect(await (await post(early, form)).json()).toBe('a');
});

it('applies backpressure from the handler to the client', async () => {
  const release = Promise.withResolvers<void>();
  const base = await start(async ({ body }: { body: MultipartStream }) => {
    let size = 0;
    for await (const part of body) {
      await release.promise;
      if (part.kind === 'file') for await (const chunk of part.body) size += chunk.length;
    }
    return { status: 200, body: size };
  });
  const socket = await open(base);
  const head = '--x\r\nContent-Disposition: form-data; name="a"; filename="f"\r\n\r\n';
  const size = 64 * 1024 * 1024;
  socket.write(
    `POST / HTTP/1.1\r\nHost: a\r\nContent-Type: multipart/form-data; boundary=x\r\n` +
      `Content-Length: ${head.length + size + 7}\r\n\r\n${head}`,
  );
  const chunk = Buffer.alloc(1024 * 1024);
  let sent = 0;
  // A server that buffered would accept all of it.
  while (socket.write(chunk)) sent += chunk.length;
  sent += chunk.length;
  const pump = () => {
    while (sent < size) {
      sent += chunk.length;
      if (!socket.write(chunk)) return;
    }
    socket.off('drain', pump);
    socket.write('\r\n--x--');
  };
  socket.on('drain', pump);
  await expect.poll(() => socket.writableNeedDrain).toBe(true);
  expect(sent).toBeLessThan(size);
  release.resolve();
  expect(await receive(socket, String(size))).toContain('200 OK');
  socket.destroy();
});
