import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { run } from './support/run.ts';
import { makeTemporaryFolder } from './support/temporary-folder.ts';

const GATEWAY = 'https://dev.gateway.example';
const STORAGE = 'https://storage.example';
const SHOP = fileURLToPath(new URL('document/shop.openapi.yaml', import.meta.url));
const TOKEN = 'a-secret-access-token';

/** A recorded call, with only what a test is about. */
interface Call {
  method?: string;
  url: string;
  sent?: Record<string, string>;
  body?: unknown;
  status?: number;
  came?: Record<string, string>;
  response?: unknown;
  /** Replaces members of `content` in the HAR entry; `undefined` leaves them out. */
  content?: Record<string, unknown>;
}

const toText = (body: unknown) =>
  body === undefined || typeof body === 'string' ? body : JSON.stringify(body);
const toPairs = (headers: Record<string, string>) =>
  Object.entries(headers).map(([name, value]) => ({ name, value }));

function toEntry({ method = 'GET', url, sent = {}, body, status = 200, ...call }: Call): object {
  const { came = { 'Content-Type': 'application/json' }, response, content } = call;
  const [posted, text = ''] = [toText(body), toText(response)];
  const type = posted === undefined ? {} : { 'Content-Type': 'application/json' };
  return {
    request: {
      ...{ method, url, headers: toPairs({ ...type, ...sent }), bodySize: posted?.length ?? 0 },
      ...(posted === undefined ? {} : { postData: { mimeType: '', text: posted } }),
    },
    response: {
      ...{ status, headers: toPairs(came), bodySize: text.length },
      content: { size: Buffer.byteLength(text), text, ...content },
    },
  };
}

const JSON_TYPE = { 'Content-Type': 'application/json' };
const WITH_ID = { ...JSON_TYPE, 'X-Request-Id': 'id-1' };
const ATTACHED = { 'Content-Disposition': 'attachment' };
const ERROR = { code: 'SERVICE_NOT_FOUND', message: 'No.', requestId: 'id-1' };
const GOOD_FORM = [
  '--b\r\nContent-Disposition: form-data; name="x-store-security-token"\r\n\r\nsecret-of-the-grant\r\n',
  '--b\r\nContent-Disposition: form-data; name="file"; filename="a"\r\n\r\nHello\r\n--b--\r\n',
].join('');

const at = (path: string) => `${GATEWAY}/v1/cloudrun/${path}`;
const storage = (operation: string) => `${STORAGE}/api/v2/envs/dev/storages:${operation}`;
const envelope = (body: object, statusCode = 200) => ({
  statusCode,
  body: { requestId: 'id-2', ...body },
});

const get: Call = {
  url: at('hello/a?b=c'),
  sent: { Authorization: `Bearer ${TOKEN}` },
  came: { ...WITH_ID, ...ATTACHED },
  response: {},
};
const post: Call = { method: 'POST', url: at('hello'), body: {}, came: WITH_ID, response: {} };
const missing: Call = { url: at('missing'), status: 404, came: WITH_ID, response: ERROR };
const badName: Call = {
  ...{ url: at('1a'), status: 400, came: WITH_ID },
  response: { ...ERROR, code: 'INVALID_PATH' },
};
const grant = {
  ...{ url: 'https://upload.example/?a=b', token: 'secret-of-the-grant' },
  ...{ authorization: 'secret-signature', fileID: 'cloud://a', storeFileID: 'a' },
};
const metadata: Call = {
  ...{ method: 'POST', url: storage('getUploadMetaData'), body: { path: 'a.txt' } },
  response: envelope({ data: grant }),
};
const upload: Call = {
  ...{ method: 'POST', url: grant.url, body: GOOD_FORM, came: {}, response: '' },
  sent: { 'Content-Type': 'multipart/form-data; boundary=b' },
};
const entry = { fileID: 'cloud://a', code: 'SUCCESS' };
const link = `${STORAGE}/files/a?sign=a-signature-that-is-secret`;
const links: Call = {
  ...{ method: 'POST', url: storage('batchGetTempUrls') },
  body: { data: { fileList: [{ fileID: 'cloud://a', maxAge: 60 }] } },
  response: envelope({ data: { fileList: [{ ...entry, tempFileURL: link }] } }),
};
const removal: Call = {
  ...{ method: 'POST', url: storage('batchDelete'), body: { fileList: ['cloud://a'] } },
  response: envelope({ data: { fileList: [entry] } }),
};
const copy: Call = {
  ...{ method: 'POST', url: storage('batchCopyFile') },
  body: { fileList: [{ srcPath: '/a', dstPath: '/b' }] },
  response: envelope({ data: { fileList: [{ fileID: 'cloud://b' }] } }),
};
const refused: Call = {
  ...{ method: 'POST', url: storage('batchDelete'), body: { fileList: [7] }, status: 400 },
  response: envelope({ code: 'INVALID_PARAM', message: 'No.' }, 400),
};
const GOOD = [get, post, missing, badName, metadata, upload, links, removal, copy, refused];

async function checkCalls(calls: readonly Call[], ...args: string[]) {
  await using folder = await makeTemporaryFolder();
  const file = join(folder.path, 'session.har');
  const json = join(folder.path, 'report.json');
  await writeFile(file, JSON.stringify({ log: { entries: calls.map(toEntry) } }));
  const result = await run('traffic', file, '--report', `json=${json}`, ...args);
  const text = await readFile(json, 'utf8').catch(() => '');
  const report = text === '' ? undefined : JSON.parse(text).extra.berth;
  const failed: string[] = (report?.results ?? [])
    .filter(({ outcome }: { outcome: string }) => outcome === 'fail')
    .map(({ id }: { id: string }) => id);
  return { ...result, report, failed, text };
}

const listed = (...items: object[]) => envelope({ data: { fileList: items } });

test('correct traffic passes, and the report shows what it has covered', async () => {
  const { code, output, failed, report } = await checkCalls([
    ...GOOD,
    { url: `${GATEWAY}/favicon.ico` },
  ]);
  expect(failed).toEqual([]);
  expect(code).toBe(0);
  expect(output).toContain('10 of 11 recorded calls checked');
  expect(output).toContain('not checked: not an operation of the contract: 1');
  expect(output).toMatch(/^coverage \d+ %: 8 of 9 operations, /m);
  expect(report.traffic).toMatchObject({
    checked: 10,
    notChecked: { 'not an operation of the contract': 1 },
  });
  expect(report.targets.map(({ url }: { url: string }) => url)).toEqual([GATEWAY, STORAGE]);
  expect(report.rules).toMatch(/^\d+\.\d+\.\d+$/);
});

test.each<[rules: string[], call: Call]>([
  [['GW-REQUEST-ID'], { ...get, came: { ...JSON_TYPE, ...ATTACHED } }],
  [['GW-REQUEST-ID-OPTIONS'], { method: 'OPTIONS', url: at('a'), status: 204, came: {} }],
  [['GW-C1'], { ...get, came: WITH_ID }],
  [
    ['GW-C1', 'GW-DISPOSITION-INLINE'],
    { ...get, came: { ...WITH_ID, 'Content-Disposition': 'inline' } },
  ],
  [['GW-C2'], { ...post, came: { ...WITH_ID, 'Content-Type': 'image/png' } }],
  [['GW-C2-TEXT'], { ...post, came: { ...WITH_ID, ...ATTACHED } }],
  [
    ['GW-C3'],
    {
      ...{ ...get, sent: { Accept: 'text/event-stream' } },
      came: { ...get.came, 'Content-Type': 'text/event-stream' },
    },
  ],
  [['GW-NAME-PATTERN'], { ...badName, status: 200, came: get.came ?? {} }],
  [['GW-NAME-LENGTH'], { ...get, url: at('a') }],
  [['GW-REQUEST-ID-EQUAL'], { ...missing, response: { ...ERROR, requestId: 'other' } }],
  [
    ['GW-ERROR-MESSAGE', 'gateway cloudrun-get-root 404 application/json'],
    { ...missing, response: { ...ERROR, message: 7 } },
  ],
  [
    ['GW-ERROR-REQUEST-ID', 'gateway cloudrun-get-root 404 application/json'],
    { ...missing, response: { ...ERROR, requestId: undefined } },
  ],
  [
    ['GW-ERROR-BODY', 'gateway cloudrun-get-root 404 application/json'],
    { ...missing, came: { ...WITH_ID, 'Content-Type': 'text/json' } },
  ],
  [['ST-GET-REFUSED'], { ...removal, method: 'GET' }],
  [['ST-BAD-JSON'], { ...removal, body: '{"fileList":' }],
  [['ST-MISSING-FIELD'], { ...removal, body: {} }],
  [['ST-WRONG-TYPE'], { ...removal, body: { fileList: 'cloud://a' } }],
  [
    ['ST-LINKS-ITEM-FILE-ID'],
    { ...links, body: { fileList: [{}] }, response: listed({ ...entry, tempFileURL: link }) },
  ],
  [['ST-COPY-SRC-PATH'], { ...copy, body: { fileList: [{ dstPath: '/b' }] } }],
  [
    ['ST-WRONG-TYPE'],
    { ...refused, status: 500, response: envelope({ code: 'A', message: '' }, 500) },
  ],
  [
    ['ST-ENVELOPE-STATUS-CODE', 'storage batchDelete 200 application/json'],
    { ...removal, response: { body: envelope({ data: { fileList: [entry] } }).body } },
  ],
  [['ST-ENVELOPE-SUCCESS'], { ...removal, response: { ...listed(entry), statusCode: 201 } }],
  [['ST-COPY-STATUS-CODE'], { ...copy, response: { ...listed({ fileID: 'b' }), statusCode: 201 } }],
  [
    ['ST-ENVELOPE-REQUEST-ID-PRESENT'],
    { ...removal, response: { ...listed(entry), body: { data: { fileList: [entry] } } } },
  ],
  [['ST-DELETE-LIST'], { ...removal, response: listed(entry, { ...entry, fileID: 'b' }) }],
  [['ST-DELETE-FILE-ID'], { ...removal, response: listed({ ...entry, fileID: 'b' }) }],
  [
    ['ST-LINKS-URL', 'storage batchGetTempUrls 200 application/json'],
    { ...links, response: listed({ ...entry }) },
  ],
  [['ST-COPY-SUCCEEDED'], { ...copy, response: listed({ fileID: 'b', code: 'SUCCESS' }) }],
  [['ST-COPY-FAILED'], { ...copy, response: listed({ code: 'NOT_FOUND' }) }],
  [['ST-META-URL'], { ...metadata, response: envelope({ data: { ...grant, url: '/upload' } }) }],
  [['UP-ERROR'], { ...upload, status: 403, response: '{"code":"AccessDenied"}' }],
])('%s is found in one call, and nothing else', async (rules, call) => {
  const { failed, code, output } = await checkCalls([...GOOD, call]);
  expect(failed).toEqual(rules);
  const isShould = rules.every((rule) => rule.endsWith('-PRESENT'));
  expect(code).toBe(isShould ? 0 : 1);
  expect(output).toContain('session.har entry 11: ');
});

test('what was not recorded, and what others responded, never fails', async () => {
  const html = { 'Content-Type': 'text/html' };
  const text = { ...html, 'X-Svc-Upstream-Status-Code': '500', 'X-Request-Id': 'a' };
  const { failed, output } = await checkCalls([
    ...GOOD,
    { ...removal, content: { text: undefined } },
    { ...removal, response: '{"statusCode":2', content: { size: 400 } },
    { ...missing, response: '{"code":"SERVICE_NOT_FOUND"', content: { size: 80 } },
    { ...removal, status: 0 },
    { ...removal, status: 502, came: html, response: '<h1>Bad Gateway</h1>' },
    { ...removal, status: 413, came: html, response: 'Too Large' },
    { ...get, status: 503, came: html, response: 'Unavailable' },
    { ...get, status: 400, came: html, response: '<h1>Bad Request</h1>' },
    { ...removal, status: 403, came: html, response: '<h1>Forbidden</h1>' },
    { url: get.url.replace('https', 'http'), status: 307, came: { Location: get.url } },
    { url: at(''), status: 404, came: html, response: '' },
    // The hosted service's own responses.
    { ...get, status: 404, came: WITH_ID, response: { error: 'no such item' } },
    { ...post, status: 500, came: { ...text, ...ATTACHED }, response: ERROR },
    { ...get, status: 304, came: { 'X-Request-Id': 'a' }, response: undefined },
    // A service behind the gateway has paths like those of the storage API.
    { ...get, url: at('hello/api/v2/envs/dev/storages:batchDelete') },
    { url: 'wss://dev.gateway.example/v1/cloudrun/hello', status: 101 },
  ]);
  expect(failed).toEqual([]);
  expect(output).toContain('3 of them without a body that was not recorded');
  expect(output).toContain('not an operation of the contract: 1, not an HTTP call: 1');
});

test('reports contain no credentials from the recorded calls', async () => {
  const broken = (call: Call): Call => ({ ...call, status: 500, response: 'not JSON' });
  const cookies = { Cookie: 'session=a-secret-cookie', 'X-Api-Key': 'a-secret-api-key' };
  const came = { 'Set-Cookie': 'session=another-secret-cookie' };
  const { text, output, failed } = await checkCalls([
    { ...get, came, sent: { ...get.sent, ...cookies } },
    { ...metadata, response: { body: { data: grant } } },
    { ...upload, status: 403, response: `no token ${grant.token}` },
    { ...links, response: { body: { data: { fileList: [{ ...entry, tempFileURL: link }] } } } },
    broken({ ...removal, sent: { 'X-Svc-Authorization': `1.0 ${TOKEN}` }, url: `${removal.url}` }),
  ]);
  expect(failed).toContain('UP-ERROR');
  for (const secret of [
    ...[TOKEN, 'a-secret-cookie', 'another-secret-cookie', 'a-secret-api-key'],
    ...[grant.token, grant.authorization, 'a-signature-that-is-secret'],
  ]) {
    expect(text + output).not.toContain(secret);
  }
});

test('reads NDJSON, and folders of recordings of the mock', async () => {
  await using folder = await makeTemporaryFolder();
  const lines = join(folder.path, 'calls.ndjson');
  const entries = [...GOOD, { ...get, came: WITH_ID }].map((call) => JSON.stringify(toEntry(call)));
  await writeFile(lines, `\uFEFF${entries.join('\r\n')}\n\n`);
  const fromLines = await run('traffic', lines);
  expect(fromLines.code).toBe(1);
  expect(fromLines.output).toContain(
    'calls.ndjson entry 11: Content-Disposition must be attachment',
  );

  const recordings = join(folder.path, 'recordings');
  await mkdir(recordings);
  const recording = {
    ...{ format: 'berth-exchange-1', surface: 'gateway', origin: GATEWAY },
    request: { method: 'GET', target: '/v1/cloudrun/missing', headers: {} },
    response: {
      ...{ status: 404, headers: { 'content-type': 'application/json', 'x-request-id': 'id-1' } },
      body: { text: JSON.stringify({ ...ERROR, requestId: 'other' }) },
    },
  };
  await writeFile(join(recordings, '0001-get-missing.json'), JSON.stringify(recording));
  const fromFolder = await run('traffic', recordings);
  expect(fromFolder.code).toBe(1);
  expect(fromFolder.output).toContain('fail     GW-REQUEST-ID-EQUAL');
});

test('only the calls of the given deployments are checked', async () => {
  const { report } = await checkCalls(GOOD, '--gateway-url', `${GATEWAY}:443/`);
  expect(report.traffic).toMatchObject({ checked: 5 });
  const nothing = await checkCalls([...GOOD.slice(0, 2)], '--storage-url', STORAGE);
  expect(nothing.code).toBe(2);
  expect(nothing.output).toContain('Nothing can be checked');
});

test('--only, --baseline and --min-coverage work as for a run', async () => {
  const fault = { ...get, came: WITH_ID };
  expect((await checkCalls([...GOOD, fault], '--only', 'GW-C2')).code).toBe(0);
  const low = await checkCalls(GOOD, '--min-coverage', '99');
  expect([low.code, low.output]).toEqual([3, expect.stringContaining('is less than 99 %')]);
  await using folder = await makeTemporaryFolder();
  const baseline = join(folder.path, 'known.txt');
  await writeFile(baseline, 'GW-C1\n');
  expect((await checkCalls([...GOOD, fault], '--baseline', baseline)).code).toBe(0);
});

test('with a document, calls are checked by that document', async () => {
  const item = { id: 1, name: 'rope', price: 12.5 };
  const shop = (path: string, call: Partial<Call> = {}): Call => ({
    ...{ url: `http://shop.example/base${path}`, response: item },
    ...call,
  });
  const good = [
    shop('/items?limit=5&tag=a&tag=b', {
      came: { ...JSON_TYPE, 'X-Total': '1' },
      response: { items: [item] },
    }),
    shop('/items/1'),
    shop('/items', { method: 'POST', body: { name: 'rope', price: 1 }, status: 201 }),
    shop('/items/1', { response: undefined, content: { size: 30, text: undefined } }),
    shop('/other'),
  ];
  const args = ['--document', SHOP, '--url', 'http://shop.example/base'];
  const correct = await checkCalls(good, ...args);
  expect([correct.failed, correct.code]).toEqual([[], 0]);
  expect(correct.output).toContain('not an operation of the document: 1');
  expect(correct.report).not.toHaveProperty('rules');
  const listed = { came: { ...JSON_TYPE, 'X-Total': '1' }, response: { items: [item] } };
  const faults: [string, Call][] = [
    ['DOC-INVALID GET /items', shop('/items?limit=500', listed)],
    ['DOC-STATUS GET /items/{id}', shop('/items/1', { status: 202 })],
    ['DOC-SCHEMA GET /items/{id}', shop('/items/1', { response: { ...item, id: 'one' } })],
    ['DOC-HEADER GET /items', shop('/items', { response: { items: [] } })],
  ];
  const calls = [...good, ...faults.map(([, call]) => call)];
  const { failed, report } = await checkCalls(calls, ...args);
  expect(failed.toSorted()).toEqual(faults.map(([id]) => id).toSorted());
  const { items } = report.coverage.operations.find(
    ({ operation }: { operation: string }) => operation === 'GET /items',
  );
  expect(items).toContainEqual({ kind: 'constraints', name: 'query limit maximum', seen: true });
});

test.each([
  [['nowhere.har'], 'nowhere.har cannot be read: ENOENT.'],
  [['broken.har'], 'broken.har is not valid JSON'],
  [['other.json'], 'is neither a HAR file nor a recording'],
  [['broken.ndjson'], 'broken.ndjson line 2 is not valid JSON'],
  [['.'], 'contains no recordings'],
  [['session.har', '--url', 'http://a.example'], '--url requires document'],
  [['session.har', '--prefix', 'a'], 'Unknown option --prefix'],
  [[], 'missing required argument'],
])('%j cannot start', async (args, message) => {
  await using folder = await makeTemporaryFolder();
  await mkdir(join(folder.path, 'empty'));
  const write = (name: string, text: string) => writeFile(join(folder.path, name), text);
  await write('broken.har', `{"log": ${TOKEN}`);
  await write('broken.ndjson', `${JSON.stringify(toEntry(get))}\n{"a": ${TOKEN}\n`);
  await write('other.json', '{"a": 1}');
  await write('session.har', JSON.stringify({ log: { entries: [toEntry(get)] } }));
  const [file, ...rest] = args;
  const path = file === undefined ? [] : [join(folder.path, file === '.' ? 'empty' : file)];
  const { code, output } = await run('traffic', ...path, ...rest);
  expect([code, output]).toEqual([2, expect.stringContaining(message)]);
  expect(output).not.toContain(TOKEN);
});
