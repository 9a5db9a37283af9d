import { expect, test } from 'vitest';
import { runAgainst } from './support/run.ts';
import { type Draft, startSoundServer } from './support/sound-server.ts';

/** Breaks a sound server and returns what the suite says of it. */
async function runBroken(breakIt: (draft: Draft) => Draft) {
  await using server = await startSoundServer(breakIt);
  return await runAgainst(server.url);
}

const ofOperation =
  (operation: string, change: (draft: Draft) => Partial<Draft>) => (draft: Draft) =>
    draft.operation === operation && draft.status === 200 ? { ...draft, ...change(draft) } : draft;

test('a wrong type is found, with what was sent, what came, and what the contract says where', async () => {
  const { code, lines } = await runBroken(
    ofOperation('batchDelete', ({ body }) => ({
      body: body.replace('"statusCode":200', '"statusCode":"oops"'),
    })),
  );
  expect(code).toBe(1);
  const start = lines.indexOf('fail  storage batchDelete 200 application/json');
  const evidence = lines.slice(
    start + 1,
    lines.findIndex((l, i) => i > start && /^\w/.test(l)),
  );
  expect(evidence.join('\n')).toMatch(/sent +POST http:.*storages:batchDelete/);
  expect(evidence.join('\n')).toMatch(/came +200 application\/json/);
  expect(evidence.join('\n')).toMatch(/contract +statusCode must be number/);
  expect(evidence.at(-1)).toMatch(/storage\.v2 #\/components\/schemas\/\w+\/type$/);
  expect(lines.filter((line) => line.startsWith('fail'))).toHaveLength(1);
  expect(lines.at(-1)).toMatch(/ 1 fail, .*breaks the contract$/);
});

test('a gateway without X-Request-Id is found', async () => {
  const { code, output } = await runBroken((draft) => {
    const { 'X-Request-Id': _, ...headers } = draft.headers;
    return { ...draft, headers };
  });
  expect(code).toBe(1);
  expect(output).toContain('the header X-Request-Id is required');
  expect(output).toContain('pass  storage batchDelete 200 application/json');
});

test('a request ID that differs from the header is found', async () => {
  const { code, output } = await runBroken((draft) =>
    draft.status === 404
      ? { ...draft, body: draft.body.replace(/"requestId":"[^"]+"/, '"requestId":"other"') }
      : draft,
  );
  expect(code).toBe(1);
  expect(output).toContain('requestId must equal the header X-Request-Id');
});

test('a wrong error code is found', async () => {
  const { code, output } = await runBroken((draft) =>
    draft.status === 404
      ? { ...draft, body: draft.body.replace('SERVICE_NOT_FOUND', 'GONE_FISHING') }
      : draft,
  );
  expect(code).toBe(1);
  expect(output).toContain('the code must be SERVICE_NOT_FOUND, not GONE_FISHING');
});

test('an answer to GET without Content-Disposition is found', async () => {
  const { code, output } = await runBroken((draft) => {
    const { 'Content-Disposition': _, ...headers } = draft.headers;
    return { ...draft, headers };
  });
  expect(code).toBe(1);
  expect(output).toContain('C1: Content-Disposition must be attachment');
});

test('a wrong content type is found', async () => {
  const { code, output } = await runBroken(
    ofOperation('batchDelete', () => ({ headers: { 'Content-Type': 'text/plain' } })),
  );
  expect(code).toBe(1);
  expect(output).toContain('the content type must be application/json, not text/plain');
});

test('an answer without the envelope is found', async () => {
  const { code, output } = await runBroken(
    ofOperation('getUploadMetaData', ({ body }) => ({
      body: JSON.stringify(JSON.parse(body).body),
    })),
  );
  expect(code).toBe(1);
  expect(output).toContain("the body must have required property 'statusCode'");
});

test('a code without data is a failure, also with status 200', async () => {
  const { code, output } = await runBroken(
    ofOperation('batchCopyFile', () => ({
      body: '{"statusCode":200,"body":{"code":"SYS_ERR","message":"No."}}',
    })),
  );
  expect(code).toBe(1);
  expect(output).toContain('body.data is required in a success; body.code is SYS_ERR');
});

test('a call without its required fields that succeeds is found', async () => {
  const { code, output } = await runBroken((draft) =>
    draft.operation === 'batchDelete' && draft.status === 400
      ? { ...draft, status: 200, body: '{"statusCode":200,"body":{"data":{"fileList":[]}}}' }
      : draft,
  );
  expect(code).toBe(1);
  expect(output).toContain('a call without its required fields must be refused, not 200');
});

test('500 everywhere', async () => {
  const { code, lines } = await runBroken((draft) => ({ ...draft, status: 500, body: '{}' }));
  expect(code).toBe(1);
  expect(lines.filter((line) => line.startsWith('pass'))).toEqual([]);
});

test('HTML everywhere', async () => {
  const { code, lines } = await runBroken((draft) => ({
    ...draft,
    status: 200,
    headers: { 'Content-Type': 'text/html' },
    body: '<h1>Welcome</h1>',
  }));
  expect(code).toBe(1);
  expect(lines.filter((line) => line.startsWith('pass'))).toEqual([]);
});

test('a hosted service that fails leaves the run incomplete, and is no breach of the gateway', async () => {
  const { code, output } = await runBroken((draft) =>
    draft.operation === 'gateway' && draft.status === 200 ? { ...draft, status: 503 } : draft,
  );
  expect(code).toBe(3);
  expect(output).toMatch(/SKIP {2}gateway cloudrun-get 200 .*the service answered 503/);
});

test('a service that is not there leaves the run incomplete', async () => {
  await using server = await startSoundServer();
  const { code, output } = await runAgainst(server.url, '--service', 'absent');
  expect(code).toBe(3);
  expect(output).toContain('the gateway answered 404; see --service');
});

test('a service that answers another type is judged by its headers alone', async () => {
  const { code, output } = await runBroken(
    ofOperation('gateway', ({ headers }) => ({
      headers: { ...headers, 'Content-Type': 'text/html', 'Content-Disposition': 'attachment' },
    })),
  );
  expect(code).toBe(0);
  expect(output).toMatch(/skip {2}gateway cloudrun-get 200 .*the service answered 200 text\/html/);
});
