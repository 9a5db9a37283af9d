import { createReadStream } from 'node:fs';
import { Readable } from 'node:stream';
import vm from 'node:vm';
import { type BerthError, bearer, type GatewayAuth } from '@berth/client';
import { describe, expect, it, vi } from 'vitest';
import * as z from 'zod';
import { failureOf, gatewayAt, gatewayWith, serviceAt, storageAt } from './support/clients.ts';
import { json } from './support/responses.ts';
import { serve, startServer } from './support/servers.ts';

const JSON_TYPE = 'application/json';
const LATIN = 'text/plain; charset=iso-8859-1';

describe('a payload', () => {
  const VENDOR = 'application/vnd.x+json; charset=utf-8';
  /** Returns a body in pieces of one byte, which splits characters. */
  const inPieces = (body: string | Buffer, type: string) => () => {
    const pieces = Array.from(Buffer.from(body), (byte) => Buffer.of(byte));
    const init = { headers: type ? { 'Content-Type': type } : {} };
    return new Response(Readable.from(pieces) as never, init);
  };

  it.each<[string, () => Response, unknown]>([
    ['JSON', inPieces('{"a":["中"]}', JSON_TYPE), { a: ['中'] }],
    ['JSON of a vendor', inPieces('[1]', VENDOR), [1]],
    ['JSON with a BOM', inPieces('\uFEFF{"a":1}', JSON_TYPE), { a: 1 }],
    ['JSON null', inPieces('null', JSON_TYPE), null],
    ['text', inPieces('[中]', 'text/plain'), '[中]'],
    ['Latin-1 text', inPieces(Buffer.from('é', 'latin1'), LATIN), 'é'],
    ['text with an unknown charset', inPieces('é', 'text/plain; charset="x-none"'), 'é'],
    ['a sequence of JSON texts', inPieces('\x1E[1]\n', 'application/json-seq'), '\x1E[1]\n'],
    ['text without a media type', inPieces('a', ''), 'a'],
    ['no bytes', inPieces('', JSON_TYPE), undefined],
    ['status 204', () => new Response(null, { status: 204 }), undefined],
    ['status 205', () => new Response(null, { status: 205 }), undefined],
  ])('CL-PAYLOAD: of %s is read', async (_, respond, expected) => {
    const { service } = gatewayWith([respond(), respond()]);
    expect(await service.get('a')).toEqual(expected);
    expect(await service.post('a', {})).toEqual(expected);
  });

  it.each(['{"a":', ' ', 'a'])('CL-ERROR-JSON: of invalid JSON is an error: %j', async (text) => {
    const respond = inPieces(text, JSON_TYPE);
    const { gateway, service } = gatewayWith([respond(), respond()]);
    const raw = gateway.GET('/v1/cloudrun/{name}', { params: { path: { name: 'x' } } });
    const error = { kind: 'contract', status: 200, retryable: false };
    const failures = [service.get('a'), raw].map(failureOf);
    expect(await Promise.all(failures)).toMatchObject([error, error]);
  });

  it('is changed by a schema, or rejected with all its issues', async () => {
    const schema = z.object({ name: z.string(), tags: z.array(z.number()).default([]) });
    const wrong = json({ name: 1, tags: ['x'] }, { headers: { 'X-Request-Id': 'r-1' } });
    const { service } = gatewayWith([json({ name: 'Ada' }), wrong]);
    expect(await service.get('u', { schema })).toEqual({ name: 'Ada', tags: [] });
    await expect(service.post('u', {}, { schema })).rejects.toMatchObject({
      kind: 'contract',
      requestId: 'r-1',
      message: expect.stringContaining('name: Invalid input'),
      issues: [{ path: ['name'] }, { path: ['tags', 0] }],
    });
  });
});

it.each<[string, string | Uint8Array<ArrayBuffer>, string, unknown]>([
  ['JSON null', 'null', JSON_TYPE, null],
  ['Latin-1 text', Uint8Array.of(0xe9), LATIN, 'é'],
  ['half a character', Uint8Array.of(0x61, 0xc3), 'text/plain', 'a\uFFFD'],
])('the body of an error, %s, is the same from each method', async (_, text, type, expected) => {
  for (const length of ['', String(text.length)]) {
    const headers = { 'Content-Type': type, ...(length && { 'Content-Length': length }) };
    const respond = () => new Response(text, { status: 500, headers });
    const { service } = gatewayWith([respond(), respond(), respond()]);
    for (const call of [service.get('a'), service.post('a'), service.events('a').next()]) {
      const error = (await failureOf(call)) as BerthError;
      expect(error.body).toBe(expected);
    }
  }
});

describe('the body of a POST', () => {
  it.each([
    ['ArrayBuffer', 'new Uint8Array([104, 105]).buffer', null, 'hi'],
    ['date', 'new Date(0)', JSON_TYPE, '"1970-01-01T00:00:00.000Z"'],
  ])('may be a %s of another realm, with another media type', async (_, code, type, text) => {
    const body: unknown = vm.runInNewContext(code);
    const { service, requests } = gatewayWith([json({}), json({})]);
    await service.post('a', body);
    expect(requests[0]?.headers.get('Content-Type')).toBe(type);
    expect(await requests[0]?.text()).toBe(text);
    await service.request('a', { method: 'POST', body, headers: { 'Content-Type': 'x/y' } });
    expect(requests[1]?.headers.get('Content-Type')).toBe('x/y');
  });

  const FORM = 'application/x-www-form-urlencoded;charset=UTF-8';
  it.each([
    ['hello', 'text/plain;charset=UTF-8'],
    [new Blob(['a'], { type: 'x/y' }), 'x/y'],
    [new URLSearchParams('a=1'), FORM],
    [new Uint8Array(1), undefined],
  ])('is signed with its media type: %o', async (body, type) => {
    const authorize = vi.fn<GatewayAuth['authorize']>(() => undefined);
    const responses = [json({}), json({}), json({})];
    const { gateway, service } = gatewayWith(responses, { auth: { authorize } });
    await service.post('a', body);
    await service.request('a', { method: 'POST', body });
    await gateway.fetch(service.url, { method: 'POST', body });
    const types = authorize.mock.calls.map(([{ headers }]) => headers['content-type']);
    expect(types).toEqual(Array(3).fill(type));
  });

  it('has the media type of the headers of the client', async () => {
    const headers = { 'Content-Type': 'application/xml' };
    const responses = Array.from({ length: 4 }, () => json({}));
    const { service, requests } = gatewayWith(responses, { headers });
    await service.post('a', '<a/>');
    await service.post('a', new Blob(['<a/>']));
    await service.post('a', { a: 1 });
    await service.request('a', { method: 'POST', body: '<a/>' });
    const types = requests.map((request) => request.headers.get('Content-Type'));
    expect(types).toEqual(Array(4).fill('application/xml'));
  });

  it('is closed if it is a Node stream and the call fails before it is sent', async () => {
    const { gateway, service } = gatewayWith([]);
    const signal = AbortSignal.abort();
    const calls: ((body: Readable) => Promise<unknown>)[] = [
      (body) => service.post('../x', body),
      (body) => service.post('a', body, { signal }),
      (body) => service.request('../x', { method: 'POST', body }),
      (body) => service.request('a', { method: 'POST', body, signal }),
      (body) => gateway.fetch(service.url, { method: 'POST', body: body as never, signal }),
    ];
    for (const call of calls) {
      const file = createReadStream(import.meta.filename);
      await failureOf(call(file));
      expect(file.destroyed).toBe(true);
    }
  });

  it('fails the call if it is a Node stream that cannot be opened', async () => {
    await using server = await startServer(serve({}));
    const body = createReadStream('/does/not/exist');
    const authorize = () =>
      new Promise<undefined>((resolve) => body.on('close', () => resolve(undefined)));
    const gateway = gatewayAt(server.url, { auth: { authorize } });
    const init = { method: 'POST', body: body as never };
    const call = gateway.fetch(`${server.url}/v1/cloudrun/x`, init);
    await expect(call).rejects.toMatchObject({ kind: 'network' });
    const post = serviceAt(server.url).post('a', createReadStream('/does/not/exist'));
    await expect(post).rejects.toMatchObject({ kind: 'network' });
  });
});

it.each([301, 302, 303, 304, 307, 308])('CL-REDIRECT-CREDENTIALS: not after %d', async (status) => {
  await using elsewhere = await startServer(serve({}));
  const Location = `${elsewhere.url}/v1/cloudrun/x`;
  await using server = await startServer(serve({}, status, { Location }));
  const gateway = gatewayAt(server.url, { auth: bearer('t') });
  const service = gateway.service('x');
  const failure = status === 304 ? 'an error (' : 'a redirect, which is not followed (';
  const message = expect.stringContaining(`The service returned ${failure}`);
  const error = { kind: 'service', status, retryable: false, message };
  for (const call of [service.get('a'), service.post('a', 'b'), service.events('a').next()]) {
    expect(await failureOf(call)).toMatchObject(error);
  }
  expect((await service.request('a')).status).toBe(status);
  expect((await gateway.fetch(`${service.url}/a`)).status).toBe(status);
  const params = { path: { name: 'x' } };
  const { response } = await gateway.GET('/v1/cloudrun/{name}', { params });
  expect(response.status).toBe(status);
  const storage = storageAt(server.url);
  for (const call of [storage.delete('a'), storage.tempUrl('a')]) {
    expect(await failureOf(call)).toMatchObject({ kind: 'storage', status });
  }
  expect([server.calls.length, elsewhere.calls.length]).toEqual([8, 0]);
});
