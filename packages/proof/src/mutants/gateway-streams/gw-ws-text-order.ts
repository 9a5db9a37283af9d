import { defineMutant, type SocketMessage } from '../mutant.ts';

export const gwWsTextOrder = defineMutant({
  rule: 'GW-WS-TEXT',
  breaks: 'two short text messages of the service change places',
  companions: [],
  create: () => {
    let held: SocketMessage | undefined;
    return {
      message(message) {
        const text = message.data.toString();
        if (message.from === 'caller' || message.binary) return message;
        if (text === '100') {
          held = message;
          return undefined;
        }
        return text === '101' && held ? [message, held] : message;
      },
    };
  },
});
