import { expect, test } from 'vitest';
import { findResponse, toContract } from '../contract/openapi.ts';
import { type HeaderList, toReceived } from '../http/exchange.ts';
import { gatewayInvariants } from './gateway.ts';
import type { ObservedCall } from './invariant.ts';
import { ResponseValidator } from './observer.ts';

test.each<[sent: HeaderList[number], arrived: HeaderList, holds: boolean]>([
  [['Keep-Alive', ''], [['Keep-Alive', 'timeout=5']], true],
  [['Keep-Alive', ''], [], true],
  [['Keep-Alive', ''], [['Keep-Alive', '']], false],
  [['Keep-Alive', 'max=9'], [['Keep-Alive', 'timeout=5, max=9']], false],
])('GW-HOP-BY-HOP: a service sends %j, and %j arrives', (sent, arrived, holds) => {
  const fixtureResponse = { status: 200, headers: [sent] };
  const received = toReceived(200, arrived);
  const call = { fixtureResponse, received } as Partial<ObservedCall> as ObservedCall;
  expect(gatewayInvariants['GW-HOP-BY-HOP'](call)?.[0]?.[0]).toBe(holds);
});

test('a response is checked against the schema for its content type', () => {
  const operation = { api: 'gateway', operationId: 'cloudrun-get' } as const;
  const contract = toContract();
  const json = findResponse(contract, operation, 404, 'application/json');
  if (json === undefined) throw new Error('The document has no response for 404.');
  const empty = { ...json, status: '204', contentType: undefined };
  contract.responses.unshift({ ...json, contentType: 'text/plain' }, empty);
  const headers: HeaderList = [
    ['Content-Type', 'application/json; charset=utf-8'],
    ['X-Request-Id', 'a'],
  ];
  const body = Buffer.from('{"code":"A","message":"b","requestId":"a"}');
  const validator = new ResponseValidator(contract);
  expect(validator.checkResponse(operation, toReceived(404, headers, body))).toEqual([]);
  // It documents no content.
  expect(validator.checkResponse(operation, toReceived(204, headers.slice(1)))).toEqual([]);
});
