import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, onTestFinished, test } from 'vitest';
import { DOCUMENT_RULE_IDS } from '../../src/document/check-exchange.ts';
import { startSecondServer } from '../second-server/start-second-server.ts';
import { run } from '../support/run.ts';
import { makeTemporaryFolder } from '../support/temporary-folder.ts';
import { problem, startShop } from './start-shop.ts';

const DOCUMENT = fileURLToPath(new URL('shop.openapi.yaml', import.meta.url));
const of = (url: string, ...args: string[]) =>
  run('--document', DOCUMENT, '--url', url, '--seed', '3', ...args);

test('by default, only safe operations are called', async () => {
  await using server = await startShop();
  const { code, output } = await of(server.url);
  expect(code).toBe(0);
  expect(new Set(server.shop.requests.map(({ method }) => method))).toEqual(new Set(['GET']));
  expect(output).toContain('disabled (no --allow-writes): 2');
  expect(output).toMatch(/^coverage \d+ %: 3 of 5 operations, /m);
  const readOnly = await of(server.url, '--allow-writes', '--read-only');
  expect(server.shop.requests.every(({ method }) => method === 'GET')).toBe(true);
  expect(readOnly.output).toContain(
    'disabled (--read-only): DOC-STATUS DELETE /items/{id}, DOC-STATUS POST /items',
  );
});

test('an operation gets at most --max-requests, and the same seed sends the same requests', async () => {
  const urls = async () => {
    await using server = await startShop();
    await of(server.url, '--max-requests', '6', '--only', 'DOC-STATUS');
    return server.shop.requests.map(({ url }) => url).filter((url) => /^\/items(\?|$)/.test(url));
  };
  const first = await urls();
  // One more lists the items for the sequences.
  expect(first.length).toBeLessThanOrEqual(7);
  expect(await urls()).toEqual(first);
});

test('a failing request is shrunk to the smallest one, and shown as curl', async () => {
  await using server = await startShop((reply, { operation, body }) =>
    operation === 'POST /items' && Object(body).tags?.length > 0 ? problem(500) : reply,
  );
  const { code, output } = await of(server.url, '--allow-writes', '--failed-only');
  expect(code).toBe(1);
  expect(output).toContain('fail     DOC-5XX POST /items');
  expect(output).toMatch(/--data-raw '\{"name":"[a-z]","price":0,"tags":\["[a-z]"\]\}'/);
});

test('--min-coverage makes a run incomplete, and reports show what was not covered', async () => {
  await using server = await startShop();
  await using folder = await makeTemporaryFolder();
  const json = join(folder.path, 'r.json');
  const html = join(folder.path, 'r.html');
  const report = `json=${json},html=${html}`;
  const { code, output } = await of(server.url, '--min-coverage', '80', '--report', report);
  expect(code).toBe(3);
  expect(output).toContain('incomplete: the coverage is less than 80 %');
  const { coverage, rules } = JSON.parse(await readFile(json, 'utf8')).extra.berth;
  // The rule set of the contract says nothing about other documents.
  expect(rules).toBeUndefined();
  const { items } = coverage.operations.find(
    (each: { operation: string }) => each.operation === 'GET /items',
  );
  expect(items).toContainEqual({ kind: 'parameters', name: 'query limit', seen: true });
  expect(items).toContainEqual({ kind: 'fields', name: '200 items[].price', seen: true });
  expect(items).toContainEqual({ kind: 'constraints', name: 'query limit maximum', seen: true });
  expect(coverage).toMatchObject({ minimum: 80, kinds: { operations: { seen: 3, total: 5 } } });
  const page = await readFile(html, 'utf8');
  expect(page).toContain('<details id="coverage" class="part"');
  expect(page).toMatch(/@berth\/conformance [\d.]+, seed 3/);
  const { code: enough } = await of(server.url, '--min-coverage', '85', '--allow-writes');
  expect(enough).toBe(0);
});

test('what no run checks is named with the reason, in every report', async () => {
  await using server = await startShop((_, { operation }) => ({
    status: operation.startsWith('POST') ? 201 : 200,
    type: 'text/xml',
    body: '<item/>',
  }));
  await using folder = await makeTemporaryFolder();
  const document = join(folder.path, 'api.yaml');
  const xml = '{ schema: { type: object, required: [id] } }';
  await writeFile(
    document,
    `openapi: 3.2.0
info: { title: Feeds, version: 1.0.0 }
webhooks: { moved: {} }
paths:
  /items:
    parameters: [{ name: q, in: querystring, content: { application/json: {} } }]
    get:
      responses: { '200': { description: '', content: { text/xml: ${xml} } } }
    post:
      requestBody: { content: { text/xml: ${xml}, application/pdf: {} } }
      callbacks: { added: {} }
      responses: { '201': { description: '' } }
`,
  );
  const [json, html, junit] = ['r.json', 'r.html', 'r.xml'].map((name) => join(folder.path, name));
  const { code, output } = await run(
    ...['--document', document, '--url', server.url, '--allow-writes'],
    ...['--report', `json=${json},html=${html},junit=${junit}`],
  );
  expect(output).toContain(
    'not checked: POST /items: request text/xml, GET /items: 200 text/xml: XML bodies are neither sent nor validated',
  );
  expect(code).toBe(0);
  const { coverage } = JSON.parse(await readFile(String(json), 'utf8')).extra.berth;
  expect(coverage.unchecked.map(({ parts }: { parts: string[] }) => parts)).toEqual([
    ['POST /items: request text/xml', 'GET /items: 200 text/xml'],
    ['POST /items: request application/pdf'],
    ['POST /items: querystring q', 'GET /items: querystring q'],
    ['POST /items: added'],
    ['moved'],
  ]);
  expect(await readFile(String(html), 'utf8')).toMatch(
    /<h3>Not checked<\/h3>[\s\S]*Feeds: the suite does not receive webhooks\.[\s\S]*moved/,
  );
  const properties = await readFile(String(junit), 'utf8');
  expect(properties).toContain('<property name="coverage" value="');
  expect(properties).toContain('<property name="coverage.operations" value="2/2"/>');
  expect(properties).toContain(
    '<property name="coverage.unchecked" value="Feeds: moved: the suite does not receive webhooks"/>',
  );
});

test('--header sends credentials, which no report shows', async () => {
  await using server = await startShop((reply, { shop }) => {
    const { authorization } = shop.requests.at(-1) ?? {};
    return authorization === 'Bearer shop-secret'
      ? { ...reply, status: 207, headers: { 'x-a': authorization } }
      : problem(401);
  });
  await using folder = await makeTemporaryFolder();
  const file = join(folder.path, 'r.html');
  const args = ['--header', 'Authorization: Bearer shop-secret', '--report', `html=${file}`];
  const { code, output } = await of(server.url, ...args);
  expect(code).toBe(1);
  expect(output).toContain('-H "Authorization: $AUTHORIZATION"');
  expect(output + (await readFile(file, 'utf8'))).not.toContain('shop-secret');
  const refused = await of(server.url);
  expect(refused.code).toBe(3);
  expect(refused.output).toContain('the target rejected the credentials with 401; see --header');
});

test('--service-document calls the service through the gateway, with its credentials', async () => {
  await using shop = await startShop();
  const gateway = await startSecondServer({ services: { shop: shop.url } });
  onTestFinished(gateway.close);
  const args = ['--gateway-url', gateway.gatewayUrl, '--gateway-host', gateway.gatewayHost];
  const { code, output } = await run(
    ...args,
    ...['--service-document', `shop=${DOCUMENT}`, '--gateway-token', gateway.token],
    ...['--allow-writes', '--max-requests', '6'],
  );
  expect(output).toContain('pass     DOC-SCHEMA shop GET /items/{id}');
  expect(output).toContain('pass     DOC-SEQUENCE shop POST /items');
  expect(output).toContain(
    'disabled (the gateway does not forward DELETE): DOC-STATUS shop DELETE',
  );
  expect(output).toMatch(/could not be removed: \/items\/3/);
  expect(code).toBe(0);
  expect(shop.shop.requests.every(({ method }) => ['GET', 'POST'].includes(method))).toBe(true);
  const refused = await run(...args, '--service-document', `shop=${DOCUMENT}`);
  expect(refused.code).toBe(2);
  expect(refused.output).toContain('the gateway responded with 400 NO_AUTH to a call to shop');
});

test('a gateway that knows the document need not know the root of the service', async () => {
  const body = { code: 'INVALID_PATH', message: 'Unknown.', requestId: 'r' };
  await using server = await startShop((reply, { operation }) =>
    operation === 'GET /v1/cloudrun/shop'
      ? { status: 404, headers: { 'x-request-id': 'r' }, body }
      : reply,
  );
  const { code, output } = await run(
    ...['--service-document', `shop=${DOCUMENT}`, '--gateway-url', server.url],
    ...['--gateway-token', 'any', '--max-requests', '1'],
  );
  expect(output).toContain('DOC-STATUS shop GET /items');
  expect(code).toBe(1);
});

test('--dry-run counts the requests, and sends none', async () => {
  const { code, lines } = await of('http://127.0.0.1:1', '--dry-run');
  expect(code).toBe(0);
  expect(lines).toContainEqual(expect.stringMatching(/^GET \/items +\d+ requests$/));
  expect(lines.at(-1)).toMatch(/^3 of 5 operations would be called, with about \d+ requests\./);
});

test.each([
  ['a syntax error', 'openapi: 3.1.1\npaths: {\n', ':3:1: unexpected end'],
  [
    'another version',
    'swagger: "2.0"\npaths: {}\n',
    ':1:1: openapi must be 3.0, 3.1 or 3.2, not Swagger 2.0',
  ],
  ['no paths', 'openapi: 3.0.0\n', ':1:1: the document has no paths'],
  ['text', 'hello', ' cannot be read: Document must be JSON object, got string.'],
])('a document with %s is reported with the location', async (_, text, message) => {
  await using folder = await makeTemporaryFolder();
  const file = join(folder.path, 'api.yaml');
  await writeFile(file, text);
  const { code, output } = await run('--document', file, '--url', 'http://127.0.0.1:1');
  expect(code).toBe(2);
  expect(output).toContain(`api.yaml${message}`);
  expect(output).toMatch(/^berth-conformance: --document: /);
});

const NOWHERE = ['--url', 'http://127.0.0.1:1'];

test.each([
  [['--document', '/missing.yaml', ...NOWHERE], '/missing.yaml cannot be read: ENOENT.'],
  [['--document', DOCUMENT], '--document requires url, the URL of the API.'],
  [NOWHERE, '--url requires document'],
  [['--service-document', `a=${DOCUMENT}`, '--storage-url', 'http://a'], 'requires gatewayUrl'],
  [['--service-document', DOCUMENT, '--gateway-url', 'http://a'], 'must be name=file'],
  [['--document', DOCUMENT, ...NOWHERE], '--url: http://127.0.0.1:1 cannot be reached'],
  [['--document', DOCUMENT, ...NOWHERE, '--header', 'x'], "--header must be 'Name: value'."],
])('%j is refused', async (args, message) => {
  const { code, output } = await run(...args);
  expect(code).toBe(2);
  expect(output).toContain(message);
});

test('a broken reference is reported with its location, and the rest of the document is checked', async () => {
  await using server = await startShop();
  await using folder = await makeTemporaryFolder();
  const file = join(folder.path, 'api.yaml');
  const text = await readFile(DOCUMENT, 'utf8');
  await writeFile(
    file,
    text
      .replace("schemas/Item' }\n        '400'", "schemas/None' }\n        '400'")
      .replace('    NewItem:', '    Other:'),
  );
  const { output } = await run('--document', file, '--url', server.url, '--allow-writes');
  expect(output).toMatch(/not checked: .*api\.yaml:\d+:\d+: Can't resolve \$ref/);
  expect(output).toMatch(/skip +DOC-STATUS POST \/items: the schema at .* cannot be used/i);
  expect(output).toContain('pass     DOC-SCHEMA GET /items/{id}');
});

test('the guide explains every rule', async () => {
  const guide = await readFile(
    new URL('../../../../docs/guides/service-contracts.md', import.meta.url),
    'utf8',
  );
  expect(DOCUMENT_RULE_IDS.filter((id) => !guide.includes(`\`${id}\``))).toEqual([]);
});
