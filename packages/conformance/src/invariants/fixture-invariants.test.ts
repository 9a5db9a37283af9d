import { expect, test } from 'vitest';
import { toReceived } from '../http/exchange.ts';
import { FIXTURE_INVARIANTS } from './fixture-invariants.ts';

test('a hop-by-hop header without a value does not fail the gateway', () => {
  const url = 'http://a/v1/cloudrun/conformance/respond?header=Keep-Alive:&header=TE:x';
  const claims = FIXTURE_INVARIANTS['GW-HOP-BY-HOP']({
    settings: { service: 'conformance' },
    sent: { method: 'GET', url, headers: [], body: Buffer.alloc(0) },
    received: toReceived(200, [['Keep-Alive', 'timeout=5']]),
  });
  expect(claims?.map(([holds]) => holds)).toEqual([true]);
});
