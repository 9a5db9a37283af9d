import { defineMutant } from '../mutant.ts';

export const gwWsText = defineMutant({
  rule: 'GW-WS-TEXT',
  breaks: 'text messages of more than 16,384 bytes are lost',
  companions: [],
  create: () => ({
    message(message) {
      return !message.binary && message.data.length > 16_384 ? undefined : message;
    },
  }),
});
