import { createReadStream } from 'node:fs';
import { Readable } from 'node:stream';
import vm from 'node:vm';
import { type BerthError, bearer } from '@berth/client';
import { describe, expect, it } from 'vitest';
import * as z from 'zod';
import { failureOf, gatewayAt, gatewayWith, json, serviceAt } from './support/clients.ts';
import { faultServer, serve } from './support/servers.ts';

const JSON_TYPE = 'application/json';

describe('a payload', () => {
  const VENDOR = 'application/vnd.x+json; charset=utf-8';
  const LATIN = 'text/plain; charset=iso-8859-1';
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

  const User = z.object({ name: z.string(), tags: z.array(z.number()).default([]) });

  it('is validated, changed and typed by a schema', async () => {
    const { service } = gatewayWith([json({ name: 'Ada' })]);
    expect(await service.get('u', { schema: User })).toEqual({ name: 'Ada', tags: [] });
  });

  it('that the schema rejects is an error with all its issues', async () => {
    const wrong = json({ name: 1, tags: ['x'] }, { headers: { 'X-Request-Id': 'r-1' } });
    const { service } = gatewayWith([wrong]);
    const error = (await failureOf(service.post('u', {}, { schema: User }))) as BerthError;
    expect(error).toMatchObject({ kind: 'contract', requestId: 'r-1' });
    expect(error.message).toContain('name: Invalid input');
    expect(error.issues.map(({ path }) => path)).toEqual([['name'], ['tags', 0]]);
  });
});

describe('the body of a POST', () => {
  const foreign = (code: string): unknown => vm.runInNewContext(code);
  const FORM = 'application/x-www-form-urlencoded;charset=UTF-8';
  const TEXT = 'text/plain;charset=UTF-8';

  it.each<[string, unknown, string | null, string]>([
    ['CL-JSON-REQUEST: an object', { a: 1, b: null }, JSON_TYPE, '{"a":1,"b":null}'],
    ['null', null, JSON_TYPE, 'null'],
    ['nothing', undefined, null, ''],
    ['a string', 'hi', TEXT, 'hi'],
    ['bytes', new Uint8Array([104, 105]), null, 'hi'],
    ['a blob', new Blob(['hi'], { type: 'text/csv' }), 'text/csv', 'hi'],
    ['a form', new URLSearchParams({ a: '1' }), FORM, 'a=1'],
    ['a stream', new Blob(['hi']).stream(), null, 'hi'],
    ['a foreign ArrayBuffer', foreign('new Uint8Array([104, 105]).buffer'), null, 'hi'],
    ['a foreign date', foreign('new Date(0)'), JSON_TYPE, '"1970-01-01T00:00:00.000Z"'],
  ])('%s is sent as it is, with its media type', async (_, body, type, text) => {
    const { service, requests } = gatewayWith([json({}), json({})]);
    await service.post('a', body);
    const [request] = requests as [Request];
    expect(request.headers.get('Content-Type')).toBe(type);
    expect(await request.text()).toBe(text);
    if (typeof body === 'object' && body && 'getReader' in body) return;
    await service.request('a', { method: 'POST', body, headers: { 'Content-Type': 'x/y' } });
    expect(requests[1]?.headers.get('Content-Type')).toBe('x/y');
  });
});

it('a Node stream that cannot be opened fails the call', async () => {
  await using server = await faultServer(serve({}));
  const call = serviceAt(server.baseUrl).post('a', createReadStream('/does/not/exist'));
  expect(await failureOf(call)).toMatchObject({ kind: 'network' });
});

describe('CL-REDIRECT-CREDENTIALS: a redirect', () => {
  it.each([301, 302, 303, 307, 308])('with status %d is not followed', async (status) => {
    await using elsewhere = await faultServer(serve({}));
    const Location = `${elsewhere.baseUrl}/v1/cloudrun/x`;
    await using server = await faultServer(serve({}, status, { Location }));
    const gateway = gatewayAt(server.baseUrl, { auth: bearer('t') });
    const service = gateway.service('x');
    const message = expect.stringContaining('a redirect, which is not followed');
    const error = { kind: 'service', status, retryable: false, message };
    for (const call of [service.get('a'), service.post('a', 'b'), service.events('a').next()]) {
      expect(await failureOf(call)).toMatchObject(error);
    }
    expect((await service.request('a')).status).toBe(status);
    expect((await gateway.fetch(`${service.url}/a`)).status).toBe(status);
    const params = { path: { name: 'x' } };
    const { response } = await gateway.GET('/v1/cloudrun/{name}', { params });
    expect(response.status).toBe(status);
    expect([server.calls.length, elsewhere.calls.length]).toEqual([6, 0]);
  });
});
