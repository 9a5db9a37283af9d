import { cp, mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { createGatewayClient, type GatewayClientOptions, toGatewayError } from '@berth/client';
import { describe, expect, it } from 'vitest';
import { newFolder, runCli } from '../cli/support/run-cli.ts';
import { failureOf, fakeFetch, json } from '../support/fake-fetch.ts';
import type { Services } from './generated/services.gen.ts';
import { validators } from './generated/services.validators.gen.ts';

const FILE = join(import.meta.dirname, 'orders.openapi.yaml');

function ordersWith(...responses: (Response | Error)[]) {
  const { fetch, requests } = fakeFetch(...responses);
  const options: GatewayClientOptions = {
    baseUrl: 'https://g.example',
    fetch,
    retry: { baseDelay: 1 },
  };
  return { orders: createGatewayClient<Services>(options).service('orders'), requests };
}

const ITEM = { id: 42, name: 'Anchor' };

describe("calls typed by the service's document", () => {
  it('fill in path and query parameters', async () => {
    const { orders, requests } = ordersWith(json([ITEM]), json(ITEM));
    const { data } = await orders.GET('/items', { params: { query: { limit: 2 } } });
    expect(data?.[0]?.name).toBe('Anchor');
    await orders.GET('/items/{id}', { params: { path: { id: 42 } } });
    expect(requests.map(({ url }) => url)).toEqual([
      'https://g.example/v1/cloudrun/orders/items?limit=2',
      'https://g.example/v1/cloudrun/orders/items/42',
    ]);
  });

  it('return errors from the service and from the gateway', async () => {
    const { orders } = ordersWith(
      json(
        { problems: ['name'] },
        { status: 422, headers: { 'X-Svc-Upstream-Status-Code': '422' } },
      ),
      json(
        { code: 'SERVICE_NOT_FOUND', message: 'No.', requestId: 'r' },
        { status: 404, headers: { 'X-Request-Id': 'r' } },
      ),
    );
    const refused = await orders.POST('/items', { body: ITEM });
    expect(refused.error).toEqual({ problems: ['name'] });
    expect(toGatewayError(refused)).toMatchObject({ source: 'service', status: 422 });
    const missing = await orders.POST('/items', { body: ITEM });
    expect(toGatewayError(missing)).toMatchObject({ source: 'gateway', code: 'SERVICE_NOT_FOUND' });
  });

  it.each<[string, unknown]>([
    ['missing', {}],
    ['empty', { path: { id: '' } }],
    ['rewritten by fetch', { path: { id: '..' } }],
  ])('reject a path parameter that is %s', async (_, params) => {
    const { orders, requests } = ordersWith();
    const call = orders.GET('/items/{id}', { params: params as never });
    expect(await failureOf(call)).toBeInstanceOf(TypeError);
    expect(requests).toEqual([]);
  });

  const stream = (text: string) =>
    new Response(text, { headers: { 'Content-Type': 'text/event-stream' } });

  it('parse the JSON in events', async () => {
    const { orders, requests } = ordersWith(
      stream('event: price\ndata: {"price":3.5}\n\ndata: no\n\n'),
    );
    const events = orders.EVENTS('/items/{id}/prices', {
      params: { path: { id: 42 } },
      reconnect: false,
    });
    const { value } = await events.next();
    expect(value).toEqual({ event: 'price', data: { price: 3.5 }, id: '' });
    expect(requests[0]?.url).toBe('https://g.example/v1/cloudrun/orders/items/42/prices');
    expect(await failureOf(events.next())).toMatchObject({ name: 'ContractError' });
  });

  it('do not compile with a wrong service, path, parameter or body', () => {
    const gateway = createGatewayClient<Services>({ baseUrl: 'https://g.example' });
    const orders = gateway.service('orders');
    // @ts-expect-error: the service is orders
    void (() => gateway.service('order'));
    // @ts-expect-error: the path is /items
    void (() => orders.GET('/item'));
    // @ts-expect-error: params are missing
    void (() => orders.GET('/items/{id}'));
    // @ts-expect-error: an ID is a number
    void (() => orders.GET('/items/{id}', { params: { path: { id: 'a' } } }));
    // @ts-expect-error: the name is missing
    void (() => orders.POST('/items', { body: { id: 1 } }));
    // @ts-expect-error: the gateway does not forward DELETE
    void (() => orders.DELETE('/items/{id}', { params: { path: { id: 1 } } }));
    // @ts-expect-error: the events of the log are text
    void (() => orders.EVENTS('/log'));
    // Services without a document can still be called.
    void (() => createGatewayClient({ baseUrl: 'https://g.example' }).service('any').get('a'));
  });
});

describe('berth types', () => {
  it('writes types for a folder of documents', async () => {
    const cwd = await newFolder();
    await mkdir(join(cwd, 'services'));
    await cp(FILE, join(cwd, 'services/orders.openapi.yaml'));
    const result = await runCli(['types', 'services', '-o', 'src/services.gen.ts'], {}, { cwd });
    expect(result).toEqual({
      code: 0,
      stdout: '',
      stderr: 'Wrote types for orders to src/services.gen.ts.\n',
    });
    const committed = join(import.meta.dirname, 'generated/services.gen.ts');
    expect(await readFile(join(cwd, 'src/services.gen.ts'), 'utf8')).toBe(
      await readFile(committed, 'utf8'),
    );
  });

  it('gives each document its own namespace', async () => {
    const args = ['types', '-s', `a-b=${FILE}`, '--service', `a_b=${FILE}`];
    const { code, stdout } = await runCli(args, {});
    expect(code).toBe(0);
    expect(stdout).toContain('"a-b": a_bService.paths;\n    "a_b": a_bService_.paths;');
  });

  it('writes validators next to the types', async () => {
    const cwd = await newFolder();
    const args = ['types', '-s', `orders=${FILE}`, '-o', 'services.gen.ts', '--validate'];
    const { stderr } = await runCli(args, {}, { cwd });
    expect(stderr).toContain('Wrote validators to services.validators.gen.ts.\n');
    const text = await readFile(join(cwd, 'services.validators.gen.ts'), 'utf8');
    const generated = join(import.meta.dirname, 'generated/services.validators.gen.ts');
    expect(text).toBe(await readFile(generated, 'utf8'));
  });

  it.each([
    ['GET', '/items/{id}', { id: 1 }, 'name: is missing'],
    ['GET', '/items/{id}', { id: 1, name: 2 }, 'name: must be string'],
    ['GET', '/items', [{ id: 1, name: 'a' }, null], '1: must be object'],
    ['POST', '/items', { id: 'a', name: 'a' }, 'id: must be integer'],
  ] as const)('%s %s with %j is a ContractError', async (method, path, payload, message) => {
    const { fetch } = fakeFetch(
      json(payload, { status: method === 'POST' ? 201 : 200 }),
      json(ITEM),
    );
    const gateway = createGatewayClient<Services>({
      baseUrl: 'https://g.example',
      fetch,
      validators,
    });
    const init = { params: { path: { id: 1 } }, ...(method === 'POST' && { body: ITEM }) };
    const call = gateway.service('orders')[method] as (...args: unknown[]) => Promise<unknown>;
    const error = await failureOf(call(path, init));
    expect(error).toMatchObject({ name: 'ContractError' });
    expect((error as Error).message).toContain(`/v1/cloudrun/orders/items`);
    expect((error as Error).message).toContain(message);
  });

  it('passes valid payloads, errors, and what is not parsed', async () => {
    const responses = [json(ITEM), json({ anything: 1 }, { status: 422 }), json({ id: 'a' })];
    const { fetch } = fakeFetch(...responses);
    const gateway = createGatewayClient<Services>({
      baseUrl: 'https://g.example',
      fetch,
      validators,
    });
    const orders = gateway.service('orders');
    const params = { path: { id: 1 } };
    expect((await orders.GET('/items/{id}', { params })).data).toEqual(ITEM);
    expect((await orders.POST('/items', { body: ITEM })).response.status).toBe(422);
    const { data } = await orders.GET('/items/{id}', { params, parseAs: 'text' });
    expect(data).toBe('{"id":"a"}');
  });

  it.each([
    [
      'invalid YAML',
      'openapi: 3.1.0\ninfo: {\n  title: [',
      /^berth: api\.yaml:3:11: Flow sequence/,
    ],
    [
      'Swagger',
      'swagger: "2.0"\n',
      /^berth: api\.yaml:1:1: must be OpenAPI .*, got Swagger 2\.0\n$/,
    ],
    ['a future version', 'openapi: 4.0.0\n', /got 4\.0\.0\n$/],
    ['no object', '- 1\n', /^berth: api\.yaml:1:1: not an OpenAPI document\.\n$/],
    [
      'a missing schema',
      'openapi: 3.1.0\ninfo: { title: a, version: a }\npaths:\n  /a:\n    get:\n      responses:\n        200: { $ref: "#/nothing" }\n',
      /^berth: api\.yaml:7:9: Can't resolve \$ref\n$/m,
    ],
  ])('reports the place of %s', async (_, text, expected) => {
    const cwd = await newFolder();
    await writeFile(join(cwd, 'api.yaml'), text);
    const { code, stderr } = await runCli(['types', '-s', 'api=api.yaml'], {}, { cwd });
    expect(stderr).toMatch(expected);
    expect(code).toBe(2);
  });

  it.each([
    [[], /Pass a folder or file, or use --service\.\n$/],
    [['nothing'], /^berth: Cannot read nothing: /],
    [['.'], /it contains no file named like orders\.openapi\.yaml\.\n$/],
    [['.', '--validate'], /--validate writes a second file, so it needs --output\.\n$/],
    [['-s', 'orders'], /--service must be name=file, got "orders"/],
    [['-s', '7=a.yaml'], /"7" is not a valid hosted service name/],
  ])('refuses %j', async (args, expected) => {
    const { code, stderr } = await runCli(['types', ...args], {}, { cwd: await newFolder() });
    expect(stderr).toMatch(expected);
    expect(code).toBe(2);
  });
});
