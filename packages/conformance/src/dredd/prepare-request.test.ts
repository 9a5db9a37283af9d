import { expect, test } from 'vitest';
import { createRun } from '../context/run.ts';
import { type Transaction, transactions } from '../contract/documents.ts';
import { readAll } from '../http/exchange.ts';
import { type ConformanceOptions, toSettings } from '../options.ts';
import { prepareRequest, toScratch } from './prepare-request.ts';

const drafted = { method: 'POST', headers: { 'Content-Type': 'application/json' }, body: '{}' };

function findTransaction(operationId: string, status: string, type = 'application/json') {
  return transactions.find(
    (entry) =>
      entry.operationId === operationId && entry.status === status && entry.contentType === type,
  ) as Transaction;
}

async function prepare(
  transaction: Transaction,
  options: Partial<ConformanceOptions> = {},
  body = '{}',
) {
  const settings = toSettings({
    gatewayUrl: 'https://dev.gateway.example/base',
    storageUrl: 'https://storage.example',
    gatewayToken: 'token',
    storageHeaders: { 'X-Auth': 'signed' },
    ...options,
  });
  const run = createRun(settings, new AbortController().signal);
  const { bearer } = run.signers.gateway;
  const ready = { ...run, ...(bearer ? { gatewaySigner: bearer } : {}) };
  return {
    mark: run.mark,
    call: await prepareRequest(transaction, { ...drafted, body }, ready, undefined),
  };
}

test('a service is called below the base URL, with the token and the Host header', async () => {
  const { call } = await prepare(findTransaction('cloudrun-get', '200'), {
    gatewayHost: 'dev.other.example',
  });
  expect(call.origin + call.target).toMatch(
    /^https:\/\/dev\.gateway\.example\/base\/v1\/cloudrun\/conformance\/./,
  );
  expect(readAll(call.headers, 'authorization')).toEqual(['Bearer token']);
  expect(readAll(call.headers, 'host')).toEqual(['dev.other.example']);
});

test.each([
  ['404', /^\/base\/v1\/cloudrun\/no-such-service-[\da-f]+$/],
  ['403', /^\/base\/v1\/cloudrun\/closed$/],
  ['default', /^\/base\/v1\/cloudrun\/0[\da-f]+-$/],
])('what triggers %s', async (status, target) => {
  const options = { forbiddenService: 'closed' };
  const { call } = await prepare(findTransaction('cloudrun-get-root', status), options);
  expect(call.target).toMatch(target);
});

test('a text response is requested from the fixture service', async () => {
  const { call } = await prepare(findTransaction('cloudrun-get', '200', 'text/plain'));
  expect(call.target).toContain('/conformance/respond?type=text%2Fplain');
});

test('a storage call uses the files of the run', async () => {
  const body = '{"path":"a.txt"}';
  const { call, mark } = await prepare(findTransaction('getUploadMetaData', '200'), {}, body);
  expect(JSON.parse(call.body.toString())).toEqual({
    path: `berth-conformance/${mark}/dredd/a.txt`,
  });
  expect(readAll(call.headers, 'x-auth')).toEqual(['signed']);
});

test('a call that must be rejected has no fields', async () => {
  const body = '{"path":"a.txt"}';
  const { call } = await prepare(findTransaction('getUploadMetaData', '4XX'), {}, body);
  expect(call.body.toString()).toBe('{}');
});

test('`Prefer` is sent only if requested for mocks', async () => {
  const transaction = findTransaction('getUploadMetaData', 'default');
  const asked = await prepare(transaction, { preferCode: true });
  expect(readAll(asked.call.headers, 'prefer')).toEqual(['code=500']);
  const plain = await prepare(transaction);
  expect(readAll(plain.call.headers, 'prefer')).toEqual([]);
});

const scratch = { folder: 'berth-conformance/1a2b/dredd', fileId: undefined };

test('paths and file IDs are moved to the folder of the run', () => {
  const fields = {
    path: 'reports/summary.txt',
    fileList: [{ srcPath: '/a.txt', overwrite: false }, 'cloud://dev.files/b.txt'],
  };
  expect(toScratch(fields, scratch)).toEqual({
    path: 'berth-conformance/1a2b/dredd/reports/summary.txt',
    fileList: [
      { srcPath: '/berth-conformance/1a2b/dredd/a.txt', overwrite: false },
      'cloud://dev.files/berth-conformance/1a2b/dredd/b.txt',
    ],
  });
});

test('a file ID from the target is used unchanged', () => {
  const known = { ...scratch, fileId: 'f_17' };
  expect(toScratch(['cloud://dev.files/b.txt', 'c.txt'], known)).toEqual([
    'f_17',
    'berth-conformance/1a2b/dredd/c.txt',
  ]);
});
