import { defaultWireProfile as wireProfile } from '@berth/spec/wire-profile';
import { expect, test } from 'vitest';
import { toReceived } from '../http/exchange.ts';
import { GATEWAY_INVARIANTS, toServiceCall } from './gateway-invariants.ts';

test('a hop-by-hop header without a value does not fail the gateway', () => {
  const url = 'http://a/v1/cloudrun/conformance/respond?header=Keep-Alive:&header=TE:x';
  const call = toServiceCall({
    operationId: 'cloudrun-get',
    settings: { service: 'conformance', wireProfile },
    checkSchema: () => [],
    sent: { method: 'GET', url, headers: [], body: Buffer.alloc(0) },
    received: toReceived(200, [['Keep-Alive', 'timeout=5']]),
  });
  const claims = GATEWAY_INVARIANTS['GW-HOP-BY-HOP'](call);
  expect(claims?.map(([holds]) => holds)).toEqual([true]);
});
