import { readAll } from '../../http/header-list.ts';
import { defineCheck } from '../check.ts';
import { openSocket } from '../support/open-socket.ts';

export const gwRequestIdUpgrade = defineCheck('GW-REQUEST-ID-UPGRADE', ['fixture'], async (t) => {
  for (const offers of [[], ['conformance']]) {
    await openSocket(t, { offers }, async (_, upgrade) => {
      const [id = ''] = readAll(upgrade.headers, 'x-request-id');
      const what = `101 with ${offers[0] ?? 'no'} subprotocol`;
      t.expect(id.trim() !== '', `${what}: must carry X-Request-Id`);
    });
  }
});
