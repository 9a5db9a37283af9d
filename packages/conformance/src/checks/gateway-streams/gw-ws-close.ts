import { NetworkFault } from '../../http/network-fault.ts';
import type { Socket } from '../../http/open-web-socket.ts';
import { Failed } from '../../trial/endings.ts';
import type { Trial } from '../../trial/trial.ts';
import { defineCheck } from '../check.ts';
import { openSocket } from '../support/open-socket.ts';

const ENDS: [code: number, reason: string][] = [
  [1000, ''],
  [1000, 'done'],
  [4001, 'some reason'],
  [4999, 'Grund: 中文 é'],
  [3000, 'x'.repeat(123)],
  [1011, 'a fault of the service'],
];
/** A caller may not send the codes of a server. */
const OF_CALLERS = ENDS.filter(([code]) => code === 1000 || code >= 3000);

export const gwWsClose = defineCheck('GW-WS-CLOSE', ['fixture'], async (t) => {
  for (const wanted of ENDS) {
    await openSocket(t, {}, async (socket) => {
      socket.send(`!close ${wanted.join(' ').trim()}`);
      expectEnd(t, 'closed by the service: the caller', wanted, await endOf(t, socket));
    });
  }
  for (const wanted of OF_CALLERS) {
    const mark = t.uniqueName();
    await openSocket(t, { mark }, async (socket) => {
      socket.close(...wanted);
      expectEnd(t, 'closed by the caller: the service', wanted, await t.fixture.closed(mark));
    });
  }
});

interface End {
  code: number;
  reason: string;
}

function expectEnd(t: Trial, who: string, [code, reason]: [number, string], end?: End): void {
  const came = end ? `${end.code} "${end.reason}"` : 'no end';
  const isSame = end?.code === code && end.reason === reason;
  t.expect(isSame, `${who} must get ${code} "${reason}", not ${came}`);
  // Every other end would be waited for as long.
  if (!end) throw new Failed('no end');
}

/** How a socket ends; `undefined` where it does not end in time. */
async function endOf(t: Trial, socket: Socket): Promise<End | undefined> {
  try {
    return await socket.closed();
  } catch (error) {
    if (error instanceof NetworkFault && !t.signal.aborted) return undefined;
    throw error;
  }
}
