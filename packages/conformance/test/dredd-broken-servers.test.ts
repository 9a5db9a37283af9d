import { beforeAll, describe, expect, test } from 'vitest';
import type { Result } from '../src/index.ts';
import { type Draft, startCorrectServer } from './support/correct-server.ts';
import { listDredd, runDredd } from './support/run-dredd.ts';

type Change = (draft: Draft) => Partial<Draft>;

const without =
  (name: string): Change =>
  ({ headers: { [name]: _, ...headers } }) => ({ headers });

const replace =
  (from: string | RegExp, to: string): Change =>
  ({ body }) => ({ body: body.replace(from, to) });

/** Documented statuses of others. */
const DOCUMENTED: Record<number, string> = { 400: '4XX', 422: 'default' };

/** Independent faults, each in another response: its operation and status, the change, and the finding. */
const FAULTS: [what: string, operation: string, status: number, Change, finding: string][] = [
  [
    ...(['a wrong type', 'batchDelete', 200] as const),
    replace('"statusCode":200', '"statusCode":"oops"'),
    'statusCode must be number',
  ],
  [
    ...(['a response without the envelope', 'getUploadMetaData', 200] as const),
    ({ body }) => ({ body: JSON.stringify(JSON.parse(body).body) }),
    "the body must have required property 'statusCode'",
  ],
  [
    ...(['a code without data in a success', 'batchCopyFile', 200] as const),
    () => ({ body: '{"statusCode":200,"body":{"code":"SYS_ERR","message":"No."}}' }),
    'a valid call must be accepted, but the response was 200 SYS_ERR',
  ],
  [
    ...(['a call without its required fields that succeeds', 'batchDelete', 400] as const),
    () => ({ status: 200, body: '{"statusCode":200,"body":{"data":{"fileList":[]}}}' }),
    'the call must be rejected, but the response was 200',
  ],
  [
    ...(['a service response without X-Request-Id', 'cloudrun-post', 200] as const),
    without('X-Request-Id'),
    'the X-Request-Id header is required',
  ],
  [
    ...(['a request ID that differs from the header', 'cloudrun-get', 404] as const),
    replace(/"requestId":"[^"]+"/, '"requestId":"other"'),
    'requestId must equal X-Request-Id',
  ],
  [
    ...(['a wrong error code', 'cloudrun-post', 404] as const),
    replace('SERVICE_NOT_FOUND', 'GONE_FISHING'),
    'the code must be SERVICE_NOT_FOUND, not GONE_FISHING',
  ],
];

const toId = (operation: string, status: number, type = 'application/json') =>
  `${operation.startsWith('cloudrun') ? 'gateway' : 'storage'} ${operation} ${DOCUMENTED[status] ?? status} ${type}`;

describe('a server with many faults', () => {
  let results: Record<string, Result>;

  beforeAll(async () => {
    await using server = await startCorrectServer((draft) => {
      const { operation, status } = draft;
      const [, , , change] =
        FAULTS.find(([, name, own]) => name === operation && own === status) ?? [];
      return { ...draft, ...change?.(draft) };
    });
    results = listDredd(await runDredd(server.url));
  });

  test.each(FAULTS)('%s is found', (_, operation, status, _change, finding) => {
    const { findings = [] } = results[toId(operation, status)] ?? {};
    expect(findings.map(({ message }) => message)).toContainEqual(expect.stringContaining(finding));
  });

  test('violates the contract only in these responses', () => {
    const failed = Object.values(results).filter(({ outcome }) => outcome === 'fail');
    // One response of a service is requested as JSON and as text.
    const expected = FAULTS.flatMap(([, operation, status]) => [
      toId(operation, status),
      ...(/^cloudrun/.test(operation) && status === 200
        ? [toId(operation, status, 'text/plain')]
        : []),
    ]);
    expect(failed.map(({ id }) => id).toSorted()).toEqual(expected.toSorted());
  });

  test('findings show the request, the response and the place in the contract', () => {
    const result = results['storage batchDelete 200 application/json'];
    const [finding] = result?.findings ?? [];
    expect(finding?.request?.url).toMatch(/storages:batchDelete$/);
    expect(finding?.response?.body).toContain('oops');
    expect(finding?.where).toMatch(/^storage\.v2 #\/components\/schemas\/\w+\/type$/);
    expect(result?.rules).toContain('ST-ENVELOPE-STATUS-CODE');
  });
});
