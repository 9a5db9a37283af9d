import { expect, test } from 'vitest';
import { type Draft, startCorrectServer } from './support/correct-server.ts';
import { listDredd, runDredd } from './support/run-dredd.ts';

/** Rejects a bad name and three bad bodies with 403, and the fourth with 200 and a code. */
function refuseOtherwise(draft: Draft): Draft {
  if (draft.status !== 422 && draft.status !== 400) return draft;
  const status = draft.operation === 'batchCopyFile' ? 200 : 403;
  return {
    ...draft,
    status,
    body: draft.body.replace('"statusCode":400', `"statusCode":${status}`),
  };
}

test('a deployment that makes every open choice differently passes', async () => {
  await using server = await startCorrectServer(refuseOtherwise, 'data');
  const report = await runDredd(server.url);
  const bad = Object.values(listDredd(report)).filter(({ outcome }) => outcome !== 'pass');
  expect(bad).toEqual([]);
  const wrapped = server.requests.filter(({ url }) => url.endsWith('storages:batchDelete'));
  expect(wrapped.map(({ body }) => Object.keys(JSON.parse(body)))).toEqual([['data'], ['data']]);
});

test('flat responses pass if declared', async () => {
  await using server = await startCorrectServer((draft) => {
    if (!draft.body.startsWith('{"statusCode"')) return draft;
    return { ...draft, body: JSON.stringify(JSON.parse(draft.body).body) };
  });
  const flat = await runDredd(server.url, { envelope: 'flat' });
  expect(Object.values(listDredd(flat)).filter(({ outcome }) => outcome !== 'pass')).toEqual([]);
});

test('credentials that a gateway rejects with 400 make the run incomplete, but are not a violation', async () => {
  await using server = await startCorrectServer((draft) => {
    if (!draft.operation.startsWith('cloudrun-')) return draft;
    const requestId = draft.headers['X-Request-Id'];
    const headers = { ...draft.headers, 'Content-Type': 'application/json' };
    const body = JSON.stringify({ code: 'BAD_TOKEN', message: 'No.', requestId });
    return { ...draft, status: 400, headers, body };
  });
  const report = await runDredd(server.url);
  expect(report.exitCode).toBe(3);
  const result = listDredd(report)['gateway cloudrun-get 404 application/json'];
  expect(result).toMatchObject({
    outcome: 'skip',
    reason: expect.stringContaining('the gateway rejected all credentials'),
  });
});

test('only the configured request form is tried', async () => {
  await using server = await startCorrectServer();
  const report = await runDredd(server.url, { requestForm: 'data', only: ['ST-META-CALL'] });
  expect(report.exitCode).toBe(1);
  const bodies = server.requests.filter(({ url }) => url.includes('storages:'));
  expect(bodies.length).toBeGreaterThan(0);
  for (const { body } of bodies) expect(Object.keys(JSON.parse(body))).toEqual(['data']);
});
