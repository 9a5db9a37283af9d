import gateway from '@berth/spec/gateway.v1.json' with { type: 'json' };
import { expect, test } from 'vitest';
import { toSettings } from '../options.ts';
import { transactions } from '../transaction.ts';
import { prepareRequest } from './prepare-request.ts';
import { createRunContext } from './run-context.ts';

const options = { gatewayUrl: 'http://g.example/base', storageUrl: 'http://s.example' };
const drafted = { method: 'POST', headers: { Accept: 'application/json' }, body: '{"path":"a"}' };

function prepare(operationId: string, status: string, more = {}) {
  const transaction = transactions.find(
    (t) => t.operationId === operationId && t.status === status,
  ) as (typeof transactions)[0];
  const context = createRunContext(toSettings({ ...options, ...more }));
  return prepareRequest(transaction, drafted, context);
}

const nameOf = (url = '') => decodeURIComponent(url.split('/')[6] ?? '');
const pattern = new RegExp(gateway.components.schemas.ServiceName.pattern);

test('404 is provoked by a name that is good and that nobody has deployed', () => {
  const name = nameOf(prepare('cloudrun-get', '404')?.url);
  expect(name).toMatch(/^no-such-service-[0-9a-f]{8}$/);
  expect(name).toMatch(pattern);
});

test('default is provoked by a name outside the pattern', () => {
  for (let i = 0; i < 50; i++) {
    expect(nameOf(prepare('cloudrun-get', 'default')?.url)).not.toMatch(pattern);
  }
});

test('4XX is provoked by a body without its fields', () => {
  expect(prepare('getUploadMetaData', '4XX')?.body).toBe('{}');
});

test('403 and storage failures have no request, but for mocks that obey Prefer', () => {
  expect(prepare('cloudrun-get', '403')).toBe(undefined);
  expect(prepare('batchDelete', 'default')).toBe(undefined);
  const preferCode = true;
  expect(prepare('cloudrun-get', '403', { preferCode })?.headers.Prefer).toBe('code=403');
  expect(prepare('cloudrun-get', '404', { preferCode })?.headers.Prefer).toBe(undefined);
  expect(prepare('batchDelete', 'default', { preferCode })?.headers.Prefer).toBe('code=500');
  expect(prepare('cloudrun-get', '200', { preferCode })?.headers.Prefer).toBe(undefined);
});

test('a base path is kept', () => {
  expect(prepare('cloudrun-get', '200')?.url).toBe('http://g.example/base/v1/cloudrun/hello/abc');
});
