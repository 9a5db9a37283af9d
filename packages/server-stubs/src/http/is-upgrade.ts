import type { IncomingHttpHeaders } from 'node:http';

/** Whether a request asks for a WebSocket (RFC 6455, section 4.1). */
export function isUpgrade({ upgrade, connection }: IncomingHttpHeaders): boolean {
  if (upgrade === undefined || connection === undefined) return false;
  return lists(upgrade, 'websocket') && lists(connection, 'upgrade');
}

function lists(value: string, wanted: string): boolean {
  return value.split(',').some((entry) => entry.trim().toLowerCase() === wanted);
}
