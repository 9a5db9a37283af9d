import * as client from '@berth/client';
import { expect, it, vi } from 'vitest';

const details = { what: 'It failed', method: 'GET', path: '/a', status: 500 };
const errorsOf = ({
  ContractError,
  GatewayError,
  NetworkError,
  StorageError,
  TimeoutError,
  UploadError,
}: typeof client) => ({
  isContractError: new ContractError(details),
  isGatewayError: new GatewayError({ ...details, source: 'service' }),
  isNetworkError: new NetworkError(details),
  isStorageError: new StorageError(details),
  isTimeoutError: new TimeoutError({ ...details, timeout: 1 }),
  isUploadError: new UploadError(details),
});

it('guards recognize errors of their class, even from another copy of the package', async () => {
  vi.resetModules();
  const copy: typeof client = await import('@berth/client');
  expect(copy.BerthError).not.toBe(client.BerthError);
  const guards = Object.entries(client).filter(([name]) => /^is\w+Error$/.test(name));
  for (const [own, error] of [
    ...Object.entries(errorsOf(client)),
    ...Object.entries(errorsOf(copy)),
  ]) {
    const matching = guards.filter(([, guard]) => (guard as typeof client.isBerthError)(error));
    expect(matching.map(([name]) => name).sort()).toEqual(['isBerthError', own].sort());
  }
});

it.each([
  undefined,
  null,
  'GatewayError',
  5,
  new Error('a'),
  Object.assign(new Error('a'), { name: 'GatewayError', code: 'SYS_ERR' }),
  new DOMException('a', 'NetworkError'),
])('guards reject anything else: %s', (error) => {
  expect([client.isBerthError(error), client.isGatewayError(error)]).toEqual([false, false]);
  expect(client.isNetworkError(error)).toBe(false);
});
