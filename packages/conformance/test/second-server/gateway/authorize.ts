import type { IncomingMessage } from 'node:http';
import type { Choices } from '../choices.ts';
import type { RefusalCode } from './refusals.ts';
import { type KeyPair, verifySignature } from './verify-signature.ts';

export interface Authorized {
  service: URL;
  path: string;
}

/** Finds the hosted service for a call, or why there is none. */
export function authorize(
  request: IncomingMessage,
  body: Buffer,
  settings: GatewaySettings,
): Authorized | RefusalCode {
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

/**
 * "Nobody is failed for refusing others" (D13) than JSON. Forms can be signed (D16), if they are accepted.
 */
function isTakenType(contentType = '', { forms }: GatewaySettings): boolean {
  const [type = ''] = contentType.toLowerCase().split(';');
  const taken = ['application/json', ...(forms === 'taken' ? ['multipart/form-data'] : [])];
  return taken.includes(type.trim());
}

/** "Either of two alternative schemes, each one alone suffices." Returns why the call is rejected. */
function checkCredentials(
  request: IncomingMessage,
  body: Buffer,
  { env, tokens, keyPair }: GatewaySettings,
): RefusalCode | undefined {
  const value = request.headers.authorization?.trim();
  if (!value) return 'NO_AUTH';
  if (value.startsWith('TC3-HMAC-SHA256')) {
    return verifySignature(request, value, body, keyPair) ? undefined : 'BAD_SIGNATURE';
  }
  const [, token = ''] = /^bearer +(\S+)$/i.exec(value) ?? [];
  const owner = tokens.get(token);
  // "Token belongs to the environment."
  if (owner?.env !== env || owner.expires <= Date.now()) return 'BAD_TOKEN';
  return undefined;
}

interface Target {
  name: string;
  /** Returns path and query for the hosted service, byte for byte. */
  path: string;
}

const TARGET = /^\/v1\/cloudrun\/([^/?]*)(\/[^?]*)?(\?.*)?$/s;

/**
 * Splits the request target. "`anyPath` is optional", and what follows the name is forwarded unchanged
 * (D3), including `.` and `..`. Returns `undefined` for any other path.
 */
function readTarget(url: string): Target | undefined {
  const [whole, name = '', path = '/', query = ''] = TARGET.exec(url) ?? [];
  return whole === undefined ? undefined : { name, path: path + query };
}

/**
 * "Starts with a letter, then 0 to 58 characters from letters, digits, underscore, hyphen, then ends
 * with a letter or digit."
 */
function isServiceName(name: string): boolean {
  return /^[A-Za-z][A-Za-z0-9_-]{0,58}[A-Za-z0-9]$/.test(name);
}

/** What a gateway knows. */
export interface GatewaySettings {
  env: string;
  /** Hosted services: name → URL. */
  services: Map<string, URL>;
  /** Names of services that nobody may call. */
  forbidden: Set<string>;
  /** Issued tokens: token → environment. */
  tokens: Map<string, { env: string; expires: number }>;
  keyPair: KeyPair;
  /** Whether `multipart/form-data` is accepted. */
  forms: Choices['forms'];
  nextRequestId: () => string;
}
