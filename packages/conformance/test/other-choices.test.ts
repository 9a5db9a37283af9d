import { expect, test } from 'vitest';
import { runAgainst } from './support/run.ts';
import { type Draft, startSoundServer } from './support/sound-server.ts';

/** Refuses a bad name and three bad bodies with 403, and the fourth with 200 and a code. */
function refuseOtherwise(draft: Draft): Draft {
  if (draft.status !== 422 && draft.status !== 400) return draft;
  const status = draft.operation === 'batchCopyFile' ? 200 : 403;
  return {
    ...draft,
    status,
    body: draft.body.replace('"statusCode":400', `"statusCode":${status}`),
  };
}

test('a deployment that makes every open choice in another way passes', async () => {
  await using server = await startSoundServer(refuseOtherwise, 'data');
  const { code, lines } = await runAgainst(server.url);
  expect(code).toBe(0);
  expect(lines.at(-1)).toMatch(/^24 pass, /);
  const wrapped = server.requests.filter(({ url }) => url.endsWith('storages:batchDelete'));
  expect(wrapped.map(({ body }) => Object.keys(JSON.parse(body)))).toEqual([['data'], ['data']]);
});

test('credentials that a gateway refuses with 400 leave the run incomplete, and are no breach', async () => {
  await using server = await startSoundServer((draft) => {
    if (!draft.operation.startsWith('cloudrun-')) return draft;
    const requestId = draft.headers['X-Request-Id'];
    const headers = { ...draft.headers, 'Content-Type': 'application/json' };
    const body = JSON.stringify({ code: 'BAD_TOKEN', message: 'No.', requestId });
    return { ...draft, status: 400, headers, body };
  });
  const { code, output } = await runAgainst(server.url);
  expect(code).toBe(3);
  expect(output).toContain(
    'SKIP  gateway cloudrun-get 404 application/json: the target refused the credentials with 400',
  );
});

test('--request-form asks for one form, and does not look for another', async () => {
  await using server = await startSoundServer();
  const { code, output } = await runAgainst(server.url, '--request-form', 'data');
  expect(code).toBe(1);
  expect(output).toContain('{"data":{"path":"berth-conformance-');
});
