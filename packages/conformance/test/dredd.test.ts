import { beforeAll, expect, test } from 'vitest';
import { createConformance, type Result } from '../src/index.ts';
import {
  changeJson,
  gatewayError,
  removeHeader,
  serviceResponse,
} from './mutants/support/gateway.ts';
import { success } from './mutants/support/storage.ts';
import type { Hooks } from './proxy/messages.ts';
import { startMutated } from './targets/start-mutated.ts';

/** Independent faults, each in another response: the transaction, its finding, and the hooks. */
const FAULTS: [id: string, finding: string, Hooks][] = [
  [
    'storage batchDelete 200 application/json',
    'statusCode must be number',
    success({ statusCode: 'oops' }, 'batchDelete'),
  ],
  [
    'storage getUploadMetaData 200 application/json',
    "the body must have required property 'body'",
    success({ body: undefined }, 'getUploadMetaData'),
  ],
  [
    'storage batchCopyFile 200 application/json',
    'a valid call must be accepted, but the response was 200 SYS_ERR',
    success({ body: { code: 'SYS_ERR', message: 'No.' } }, 'batchCopyFile'),
  ],
  [
    'gateway cloudrun-post 200 application/json',
    'the X-Request-Id header is required',
    serviceResponse({ method: 'POST', path: /abc/ }, removeHeader('X-Request-Id')),
  ],
  [
    'gateway cloudrun-get 404 application/json',
    'requestId must equal X-Request-Id',
    gatewayError({ method: 'GET', status: 404 }, changeJson({ requestId: 'other' })),
  ],
  [
    'gateway cloudrun-post 404 application/json',
    'the code must be SERVICE_NOT_FOUND, not GONE_FISHING',
    gatewayError({ method: 'POST', status: 404 }, changeJson({ code: 'GONE_FISHING' })),
  ],
];

let results: Result[];

beforeAll(async () => {
  const mutated = await startMutated();
  mutated.use({
    create: () => ({
      async response(response, request) {
        for (const [, , hooks] of FAULTS) await hooks.response?.(response, request);
      },
    }),
  });
  ({ results } = await createConformance({ ...mutated.options, only: ['dredd'] }).run());
  await mutated.close();
});

test.each(FAULTS)('%s fails', (id, finding) => {
  const { outcome, findings = [] } = results.find((result) => result.id === id) ?? {};
  expect(outcome).toBe('fail');
  expect(findings.map(({ message }) => message)).toContainEqual(expect.stringContaining(finding));
});

test('other transactions pass, and findings show the place in the contract', () => {
  const others = results.filter(({ outcome }) => outcome === 'pass');
  expect(others.length).toBeGreaterThan(10);
  const result = results.find(({ id }) => id === FAULTS[0]?.[0]);
  const [finding] = result?.findings ?? [];
  expect(finding?.request?.url).toMatch(/storages:batchDelete$/);
  expect(finding?.response?.body).toContain('oops');
  expect(finding?.where).toMatch(/^storage\.v2 #\/components\/schemas\/\w+\/type$/);
  expect(result?.rules).toContain('ST-ENVELOPE-STATUS-CODE');
});
