import type { IncomingMessage } from 'node:http';

/** Whether a request asks for a WebSocket (RFC 6455, section 4.1). */
export function isWebSocketRequest({ headers }: IncomingMessage): boolean {
  const names = (list: string | undefined) => (list ?? '').toLowerCase().split(/\s*,\s*/);
  return (
    names(headers.connection).includes('upgrade') && names(headers.upgrade).includes('websocket')
  );
}
