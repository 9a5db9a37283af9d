import { Readable } from 'node:stream';
import { GatewayError, HttpError } from '@berth/server-stubs';
import { loadRoutes } from '@berth/server-stubs/document';
import {
  type Content,
  createTableRouter,
  type DocumentedResponse,
  type Handler,
  type HandlerResponse,
  type TableRouterOptions,
  toResponse,
} from '@berth/server-stubs/runtime';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { send } from './support/send.ts';
import { serve } from './support/serve.ts';
import { NAMED, toTable } from './support/to-table.ts';

const TEXT: Content = { mediaType: 'text/plain', kind: 'text' };
const BYTES: Content = { mediaType: 'image/png', kind: 'binary' };

function start(
  handler: Handler,
  responses: readonly DocumentedResponse[] = [{ status: '200', content: [TEXT, NAMED, BYTES] }],
  options: TableRouterOptions = {},
) {
  const table = toTable([{ path: '/', responses }]);
  return serve(createTableRouter(table, { operation: handler }, options));
}

const throwing = (error: unknown) => () => {
  throw error;
};

describe('a response', () => {
  const any: DocumentedResponse = { status: '200', content: [{ mediaType: '*/*', kind: 'json' }] };
  it.each<[HandlerResponse, string, string, DocumentedResponse?]>([
    [{ status: 200, body: { name: 'é' } }, 'application/json', '{"name":"é"}'],
    [{ status: 200, contentType: 'text/plain', body: 'é' }, 'text/plain; charset=utf-8', 'é'],
    [{ status: 200, headers: { 'Content-Type': 'text/plain' }, body: 'a' }, 'text/plain', 'a'],
    [{ status: 200, contentType: 'image/png', body: Buffer.from('a') }, 'image/png', 'a'],
    [
      { status: 200, contentType: 'text/plain', headers: { 'content-type': 'a/b' }, body: 'a' },
      'text/plain; charset=utf-8',
      'a',
    ],
    [{ status: 200, body: 'é' }, 'application/json', '"é"', any],
    [{ status: 200, contentType: 'text/a', body: 'é' }, 'text/a; charset=utf-8', 'é', any],
    [{ status: 200, headers: { 'Content-Type': 'a/b' }, body: 'é' }, 'a/b', 'é', any],
  ])('%j is sent', async (response, type, body, documented) => {
    const base = await start(() => response, documented && [documented]);
    const { status, headers, text } = await send(base, '/');
    expect([status, headers['content-type'], text]).toEqual([200, type, body]);
    expect(headers['content-length']).toBe(String(Buffer.byteLength(body)));
  });

  it('has no body for HEAD, 204 and 304', async () => {
    const base = await start(() => ({ status: 200, body: { name: 'a' } }));
    const head = await send(base, '/', { method: 'HEAD' });
    expect([head.status, head.headers['content-length'], head.text]).toEqual([200, '12', '']);
    const empty = await start(() => ({ status: 204 }), [{ status: '2XX', content: [] }]);
    const received = await send(empty, '/');
    expect([received.status, received.headers['content-length']]).toEqual([204, undefined]);
    const same = { status: 304, headers: { etag: '"a"' } };
    const unchanged = await start(() => same, [{ status: '304', content: [] }]);
    expect((await send(unchanged, '/')).headers.etag).toBe('"a"');
  });
});

describe('a response that violates the document', () => {
  it.each<[string, HandlerResponse]>([
    ['The status 201 is not documented.', { status: 201, body: {} }],
    ['response.body.name must be a string, got a number.', { status: 200, body: { name: 1 } }],
    ['response.body must be an object, got a string.', { status: 200, body: new Date(0) }],
    ['A 200 must have a body.', { status: 200 }],
    ['The application/json body must be a JavaScript value', { status: 200, body: Buffer.of() }],
    ['The text/plain body must be', { status: 200, contentType: 'text/plain', body: {} }],
    ['The media type is not documented', { status: 200, contentType: 'text/html', body: 'a' }],
  ])('is a 500, and printed with its operation: %s', async (message, response) => {
    const print = vi.spyOn(process.stderr, 'write').mockReturnValue(true);
    onTestFinished(() => print.mockRestore());
    const base = await start(() => response, undefined, { responses: 'check' });
    const received = await send(base, '/');
    expect(received.status).toBe(500);
    expect(received.text).not.toContain('name');
    const line = `operation: TypeError: The response violates the document: ${message}`;
    expect(print.mock.calls).toEqual([[expect.stringContaining(line)]]);
  });

  it('is sent unless responses are checked', async () => {
    const onError = vi.fn();
    const response = { status: 200, body: { name: 1 } };
    const base = await start(() => response, undefined, { onError });
    expect((await send(base, '/')).json).toEqual(response.body);
    expect(onError).not.toHaveBeenCalled();
  });
});

describe('a failing handler', () => {
  const secret = new Error('password=hunter2');
  const unread = new Readable({ read() {} });

  it.each<[string, Handler]>([
    ['rejects', () => Promise.reject(secret)],
    ['throws undefined', throwing(undefined)],
    ['returns nothing', () => undefined as never],
    ['has an invalid header', () => ({ status: 200, headers: { a: 'a\r\nb: c' }, body: {} })],
    ['has a body that cannot be JSON', () => ({ status: 200, body: { name: 1n } })],
    ['has a function as its body', () => ({ status: 200, body: () => 'a' })],
    ['has an invalid status', () => ({ status: 99, body: unread })],
  ])('that %s gets a response without its message', async (name, handler) => {
    const onError = vi.fn();
    const received = await send(await start(handler, undefined, { onError }), '/');
    expect(received.status).toBe(500);
    expect(JSON.parse(received.text)).toEqual({
      title: 'Internal Server Error',
      status: 500,
      detail: 'Internal server error.',
    });
    expect(onError).toHaveBeenCalledOnce();
    if (name === 'has an invalid status') expect(unread.destroyed).toBe(true);
  });

  it('that throws an HttpError of an unknown kind gets a 500, and the error names the kinds', async () => {
    const onError = vi.fn();
    const handler = () => {
      throw new HttpError('bad-request' as never, 'No.');
    };
    const received = await send(await start(handler, undefined, { onError }), '/');
    expect([received.status, received.text]).toEqual([500, expect.stringContaining('Internal')]);
    const message = expect.stringMatching(/must be one of not-found, .*, got bad-request\.$/);
    expect(onError.mock.lastCall?.[0]).toMatchObject({ message });
  });

  it('that has ended the response itself has the stream that it returns destroyed', async () => {
    const body = new Readable({ read() {} });
    const base = await start((_, { response }) => {
      response.end('done');
      return { status: 200, body };
    });
    expect((await send(base, '/')).text).toBe('done');
    expect(body.destroyed).toBe(true);
  });

  it.each([
    // Even if a 422 is documented.
    [400, 'Bad Request'],
    [422, 'Unprocessable Content'],
    [503, 'Service Unavailable'],
    [418, 'Error'],
  ])('that throws an HttpError with the status %i gets its phrase', async (status, title) => {
    const error = new HttpError('invalid-request', 'No.', { status });
    const base = await start(throwing(error), [{ status: '422', content: [] }]);
    expect(JSON.parse((await send(base, '/')).text)).toEqual({ title, status, detail: 'No.' });
  });

  it('gets a response even if the request ID, `toError` or the log fails', async () => {
    const fail = throwing(new Error('broken'));
    const headersOf = ({ requestId }: { requestId: string }) => ({ 'x-request-id': requestId });
    for (const options of [
      { toError: fail },
      { requestId: fail, headers: headersOf },
      { requestId: () => 'a\n', headers: headersOf },
      { onError: async () => fail() },
    ]) {
      const base = await start(fail, undefined, { onError: fail, ...options });
      expect((await send(base, '/')).status).toBe(500);
    }
  });
});

it('a checked response may leave headers to the router that the document requires, and a body to GET', async () => {
  const header = { required: true, schema: { type: 'string' } };
  const headers = { 'Content-Type': header, 'Content-Length': header, Date: header };
  const path = { responses: { 200: { content: { 'text/plain': {} }, headers } } };
  const info = { title: 'T', version: '1' };
  const paths = { '/': { get: path, head: path } };
  const { routes } = await loadRoutes({ openapi: '3.1.0', info, paths });
  const handlers = {
    get: () => ({ status: 200, body: 'a' }),
    head: () => ({ status: 200, headers: { 'content-length': '1' } }),
  };
  const base = await serve(createTableRouter(routes, handlers, { responses: 'check' }));
  expect(await send(base, '/')).toMatchObject({ status: 200, text: 'a' });
  expect(await send(base, '/', { method: 'HEAD' })).toMatchObject({ status: 200, text: '' });
});

describe('a response of the router itself', () => {
  it('has the headers and the shape of the options', async () => {
    const base = await start(() => ({ status: 200, body: { name: 'a' } }), undefined, {
      headers: ({ requestId }) => ({ 'X-Request-Id': requestId, 'x-a': '1' }),
      toError: async ({ kind }) => ({
        [toResponse]: ({ requestId }) => ({
          status: 418,
          headers: { 'X-A': '2', allow: 'PUT' },
          body: { kind, requestId },
        }),
      }),
    });
    const good = await send(base, '/');
    expect(good.headers['x-request-id']).toMatch(/^[\da-f-]{36}$/);
    const bad = await send(base, '/', { method: 'PUT' });
    expect([bad.status, bad.headers['x-a'], bad.headers.allow]).toEqual([418, '2', 'GET, HEAD']);
    const requestId = bad.headers['x-request-id'];
    expect(bad.json).toEqual({ kind: 'method-not-allowed', requestId });
  });

  it('has the headers of an HttpError, not those of the error that it is converted to', async () => {
    const error = new HttpError('too-large', 'Later.', { headers: { 'retry-after': '30' } });
    const toError = () => new GatewayError('EXCEED_RATELIMIT');
    const base = await start(throwing(error), undefined, { toError });
    expect((await send(base, '/')).headers['retry-after']).toBe('30');
  });
});
