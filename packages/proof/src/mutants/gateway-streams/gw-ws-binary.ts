import { isUtf8 } from 'node:buffer';
import { defineMutant } from '../mutant.ts';

export const gwWsBinary = defineMutant({
  rule: 'GW-WS-BINARY',
  breaks: 'binary messages that are text arrive as text',
  companions: [],
  create: () => ({
    message(message) {
      const isText = isUtf8(message.data) && message.data.length > 1;
      return message.binary && isText ? { ...message, binary: false } : message;
    },
  }),
});
