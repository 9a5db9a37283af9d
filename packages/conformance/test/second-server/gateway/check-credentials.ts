import type { IncomingMessage } from 'node:http';
import type { GatewaySettings } from './gateway-settings.ts';
import type { RefusalCode } from './refusals.ts';
import { verifySignature } from './verify-signature.ts';

/** "Either of two alternative schemes, each one alone suffices." Returns why the call is refused. */
export function checkCredentials(
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
