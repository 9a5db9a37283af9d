import vm from 'node:vm';
import {
  bearer,
  createGatewayClient,
  type GatewayClientOptions,
  GatewayError,
} from '@berth/client';
import { FormData as UndiciFormData, fetch as undiciFetch } from 'undici7';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import * as z from 'zod';
import { failureOf, fakeFetch, json } from './support/fake-fetch.ts';
import { faultServer, serve as serveFaults } from './support/fault-server.ts';

function serviceWith(...responses: (Response | Error)[]) {
  const { fetch, requests } = fakeFetch(...responses);
  const options: GatewayClientOptions = { baseUrl: 'https://g.example/', fetch, retry: false };
  return { service: createGatewayClient(options).service('hello'), requests };
}
const last = (requests: Request[]) => requests.at(-1) as Request;

describe('a payload', () => {
  const text = (body: string | null, type: string, status = 200) =>
    new Response(body, { status, headers: { 'Content-Type': type } });

  it.each<[string, Response, unknown]>([
    ['JSON', json({ a: [1] }), { a: [1] }],
    ['JSON by another name', text('[1]', 'application/problem+json; charset=utf-8'), [1]],
    ['JSON null', text('null', 'application/json'), null],
    ['text', text('[1]', 'text/plain'), '[1]'],
    ['nothing', new Response(null, { status: 204 }), undefined],
    ['no JSON at all', text('', 'application/json'), undefined],
  ])('of %s is read', async (_, response, expected) => {
    expect(await serviceWith(response).service.get()).toEqual(expected);
  });

  const User = z.object({ name: z.string(), tags: z.array(z.number()).default([]) });

  it('is checked, changed and typed by a validator', async () => {
    const user = await serviceWith(json({ name: 'Ada' })).service.get('u', { schema: User });
    expect(user).toEqual({ name: 'Ada', tags: [] });
  });

  it('that the validator refuses rejects with all issues', async () => {
    const wrong = json({ name: 1, tags: ['x'] }, { headers: { 'X-Request-Id': 'r-1' } });
    const error = await failureOf(serviceWith(wrong).service.post('u', {}, { schema: User }));
    expect(error).toMatchObject({ name: 'ContractError', requestId: 'r-1' });
    expect((error as { issues: { path: string }[] }).issues.map(({ path }) => path)).toEqual([
      'name',
      'tags.0',
    ]);
  });

  it('of an error is on the error, and in no log', async () => {
    const { service } = serviceWith(json({ field: '5ec4e7' }, { status: 422 }));
    const error = (await failureOf(service.get('a'))) as GatewayError;
    expect(error).toBeInstanceOf(GatewayError);
    expect(error).toMatchObject({ source: 'service', status: 422, retryable: false });
    expect(error.body()).toEqual({ field: '5ec4e7' });
    expect(JSON.stringify(error)).not.toContain('5ec4e7');
  });
});

describe('the body of a POST', () => {
  const foreign = (code: string): unknown => vm.runInNewContext(code);
  const FORM = 'application/x-www-form-urlencoded;charset=UTF-8';
  class FormOfAPackage {
    readonly [Symbol.toStringTag] = 'URLSearchParams';
    toString = () => 'a=1';
  }

  it.each<[string, unknown, string | null, string]>([
    ['an object', { a: 1 }, 'application/json', '{"a":1}'],
    ['null', null, 'application/json', 'null'],
    ['nothing', undefined, null, ''],
    ['a string', 'hi', 'text/plain;charset=UTF-8', 'hi'],
    ['bytes', new Uint8Array([104, 105]), null, 'hi'],
    ['a blob', new Blob(['hi'], { type: 'text/csv' }), 'text/csv', 'hi'],
    ['a form', new URLSearchParams({ a: '1' }), FORM, 'a=1'],
    ['a form of another package', new FormOfAPackage(), FORM, 'a=1'],
    ['a stream', new Blob(['hi']).stream(), null, 'hi'],
    ['a foreign ArrayBuffer', foreign('new Uint8Array([104, 105]).buffer'), null, 'hi'],
    ['a foreign date', foreign('new Date(0)'), 'application/json', '"1970-01-01T00:00:00.000Z"'],
  ])('that is %s is sent as what it is, with its type', async (_, body, type, text) => {
    const { service, requests } = serviceWith(json({}));
    await service.post('a', body);
    expect(last(requests).headers.get('Content-Type')).toBe(type);
    expect(await last(requests).text()).toBe(text);
  });

  it.each<[string, unknown]>([
    ['FormData', new UndiciFormData()],
    ['Blob', { [Symbol.toStringTag]: 'Blob', size: 1 }],
    ['Map', new Map([['a', 1]])],
    ['Promise', Promise.resolve({ a: 1 })],
    ['Function', () => {}],
  ])('that is a %s, which this platform cannot send, is refused', async (kind, body) => {
    const { fetch, requests } = fakeFetch(json({}));
    vi.stubGlobal('fetch', fetch);
    onTestFinished(() => void vi.unstubAllGlobals());
    const service = createGatewayClient({ baseUrl: 'https://g.example' }).service('hello');
    const error = await failureOf(service.post('a', body));
    expect(error).toBeInstanceOf(TypeError);
    expect(String(error)).toContain(kind);
    expect(requests).toEqual([]);
  });

  it.each<[string, () => FormData]>([
    ['the platform', () => new FormData()],
    ['undici', () => new UndiciFormData() as never],
  ])("that is a form of %s can be sent with undici's fetch", async (_, create) => {
    let sent = '';
    await using server = await faultServer(async (request, response) => {
      sent = String(Buffer.concat(await request.toArray()));
      serveFaults({})(request, response);
    });
    const form = create();
    form.append('a', 'hello');
    const fetch = (url: string, init: object) => undiciFetch(url, init) as Promise<never>;
    await createGatewayClient({ baseUrl: server.baseUrl, fetch }).service('hello').post('a', form);
    expect(sent).toContain('name="a"\r\n\r\nhello');
  });

  it.each<[string, object]>([
    ['a stream', new Blob(['hi']).stream()],
    ['a Blob', new Blob(['hi'])],
    ['a form', new FormData()],
  ])('that is %s is left as it is', async (_, body) => {
    const { service } = serviceWith(json({}));
    await service.post('a', body);
    expect(Reflect.ownKeys(body)).not.toContain('toString');
  });

  it('that is a stream that was read is refused', async () => {
    const { service, requests } = serviceWith(json({}));
    const stream = new Blob(['hi']).stream();
    await new Response(stream).text();
    const error = await failureOf(service.post('a', stream));
    expect(error).toEqual(new TypeError('The stream has already been read.'));
    expect(requests).toEqual([]);
  });
});

describe('a redirect of a service', () => {
  it.each([302, 307])('is not followed: %i is the error of the call', async (status) => {
    const headers = { location: '/v1/cloudrun/other', 'x-svc-upstream-status-code': `${status}` };
    await using server = await faultServer((_, response) =>
      response.writeHead(status, headers).end('moved'),
    );
    const gateway = createGatewayClient({ baseUrl: server.baseUrl, auth: bearer('5ec.4e7') });
    const service = gateway.service('hello');
    const error = {
      name: 'GatewayError',
      source: 'service',
      status,
      retryable: false,
      message: expect.stringContaining('The hosted service returned a redirect'),
    };
    expect(await failureOf(service.get('a'))).toMatchObject(error);
    expect(await failureOf(service.post('a', 'body'))).toMatchObject(error);
    expect(await failureOf(service.events('a').next())).toMatchObject(error);
    expect((await service.request('a')).status).toBe(status);
    const params = { path: { name: 'hello' } };
    const result = await gateway.POST('/v1/cloudrun/{name}', { params, body: {} });
    expect(result.response.status).toBe(status);
    expect(server.calls).toHaveLength(5);
  });

  it('that a browser hides is an error that explains it, and is not retried', async () => {
    // Pages can only read `type` and `status: 0` of such a response (Fetch, section 3.6).
    const hidden = Object.defineProperties(new Response(null), {
      type: { value: 'opaqueredirect' },
      ok: { value: false },
      status: { value: 0 },
    });
    let count = 0;
    const fetch = async () => {
      count += 1;
      return hidden;
    };
    const service = createGatewayClient({ baseUrl: 'https://g.example', fetch }).service('hello');
    const expected = {
      name: 'GatewayError',
      source: 'service',
      status: 0,
      message: expect.stringContaining('a redirect, which browsers hide'),
    };
    expect(await failureOf(service.get('a'))).toMatchObject(expected);
    expect(await failureOf(service.request('a'))).toMatchObject(expected);
    expect(count).toBe(2);
  });
});

it('a stream is never sent as the text that a platform without such bodies makes of it', async () => {
  const { fetch, requests } = fakeFetch(json({}));
  vi.stubGlobal('fetch', fetch);
  vi.stubGlobal(
    'Request',
    class extends Request {
      constructor(url: string, init: RequestInit) {
        // What WebIDL turns an unknown type of body into.
        super(url, { ...init, body: `${init.body}` });
      }
    },
  );
  onTestFinished(() => void vi.unstubAllGlobals());
  const service = createGatewayClient({ baseUrl: 'https://g.example' }).service('hello');
  const error = await failureOf(service.post('a', new ReadableStream()));
  expect(error).toEqual(
    new TypeError('This platform cannot send a ReadableStream: pass a Blob or bytes.'),
  );
  expect(requests).toEqual([]);
});

it('a failed fetch is a NetworkError with the innermost reason', async () => {
  const cause = Object.assign(new Error('connect ECONNREFUSED'), { code: 'ECONNREFUSED' });
  const failed = new TypeError('fetch failed', { cause });
  const error = (await failureOf(serviceWith(failed).service.get('a?s=1'))) as Error;
  expect(error.message).toBe('No response: connect ECONNREFUSED (GET /v1/cloudrun/hello/a)');
  expect(error.cause).toBe(failed);
});
