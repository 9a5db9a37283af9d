import { once } from 'node:events';
import { connect } from 'node:net';
import { text } from 'node:stream/consumers';
import { createGatewayRouter, createStorageRouter, createUploadRouter } from '@berth/server-stubs';
import { createRouter } from '@berth/server-stubs/runtime';
import { expect, it } from 'vitest';
import { createRandom, pick } from './corpus/random.ts';
import { serve } from './support/serve.ts';
import { ANY_JSON, toParameter, toTable, wants } from './support/to-table.ts';

const SEED = Number(process.env.SEED ?? 20_261_121);
const REQUESTS = 5000;

const STORAGE = '/api/v2/envs/dev/storages';
const ITEM = 'cloud://dev.files/reports/summary.txt';
const FORM = 'multipart/form-data; boundary=xx';
const PART = '--xx\r\nContent-Disposition: form-data; name=';

/** Requests that get a 200, which mutations start from: target, media type and body of a POST. */
const GOOD: readonly (readonly [target: string, type?: string, body?: string])[] = [
  [`${STORAGE}:batchDelete`, 'application/json', `{"data":{"fileList":["${ITEM}"]}}`],
  [`${STORAGE}:batchDelete`, 'application/json', `{"fileList":["${ITEM}"]}`],
  ['/v1/cloudrun/hello/a/b%2Fc//d?x=%E4%B8%AD'],
  ['/v1/cloudrun/hello/a', 'application/json', '{"any":["thing",1,null]}'],
  ['/pets/12/a,b/m=1,n=2/x.y?limit=5&tags=a&tags=b&deep[a]=1&pipe=1,2&json=%7B%7D'],
  ['/everything', 'application/json', '{"name":"a"}'],
  ['/everything', 'application/x-www-form-urlencoded', 'a=1&b=2&b=%E4%B8%AD'],
  ['/everything', 'text/plain; charset=utf-8', 'text'],
  ['/', FORM, `${PART}"key"\r\n\r\na\r\n${PART}"file"; filename="f"\r\n\r\nb\r\n--xx--\r\n`],
];

const words = (text: string) => text.trim().split(/\s+/);
const METHODS = words('GET POST PUT HEAD OPTIONS DELETE TRACE QUERY get');
const HEADERS =
  words(`Content-Type Content-Length Content-Encoding Transfer-Encoding Expect Authorization
  X-Svc-Authorization X-Svc-TimeStamp Cookie Host X-Tags Origin Upgrade __proto__`);
const TARGETS =
  words(`/.. /. /%2e%2e /%zz /%c3%28 /%00 /%2F /__proto__ /constructor /; //x ? ?? # * http://[::1 x
  ?__proto__[x]=1 ?deep[__proto__]=1 ?deep[a][b]=1 ?deep[=1 ?limit=1&limit=2 ?limit=1e999 ?limit=%
  ?json=%7B ?json={"__proto__":1} ?tags=%c3%28 ?pipe=||| ?&&&=%=%`);
TARGETS.push('', `/${'a/'.repeat(5000)}`, `?${'a=1&'.repeat(2500)}`);
const VALUES =
  words(`% Bearer ${'\u00ff\u00fe'} " -1 1e9 null , 0 5 99999 application/json */* ;;; chunked
  100-continue text/plain;charset=klingon multipart/form-data;boundary= application/json;charset=x`);
VALUES.push('', 'TC3-HMAC-SHA256 a=b', 'a'.repeat(9000), 'a=b; c="', 'chunked, gzip');
const BODIES =
  words(`{ [ " null 0 [] {} {"fileList":null} {"fileList":[null]} {"data":null} "\\ud800"
  {"fileList":[],"data":{"fileList":[]}} {"__proto__":{"x":1}} {"\\u005f_proto__":{}} ${'\u00ff\0'}
  {"constructor":{"prototype":{"x":1}}} {"a":1e999} a=1&a=2&%=% --xx --xx--`);
BODIES.push('', '['.repeat(20_000), `${'{"a":'.repeat(3000)}1`, 'a=b&'.repeat(500));
BODIES.push(`{"fileList":["${'x'.repeat(60_000)}"]}`, `${PART}"a"\r\n\r\nb\r\n`.repeat(300));
BODIES.push(`${PART}"a\r\n\r\nb\r\n--xx--`);

/** Creates a hostile request as Latin-1 text, which is always the same for the same number and seed. */
function createHostileRequest(index: number): { text: string; isComplete: boolean } {
  const random = createRandom(SEED + Math.imul(index, 0x9e3779b1));
  const from = <Value>(values: readonly Value[]) => pick(values, random) as Value;
  let [target, type, body = ''] = from(GOOD);
  let method = type === undefined ? 'GET' : 'POST';
  let cut = 0;
  const headers = [
    ['Host', 'dev.example'],
    ['Connection', 'close'],
    ['X-Svc-Authorization', '1.0 a'],
    ['X-Svc-TimeStamp', '1700000000'],
    ['Authorization', 'Bearer token'],
    ...(type === undefined ? [] : [['Content-Type', type]]),
  ] as [string, string][];
  const mutations = [
    () => {
      method = from(METHODS);
    },
    () => {
      target = random() < 0.2 ? from(TARGETS) : target + from(TARGETS);
    },
    () => headers.splice(Math.floor(random() * headers.length), 1),
    () => headers.push([from(HEADERS), from(VALUES)]),
    () => {
      (from(headers) as [string, string])[1] = from(VALUES);
    },
    () => {
      body = from(BODIES);
      if (method === 'GET') method = 'POST';
    },
    () => {
      cut = 1 + Math.floor(random() * 60);
    },
  ];
  for (let count = 1 + Math.floor(random() * 3); count > 0; count -= 1) from(mutations)();
  const isFramed = headers.every(([name]) => !/^(content-length|transfer-enc|expect)/i.test(name));
  if (isFramed && (body !== '' || method === 'POST')) {
    headers.push(['Content-Length', String(body.length)]);
  }
  const head = headers.map(([name, value]) => `${name}: ${value}\r\n`).join('');
  const text = `${method} ${target} HTTP/1.1\r\n${head}\r\n${body}`;
  return { text: cut === 0 ? text : text.slice(0, -cut), isComplete: cut === 0 && isFramed };
}

/** Serves the contract's three routers, and one with every kind of parameter and body. */
function start(onError: (error: unknown) => void): Promise<string> {
  const storage = createStorageRouter(
    {
      batchDelete: ({ fileList }) => ({
        fileList: fileList.map((fileID) => ({ fileID, code: 'SUCCESS' })),
      }),
    },
    { security: { credentials: async () => 'caller' }, onError },
  );
  const upload = createUploadRouter(
    { uploadFile: async ({ file }) => ({ etag: await text(file), location: 'http://a/b' }) },
    { onError },
  );
  const service = { status: 200, headers: { 'content-type': 'text/plain' }, body: 'hello' };
  const gateway = createGatewayRouter(
    { call: async ({ body }) => (body ? { ...service, body: await text(body) } : service) },
    { security: { bearerToken: (token) => token, signature: async () => 'caller' }, onError },
  );
  const QUERY = { in: 'query' } as const;
  const parameters = [
    toParameter({ name: 'id', in: 'path', types: ['integer'] }),
    toParameter({ name: 'l', in: 'path', shape: 'array' }),
    toParameter({ name: 'm', in: 'path', shape: 'object', explode: true }),
    toParameter({ name: 'a', in: 'path' }),
    toParameter({ name: 'b', in: 'path' }),
    toParameter({ ...QUERY, name: 'limit', types: ['integer', 'null'] }),
    toParameter({ ...QUERY, name: 'tags', shape: 'array' }),
    toParameter({ ...QUERY, name: 'deep', style: 'deepObject', shape: 'object' }),
    toParameter({ ...QUERY, name: 'pipe', explode: false, shape: 'array' }),
    toParameter({ ...QUERY, name: 'json', shape: 'json' }),
    toParameter({ name: 'X-Tags', in: 'header', shape: 'array' }),
    toParameter({ name: 'theme', in: 'cookie' }),
  ];
  const content = [
    { ...ANY_JSON, validate: wants('name', 'string') },
    { mediaType: 'application/x-www-form-urlencoded', kind: 'form' as const },
    { mediaType: 'text/*', kind: 'text' as const },
  ];
  const everything = createRouter(
    toTable([
      { path: '/pets/{id}/{l}/{m}/{a}.{b}', operationId: 'read', parameters },
      {
        path: '/everything',
        operationId: 'write',
        method: 'POST',
        body: { required: true, content },
      },
    ]),
    {
      read: (input) => ({ status: 200, body: { ...input } }),
      write: () => ({ status: 200, body: {} }),
    },
    { requests: { bodyBytes: 50_000 }, onError },
  );
  return serve((request, response) =>
    everything(request, response, () =>
      storage(request, response, () => upload(request, response, () => gateway(request, response))),
    ),
  );
}

/**
 * Sends a request on its own connection. A client that ends its side has left, so a complete request waits
 * for its response.
 */
async function attack(port: number, bytes: string, isComplete: boolean): Promise<string> {
  const socket = connect({ port, host: '127.0.0.1', allowHalfOpen: true });
  let received = '';
  socket.on('data', (chunk) => {
    received += chunk.toString('latin1');
    socket.end();
  });
  socket.on('error', () => {});
  socket.once('end', () => socket.destroy());
  socket.write(bytes, 'latin1');
  if (!isComplete) socket.end();
  await once(socket, 'close');
  return received;
}

it(`survives ${REQUESTS} hostile requests (SEED=${SEED})`, { timeout: 600_000 }, async () => {
  const errors: unknown[] = [];
  const port = Number(new URL(await start((error) => errors.push(error))).port);
  const wrong: object[] = [];
  let successes = 0;
  const run = async (first: number) => {
    for (let index = first; index < REQUESTS; index += 16) {
      const { text: request, isComplete } = createHostileRequest(index);
      const received = await attack(port, request, isComplete);
      const statuses = [...received.matchAll(/^HTTP\/1\.1 (\d{3})/gm)].map(([, code]) =>
        Number(code),
      );
      if (statuses.includes(200)) successes += 1;
      const hasStack = /\n\s+at |\.ts:\d|node:internal/.test(received);
      const isSilent = isComplete && statuses.length === 0;
      const hasFailed = statuses.some((status) => status >= 500 && status !== 501);
      if (hasStack || isSilent || hasFailed) {
        wrong.push({ index, request: request.slice(0, 2000), received });
      }
    }
  };
  await Promise.all(Array.from({ length: 16 }, (_, first) => run(first)));
  expect(wrong.slice(0, 5)).toEqual([]);
  expect(errors).toEqual([]);
  expect(successes).toBeGreaterThan(REQUESTS / 20);
});
