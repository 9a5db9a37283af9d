import { beforeAll, describe, expect, test } from 'vitest';
import type { Result } from '../src/index.ts';
import { type Draft, startCorrectServer } from './support/correct-server.ts';
import { listDredd, runDredd } from './support/run-dredd.ts';

/** Breaks a sound server and returns what Dredd's engine says of it. */
async function runBroken(breakIt: (draft: Draft) => Draft): Promise<Record<string, Result>> {
  await using server = await startCorrectServer(breakIt);
  return listDredd(await runDredd(server.url));
}

type Fault = {
  what: string;
  /** Operation of the broken response, and its status. */
  operation: string;
  status: number;
  change: (draft: Draft) => Partial<Draft>;
  result: string;
  finding: string;
};

/** A header less. */
const without = (name: string) => (draft: Draft) => {
  const { [name]: _, ...headers } = draft.headers;
  return { headers };
};

const replace = (from: string | RegExp, to: string) => (draft: Draft) => ({
  body: draft.body.replace(from, to),
});

/** Independent faults, each in another response. */
const FAULTS: Fault[] = [
  {
    what: 'a wrong type',
    operation: 'batchDelete',
    status: 200,
    change: replace('"statusCode":200', '"statusCode":"oops"'),
    result: 'storage batchDelete 200 application/json',
    finding: 'statusCode must be number',
  },
  {
    what: 'a response without the envelope',
    operation: 'getUploadMetaData',
    status: 200,
    change: ({ body }) => ({ body: JSON.stringify(JSON.parse(body).body) }),
    result: 'storage getUploadMetaData 200 application/json',
    finding: "the body must have required property 'statusCode'",
  },
  {
    what: 'a wrong content type',
    operation: 'batchGetTempUrls',
    status: 200,
    change: () => ({ headers: { 'Content-Type': 'text/plain' } }),
    result: 'storage batchGetTempUrls 200 application/json',
    finding: 'the content type must be application/json, not text/plain',
  },
  {
    what: 'a code without data in a success',
    operation: 'batchCopyFile',
    status: 200,
    change: () => ({ body: '{"statusCode":200,"body":{"code":"SYS_ERR","message":"No."}}' }),
    result: 'storage batchCopyFile 200 application/json',
    finding: 'body.data is missing from a successful response; body.code is SYS_ERR',
  },
  {
    what: 'a call without its required fields that succeeds',
    operation: 'batchDelete',
    status: 400,
    change: () => ({ status: 200, body: '{"statusCode":200,"body":{"data":{"fileList":[]}}}' }),
    result: 'storage batchDelete 4XX application/json',
    finding: 'a call without its required fields must be rejected, but the response was 200',
  },
  {
    what: 'data in a refusal',
    operation: 'batchGetTempUrls',
    status: 400,
    change: replace('"code"', '"data":{},"code"'),
    result: 'storage batchGetTempUrls 4XX application/json',
    finding:
      'a call without its required fields must be rejected, but the response was 400 with data',
  },
  {
    what: 'a statusCode of a copy that is not the status',
    operation: 'batchCopyFile',
    status: 400,
    change: replace('"statusCode":400', '"statusCode":200'),
    result: 'storage batchCopyFile 4XX application/json',
    finding: 'statusCode must equal the HTTP status 400 of a copy response, but was 200',
  },
  {
    what: 'a response to GET without Content-Disposition',
    operation: 'cloudrun-get',
    status: 200,
    change: without('Content-Disposition'),
    result: 'gateway cloudrun-get 200 application/json',
    finding: 'C1: Content-Disposition must be attachment',
  },
  {
    what: 'a service response without X-Request-Id',
    operation: 'cloudrun-post',
    status: 200,
    change: without('X-Request-Id'),
    result: 'gateway cloudrun-post 200 application/json',
    finding: 'the X-Request-Id header is required',
  },
  {
    what: 'an error without X-Request-Id',
    operation: 'cloudrun-get',
    status: 422,
    change: without('X-Request-Id'),
    result: 'gateway cloudrun-get default application/json',
    finding: 'the X-Request-Id header is required',
  },
  {
    what: 'a request ID that differs from the header',
    operation: 'cloudrun-get',
    status: 404,
    change: replace(/"requestId":"[^"]+"/, '"requestId":"other"'),
    result: 'gateway cloudrun-get 404 application/json',
    finding: 'requestId must equal the X-Request-Id header',
  },
  {
    what: 'a wrong error code',
    operation: 'cloudrun-post',
    status: 404,
    change: replace('SERVICE_NOT_FOUND', 'GONE_FISHING'),
    result: 'gateway cloudrun-post 404 application/json',
    finding: 'the code must be SERVICE_NOT_FOUND, not GONE_FISHING',
  },
];

describe('a server with many faults', () => {
  let results: Record<string, Result>;

  beforeAll(async () => {
    results = await runBroken((draft) => {
      const { operation, status } = draft;
      const fault = FAULTS.find((one) => one.operation === operation && one.status === status);
      return { ...draft, ...fault?.change(draft) };
    });
  });

  test.each(FAULTS)('$what is found', ({ result, finding }) => {
    const { findings = [] } = results[result] ?? {};
    expect(findings.map(({ message }) => message)).toContainEqual(expect.stringContaining(finding));
  });

  test('violates the contract only in these responses', () => {
    const failed = Object.values(results).filter(({ outcome }) => outcome === 'fail');
    // One response of a service is requested as JSON and as text.
    const twice = FAULTS.filter(
      ({ operation, status }) => /^cloudrun-(get|post)$/.test(operation) && status === 200,
    );
    const expected = [
      ...FAULTS.map(({ result }) => result),
      ...twice.map(({ result }) => result.replace('application/json', 'text/plain')),
    ];
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
