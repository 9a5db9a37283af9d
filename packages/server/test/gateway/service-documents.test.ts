import { once } from 'node:events';
import type { RequestListener } from 'node:http';
import { join } from 'node:path';
import { buffer, text } from 'node:stream/consumers';
import { describe, expect, test } from 'vitest';
import { loadDocument } from '../../src/config/resolve-config.ts';
import type { Judgement } from '../../src/gateway/judge-calls.ts';
import { makeFolder } from '../server/support/start-server.ts';
import { begin, send, startGateway, startService, toService } from './support/start-gateway.ts';

const ORDERS = `
openapi: 3.1.1
info: { title: Orders, version: 1.0.0 }
paths:
  /items/{id}:
    get:
      parameters: [{ name: id, in: path, required: true, schema: { type: integer } }]
      responses:
        '200': { description: ok, content: { application/json: { schema: { $ref: '#/components/schemas/Item' } } } }
  /items:
    post:
      requestBody: { required: true, content: { application/json: { schema: { $ref: '#/components/schemas/Item' } } } }
      responses:
        '201': { description: ok }
  /events:
    get:
      responses:
        '200': { description: ok, content: { text/event-stream: { schema: { type: string } } } }
    put:
      responses:
        '204': { description: ok }
components:
  schemas:
    Item: { type: object, required: [name], properties: { name: { type: string } } }
`;

type Responses = 'off' | 'report' | 'refuse';

/** A gateway to a service with a document, and what it judged. */
async function start(listener: RequestListener, responses: Responses = 'off') {
  const { origin } = await startService(listener);
  const folder = await makeFolder({ 'orders.openapi.yaml': ORDERS });
  const { judge } = await loadDocument(join(folder, 'orders.openapi.yaml'));
  const judgements: Judgement[] = [];
  const service = toService([origin], { name: 'orders', contract: { judge, responses } });
  const { base } = await startGateway([service], {
    onJudgement: (judgement) => judgements.push(judgement),
  });
  const verdicts = () => judgements.map(({ direction, verdict }) => `${direction} ${verdict}`);
  const call = (path: string, sent = {}) => send(base, `/v1/cloudrun/orders${path}`, sent);
  return { base, call, judgements, verdicts };
}

const JSON_TYPE = { 'content-type': 'application/json' };

const json =
  (body: string, status = 200): RequestListener =>
  (_, response) =>
    response.writeHead(status, JSON_TYPE).end(body);

/** Sends back the size of what has arrived. */
const measure: RequestListener = async (request, response) => {
  const { length } = await buffer(request);
  response.writeHead(201, { 'x-size': length }).end();
};

const post = (body: unknown) => ({ method: 'POST', headers: JSON_TYPE, body });

describe('requests', () => {
  test.each([
    ['/items/x', {}, 400, 'INVALID_REQUEST', 'path.id must be an integer.'],
    ['/items', post('{}'), 400, 'INVALID_REQUEST', 'body.name is missing.'],
    ['/items', post('{'), 400, 'INVALID_REQUEST', 'The JSON body cannot be parsed'],
    ['/items', post(undefined), 400, 'INVALID_REQUEST', 'The request body is missing.'],
    [
      '/none?x=1',
      {},
      404,
      'INVALID_PATH',
      'The OpenAPI document of the service orders has no path /none.',
    ],
    [
      '/items',
      {},
      405,
      'METHOD_NOT_ALLOWED',
      'The OpenAPI document of the service orders has no GET /items.',
    ],
  ])('%s %j is refused with %i %s', async (path, sent, status, code, message) => {
    let calls = 0;
    const { call, verdicts } = await start(() => {
      calls += 1;
    });
    const response = await call(path, sent);
    expect(response).toMatchObject({ status, code });
    expect(response.text).toContain(message);
    expect(verdicts()).toEqual(['request invalid']);
    expect(calls).toBe(0);
  });

  test('the methods that the gateway forwards are in Allow', async () => {
    const { call } = await start(measure);
    const { headers } = await call('/events', post('{}'));
    expect(headers.allow).toBe('GET, HEAD');
  });

  test('valid ones arrive byte for byte', async () => {
    const seen: string[] = [];
    const { call, verdicts } = await start(async (request, response) => {
      seen.push(request.url as string, await text(request));
      response.writeHead(201).end();
    });
    const body = '{ "name":\t"Rope" }';
    expect((await call('/items?a=%2F', post(body))).status).toBe(201);
    expect((await call('/items', post([body.slice(0, 5), body.slice(5)]))).status).toBe(201);
    expect(seen).toEqual(['/items?a=%2F', body, '/items', body]);
    expect(verdicts()).toEqual(['request valid', 'request valid']);
  });

  test.each(['with', 'without'])(
    'large bodies %s a length are streamed without validation',
    async (kind) => {
      const { call, verdicts } = await start(measure);
      const chunk = Buffer.alloc(200_000, ' ');
      const chunks = Array.from({ length: 8 }, () => chunk);
      const body = kind === 'with' ? Buffer.concat(chunks) : chunks;
      const response = await call('/items', post(body));
      expect(response).toMatchObject({ status: 201, headers: { 'x-size': '1600000' } });
      expect(verdicts()).toEqual(['request unjudged']);
    },
  );
});

describe('responses', () => {
  test('are not validated by default', async () => {
    const { call, verdicts } = await start(json('{}'));
    expect((await call('/items/1')).status).toBe(200);
    expect(verdicts()).toEqual(['request valid']);
  });

  test.each([
    ['{}', 200, 'response.body.name is missing.'],
    ['{', 200, 'The body is not valid JSON.'],
    ['{}', 404, 'The status 404 is not documented.'],
  ])('%s with %i is reported, or refused', async (body, status, message) => {
    const reported = await start(json(body, status), 'report');
    expect(await reported.call('/items/1')).toMatchObject({ status, text: body });
    expect(reported.judgements[1]).toMatchObject({ env: 'dev', service: 'orders', message });

    const refused = await start(json(body, status), 'refuse');
    expect(await refused.call('/items/1')).toMatchObject({ status: 502, code: 'BAD_GATEWAY' });
    expect(refused.judgements[1]).toMatchObject({ verdict: 'invalid', message });
    // The service is alive: it is still called.
    expect(await refused.call('/items/1')).toMatchObject({ status: 502, code: 'BAD_GATEWAY' });
    expect(refused.verdicts()).toHaveLength(4);
  });

  test.each(['report', 'refuse'] as const)('valid ones pass unchanged (%s)', async (responses) => {
    const body = `{"name": "${'x'.repeat(300_000)}"}`;
    const { call, verdicts } = await start(json(body), responses);
    expect(await call('/items/1')).toMatchObject({ status: 200, text: body });
    expect(verdicts()).toEqual(['request valid', 'response valid']);
  });

  test('large ones are streamed without validation', async () => {
    const chunk = Buffer.alloc(200_000, ' ');
    const { call, verdicts } = await start((_, response) => {
      response.writeHead(200, JSON_TYPE);
      for (let count = 0; count < 8; count += 1) response.write(chunk);
      response.end('{}');
    }, 'refuse');
    expect((await call('/items/1')).bytes).toHaveLength(1_600_002);
    expect(verdicts()).toEqual(['request valid', 'response unjudged']);
  });

  test('events arrive while the stream is open', async () => {
    const { base, verdicts } = await start((_, response) => {
      response.writeHead(200, { 'content-type': 'text/event-stream' }).write('data: 1\n\n');
    }, 'refuse');
    const response = await begin(base, '/v1/cloudrun/orders/events');
    const [first] = (await once(response, 'data')) as [Buffer];
    expect(String(first)).toBe('data: 1\n\n');
    expect(verdicts()).toEqual(['request valid', 'response unjudged']);
    response.destroy();
  });

  test('a held response that is interrupted becomes a BAD_GATEWAY', async () => {
    const { call } = await start((_, response) => {
      response.writeHead(200, JSON_TYPE).write('{"name"', () => response.destroy());
    }, 'refuse');
    expect(await call('/items/1')).toMatchObject({ status: 502, code: 'BAD_GATEWAY' });
  });
});
