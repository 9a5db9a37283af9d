import { defineCheck } from '../check.ts';
import { openSocket } from '../support/open-socket.ts';
import { exchangeMessages } from './exchange-messages.ts';
import { expectMessages } from './expect-messages.ts';

const EVERY_BYTE = Buffer.from(Uint8Array.from({ length: 256 }, (_, index) => index));
const MESSAGES = [
  EVERY_BYTE,
  Buffer.alloc(0),
  Buffer.of(0),
  Buffer.from('a text, sent as binary'),
  Buffer.of(0xc3, 0x28, 0xff, 0xfe),
  Buffer.concat(Array.from({ length: 256 }, () => EVERY_BYTE)),
];
const BURST = Array.from({ length: 100 }, (_, index) => Buffer.of(index, 0xff, index));

export const gwWsBinary = defineCheck('GW-WS-BINARY', ['fixture'], async (t) => {
  await openSocket(t, {}, async (socket) => {
    expectMessages(t, 'sent back', await exchangeMessages(t, socket, MESSAGES), MESSAGES);
    expectMessages(t, 'a burst sent back', await exchangeMessages(t, socket, BURST), BURST);
  });
});
