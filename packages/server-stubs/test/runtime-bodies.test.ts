import { Readable } from 'node:stream';
import { text as readText } from 'node:stream/consumers';
import type { Content, Handler, RequestLimits } from '@berth/server-stubs/runtime';
import { createTableRouter } from '@berth/server-stubs/runtime';
import { describe, expect, it } from 'vitest';
import { send } from './support/send.ts';
import { serve } from './support/serve.ts';
import { ANY_JSON, toTable } from './support/to-table.ts';

const echo: Handler = ({ body, contentType }) => ({ status: 200, body: { body, contentType } });

function start(content: readonly Content[], requests: RequestLimits = {}, rest = {}) {
  const body = { required: true, content, ...rest };
  const table = toTable([{ path: '/', method: 'POST', body }]);
  return serve(createTableRouter(table, { operation: echo }, { requests }));
}

function post(base: string, type: string | undefined, body: string | Uint8Array, headers = {}) {
  return send(base, '/', {
    method: 'POST',
    headers: { ...(type !== undefined && { 'content-type': type }), ...headers },
    body,
  });
}

const detailOf = (response: { text: string }) => JSON.parse(response.text).detail;

it('a transfer coding in addition to chunks is rejected, because nobody would decode it', async () => {
  const base = await start([{ mediaType: '*/*', kind: 'binary' }, ANY_JSON]);
  for (const type of ['application/json', 'image/png']) {
    const response = await post(base, type, '{}', { 'transfer-encoding': 'gzip, chunked' });
    expect([response.status, detailOf(response)]).toEqual([
      400,
      'The Transfer-Encoding is not supported: send chunks without another coding.',
    ]);
  }
});

it.each([
  [400, ['200', '400']],
  [422, ['400', '422']],
])('an invalid body gets %i if the document has %j', async (status, documented) => {
  const responses = documented.map((each) => ({ status: each, content: [] }));
  const body = { required: true, content: [ANY_JSON] };
  const table = toTable([{ path: '/', method: 'POST', body, responses }]);
  const base = await serve(createTableRouter(table, { operation: echo }));
  expect((await post(base, 'application/json', '{')).status).toBe(status);
});

it('a media type without a slash matches no range', async () => {
  const base = await start([{ mediaType: 'text/*', kind: 'text' }]);
  expect((await post(base, 'texts', 'a')).status).toBe(415);
  expect((await post(base, 'text/x', 'a')).status).toBe(200);
});

describe('JSON', () => {
  const TYPE = 'application/json';
  it.each([
    [TYPE, '{"a":1}', { a: 1 }],
    ['Application/JSON; charset=UTF-8', '{"a":"中"}', { a: '中' }],
    ['application/json; charset=', '{"a":1}', { a: 1 }],
    [TYPE, '\ufeff[]', []],
    [TYPE, 'null', null],
    [TYPE, '{"constructor":{},"a":["__proto__"]}', { constructor: {}, a: ['__proto__'] }],
    [TYPE, `["${'['.repeat(500)}\\"[{","\\\\"]`, [`${'['.repeat(500)}"[{`, '\\']],
  ])('%s %s is read', async (type, body, expected) => {
    const response = await post(await start([ANY_JSON]), type, body);
    expect(response.json).toEqual({ body: expected, contentType: TYPE });
  });

  it.each([
    [TYPE, '{"a":', 400, /^The JSON body cannot be read/],
    [TYPE, Buffer.from([0x22, 0xff, 0x22]), 400, /not valid UTF-8/],
    [TYPE, '', 400, /^The request body is missing/],
    [TYPE, '{"__proto__":{"x":1}}', 400, /forbidden key __proto__/],
    [TYPE, '[{"\\u005f_proto__":1}]', 400, /forbidden key __proto__/],
    [TYPE, '{"constructor":{"prototype":{}}}', 400, /forbidden key/],
    [TYPE, `${'['.repeat(65)}${']'.repeat(65)}`, 400, /deeper than 64 levels/],
    [TYPE, '['.repeat(100_000), 400, /^The JSON body cannot be read/],
    ['application/json; charset=utf-16', '{}', 415, /charset utf-16/],
    ['text/plain', '{}', 415, /send one of application\/json/],
    [undefined, '{}', 415, /^Content-Type is missing/],
  ])('%s %s is rejected', async (type, body, status, detail) => {
    const response = await post(await start([ANY_JSON]), type, body);
    expect(response.status).toBe(status);
    expect(detailOf(response)).toMatch(detail);
    expect(response.headers['content-type']).toBe('application/problem+json');
  });

  it('enforces the limit of bytes, announced or not', async () => {
    const base = await start([ANY_JSON], { bodyBytes: 10 });
    const exact = await post(base, TYPE, '"12345678"');
    expect(exact.status).toBe(200);
    const long = await post(base, TYPE, '"123456789"');
    expect(long.status).toBe(413);
    expect(detailOf(long)).toBe('The request body is larger than 10 bytes.');
    const headers = { 'content-type': TYPE };
    const body = Readable.from(['"12345', '6789"']);
    const chunked = await send(base, '/', { method: 'POST', headers, body });
    expect(chunked.status).toBe(413);
  });
});

describe('text and forms', () => {
  const text: Content = { mediaType: 'text/*', kind: 'text' };
  const form: Content = { mediaType: 'application/x-www-form-urlencoded', kind: 'form' };

  it.each([
    ['text/plain', Buffer.from('é'), 'é'],
    ['text/csv; charset="UTF-8"', Buffer.from('é'), 'é'],
    ['text/plain', '', ''],
  ])('%s is decoded', async (type, bytes, expected) => {
    const base = await start([text], {}, { required: false });
    const response = await post(base, type, bytes);
    const body = expected === '' ? undefined : expected;
    expect((response.json as { body: string }).body).toBe(body);
  });

  it.each([
    ['application/json', 400],
    ['text/csv', 200],
    ['image/png', 200],
  ])('an empty %s is %i if a body is required', async (type, status) => {
    const png: Content = { mediaType: 'image/png', kind: 'binary' };
    const table = toTable([
      { path: '/', method: 'POST', body: { required: true, content: [text, png, ANY_JSON] } },
    ]);
    const read: Handler = async ({ body }) => {
      return { status: 200, body: typeof body === 'string' ? body : await readText(body) };
    };
    const base = await serve(createTableRouter(table, { operation: read }));
    expect(await post(base, type, '')).toMatchObject(
      status === 200 ? { status, json: '' } : { status },
    );
  });

  it('reads a form', async () => {
    const base = await start([form]);
    const response = await post(base, form.mediaType, 'a=1&b=x+y&b=%E4%B8%AD&__proto__=1');
    expect(response.text).toContain('{"a":"1","b":["x y","中"],"__proto__":"1"}');
    // As curl sends it.
    const raw = await post(base, form.mediaType, 'naïve=José+%C3%A9&a=Ã©中');
    expect(raw.json).toHaveProperty('body', { naïve: 'José é', a: 'Ã©中' });
    const empty = await post(base, form.mediaType, '');
    expect(empty.json).toEqual({ body: {}, contentType: form.mediaType });
    expect((await post(base, form.mediaType, 'a&'.repeat(1000))).status).toBe(413);
    expect((await post(base, form.mediaType, 'a=%')).status).toBe(400);
  });
});
