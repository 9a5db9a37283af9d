import type { HeaderList } from '../../http/header-list.ts';
import { readAll } from '../../http/header-list.ts';
import { defineCheck } from '../check.ts';
import { openSocket } from '../support/open-socket.ts';

const OWN: HeaderList[] = [
  [],
  [['Content-Disposition', 'attachment; filename="a.txt"']],
  [['content-disposition', 'inline']],
];

const OFFERS = ['conformance'];

export const gwC3Websocket = defineCheck('GW-C3-WEBSOCKET', ['fixture'], async (t) => {
  for (const headers of OWN) {
    await openSocket(t, { headers, offers: OFFERS }, async (_, upgrade) => {
      const came = readAll(upgrade.headers, 'content-disposition').join(', ');
      const what = `101, of the service: ${headers[0]?.[1] ?? 'none'}`;
      t.expect(came === '', `${what}: there must be no Content-Disposition, not ${came}`);
    });
  }
});
