import { once } from 'node:events';
import { request } from 'node:http';
import { Readable } from 'node:stream';
import { createEventStream, createGatewayRouter, type GatewayHandler } from '@berth/server-stubs';
import { expect, test } from 'vitest';
import { serve } from './support/serve.ts';

const security = { bearerToken: () => true, signature: () => true };
const headers = { authorization: 'Bearer good' };

const gateway = (call: GatewayHandler) =>
  serve(createGatewayRouter({ 'cloudrun-get': call, 'cloudrun-post': call }, { security }));

test('events arrive one by one, and are no attachment (C3)', async () => {
  const { promise: seen, resolve: onSeen } = Promise.withResolvers<void>();
  const base = await gateway((_, call) => {
    const events = createEventStream(call);
    void (async () => {
      await events.send({ id: '1', data: { delta: 'Hel' } });
      await seen;
      await events.send({ id: '2', data: 'lo' });
      events.close();
    })();
    return { status: 200, headers: { 'content-type': 'text/event-stream' }, body: events.body };
  });
  const response = await fetch(`${base}/v1/cloudrun/hello/events`, { headers });
  expect(response.headers.has('content-disposition')).toBe(false);
  const chunks: string[] = [];
  for await (const chunk of response.body?.pipeThrough(new TextDecoderStream()) ?? []) {
    chunks.push(chunk);
    onSeen();
  }
  expect(chunks.length).toBeGreaterThan(1);
  expect(chunks.join('')).toMatch(/id: 1\ndata: \{"delta":"Hel"\}\n\n.*id: 2\ndata: lo\n\n/s);
});

test('the call is aborted when the client disconnects', async () => {
  const { promise, resolve } = Promise.withResolvers<string>();
  const base = await gateway((_, { signal }) => {
    signal.addEventListener('abort', () => resolve('aborted'));
    return {
      status: 200,
      headers: { 'content-type': 'text/plain' },
      body: new Readable({ read() {} }),
    };
  });
  const { hostname, port } = new URL(base);
  const outgoing = request({ hostname, port, path: '/v1/cloudrun/hello/x', headers }).end();
  outgoing.on('error', () => {});
  await once(outgoing, 'response');
  outgoing.destroy();
  expect(await promise).toBe('aborted');
});

test('a body is forwarded while it is still arriving', async () => {
  const base = await gateway(async ({ body }) => ({
    status: 200,
    headers: { 'content-type': 'text/plain' },
    body: body as Readable,
  }));
  const { hostname, port } = new URL(base);
  const outgoing = request({
    hostname,
    port,
    path: '/v1/cloudrun/hello/x',
    method: 'POST',
    headers,
  });
  outgoing.write('first');
  const [response] = await once(outgoing, 'response');
  const chunks: string[] = [];
  for await (const chunk of response) {
    if (chunks.push(String(chunk)) === 1) outgoing.end('second');
  }
  expect(chunks).toEqual(['first', 'second']);
});

test('a failing stream of the service aborts the response', async () => {
  const base = await gateway(() => ({
    status: 200,
    headers: { 'content-type': 'text/plain' },
    body: Readable.from(
      (async function* () {
        yield 'half';
        throw new Error('gone');
      })(),
    ),
  }));
  const response = await fetch(`${base}/v1/cloudrun/hello/x`, { headers });
  await expect(response.text()).rejects.toThrow();
});
