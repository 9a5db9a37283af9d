import type { IncomingMessage } from 'node:http';
import { checkCredentials } from './check-credentials.ts';
import type { GatewaySettings } from './gateway-settings.ts';
import { isServiceName, readTarget } from './read-target.ts';
import type { RefusalCode } from './refusals.ts';

export interface Admitted {
  service: URL;
  path: string;
}

/** Finds the hosted service of a call, or why the call goes nowhere. */
export function admit(
  request: IncomingMessage,
  body: Buffer,
  settings: GatewaySettings,
): Admitted | RefusalCode {
  const { method = '', url = '', headers } = request;
  if (method !== 'GET' && method !== 'POST') return 'VERB_UNKNOWN';
  const target = readTarget(url);
  if (!target) return 'NO_ROUTE';
  // "In the gateway it is the first label of the host name."
  if (headers.host?.split('.')[0]?.toLowerCase() !== settings.env) return 'WRONG_HOST';
  const refused = checkCredentials(request, body, settings);
  if (refused) return refused;
  if (!isServiceName(target.name)) return 'BAD_NAME';
  if (settings.forbidden.has(target.name)) return 'SERVICE_FORBIDDEN';
  const service = settings.services.get(target.name);
  if (!service) return 'SERVICE_NOT_FOUND';
  if (method === 'POST' && body.length > 0 && !isTakenType(headers['content-type'], settings)) {
    return 'TYPE_REFUSED';
  }
  return { service, path: target.path };
}

/** "Nobody is failed for refusing others" (D13) than JSON. Forms can be signed (D16), if they are taken. */
function isTakenType(contentType = '', { forms }: GatewaySettings): boolean {
  const [type = ''] = contentType.toLowerCase().split(';');
  const taken = ['application/json', ...(forms === 'taken' ? ['multipart/form-data'] : [])];
  return taken.includes(type.trim());
}
