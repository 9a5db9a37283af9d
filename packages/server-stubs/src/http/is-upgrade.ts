import type { IncomingHttpHeaders, IncomingMessage } from 'node:http';

/** Whether headers ask for a WebSocket (RFC 6455, section 4.1). */
export function isUpgrade({ upgrade, connection }: IncomingHttpHeaders): boolean {
  if (upgrade === undefined || connection === undefined) return false;
  return lists(upgrade, 'websocket') && lists(connection, 'upgrade');
}

/** Whether a request opens a WebSocket: only a GET does (RFC 6455, section 4.1). */
export function isWebSocket({ method, headers }: IncomingMessage): boolean {
  return method === 'GET' && isUpgrade(headers);
}

function lists(value: string, wanted: string): boolean {
  return value.split(',').some((entry) => entry.trim().toLowerCase() === wanted);
}
