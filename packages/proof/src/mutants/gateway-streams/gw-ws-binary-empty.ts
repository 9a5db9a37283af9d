import { defineMutant } from '../mutant.ts';

export const gwWsBinaryEmpty = defineMutant({
  rule: 'GW-WS-BINARY',
  breaks: 'empty binary messages are left out',
  companions: [],
  create: () => ({
    message(message) {
      return message.binary && message.data.length === 0 ? undefined : message;
    },
  }),
});
