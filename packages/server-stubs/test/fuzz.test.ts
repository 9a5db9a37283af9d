import { once } from 'node:events';
import { connect } from 'node:net';
import { text } from 'node:stream/consumers';
import { createGatewayRouter, createStorageRouter, createUploadRouter } from '@berth/server-stubs';
import { createTableRouter, type Handler } from '@berth/server-stubs/runtime';
import { expect, it } from 'vitest';
import { loadRoutes } from '../generator/document.ts';
import { features } from './corpus/documents.ts';
import { createRandom, pick } from './corpus/random.ts';
import { serve } from './support/serve.ts';

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
  ['/api/v1/pets?limit=5&tags=a&tags=b&filter[age]=1&created[gt]=2&where={%22field%22:%22a%22}'],
  ['/api/v1/pets', 'application/json', '{"petType":"cat","name":"a","claws":1,"password":"b"}'],
  ['/api/v1/pets', 'text/csv; charset=utf-8', 'name,'],
  ['/api/v1/forms', 'application/x-www-form-urlencoded', 'count=1&names=a&b=2&b=%E4%B8%AD'],
  ['/api/v1/schemas', 'application/json', '{"tree":{"value":1},"both":{"name":"a","age":1}}'],
  ['/', FORM, `${PART}"key"\r\n\r\na\r\n${PART}"file"; filename="f"\r\n\r\nb\r\n--xx--\r\n`],
];

const words = (text: string) => text.trim().split(/\s+/);
const METHODS = words('GET POST PUT HEAD OPTIONS DELETE TRACE QUERY get');
const HEADERS =
  words(`Content-Type Content-Length Content-Encoding Transfer-Encoding Expect Authorization
  X-Svc-Authorization X-Svc-TimeStamp Cookie Host X-Trace Origin Upgrade __proto__`);
const TARGETS =
  words(`/.. /. /%2e%2e /%zz /%c3%28 /%00 /%2F /__proto__ /constructor /; //x ? ?? # * http://[::1 x
  ?__proto__[x]=1 ?filter[__proto__]=1 ?filter[a][b]=1 ?filter[=1 ?limit=1&limit=2 ?limit=1e999 ?limit=%
  ?where=%7B ?where={"__proto__":1} ?tags=%c3%28 ?created=||| ?&&&=%=%`);
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
async function start(onError: (error: unknown) => void): Promise<string> {
  const storage = createStorageRouter(
    {
      batchDelete: ({ fileList }) => ({
        fileList: fileList.map((fileID) => ({ fileID, code: '' })),
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
  const { routes } = await loadRoutes(features);
  const echo: Handler = (input) => ({ status: 200, body: { ...input } });
  const everything = createTableRouter(
    routes,
    { listPets: echo, 'create pet': echo, submitForm: echo, validateEverything: echo },
    {
      security: { bearer: (token) => token, key: (key) => key },
      requests: { bodyBytes: 50_000 },
      onError,
    },
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
async function attack(port: string, bytes: string, isComplete: boolean): Promise<string> {
  const socket = connect({ port: Number(port), host: '127.0.0.1', allowHalfOpen: true });
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
  const { port } = new URL(await start((error) => errors.push(error)));
  const wrong: object[] = [];
  let successes = 0;
  const run = async (first: number) => {
    for (let index = first; index < REQUESTS; index += 16) {
      const { text: request, isComplete } = createHostileRequest(index);
      const received = await attack(port, request, isComplete);
      const lines = received.matchAll(/^HTTP\/1\.1 (\d{3})/gm);
      const statuses = Array.from(lines, ([, code]) => Number(code));
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
