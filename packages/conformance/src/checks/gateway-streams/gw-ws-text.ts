import { defineCheck } from '../check.ts';
import { openSocket } from '../support/open-socket.ts';
import { exchangeMessages } from './exchange-messages.ts';
import { expectMessages } from './expect-messages.ts';

const TEXTS = [
  'hello',
  '',
  ' {"a": 1}\r\n\0\t ',
  '\uFEFF中文 é 🙂',
  'a'.repeat(125),
  'b'.repeat(126),
  '0123456789abcdef'.repeat(4096),
  '中'.repeat(1000),
];
const BURST = Array.from({ length: 200 }, (_, index) => String(index));

export const gwWsText = defineCheck('GW-WS-TEXT', ['fixture'], async (t) => {
  await openSocket(t, {}, async (socket) => {
    expectMessages(t, 'sent back', await exchangeMessages(t, socket, TEXTS), TEXTS);
    expectMessages(t, 'a burst sent back', await exchangeMessages(t, socket, BURST), BURST);
    const came = await exchangeMessages(t, socket, [`!burst ${BURST.length}`]);
    expectMessages(t, 'a burst of the service', came, BURST);
  });
});
