import { signature } from '../contract/defaults.ts';
import { Refusal } from '../refusal.ts';

/** D16: the parts that the value of a signature always has. */
const SIGNATURE_PARTS = ['Credential', 'SignedHeaders', 'Signature', 'Timestamp'];

/**
 * D15: "No credentials, or bad ones: 4xx with the error body. Each of the two schemes alone suffices."
 * The mock takes any credentials of the right form.
 */
export function checkGatewayCredentials(authorization: string | undefined): void {
  const { algorithm } = signature;
  if (authorization === undefined || authorization.trim() === '') {
    throw new Refusal(
      'MISSING_CREDENTIALS',
      `The header Authorization is missing: send "Bearer <ACCESS_TOKEN>" or a ${algorithm} signature.`,
    );
  }
  if (/^Bearer +\S+$/i.test(authorization)) return;
  const [scheme, ...rest] = authorization.split(' ');
  if (scheme !== algorithm) {
    throw new Refusal(
      'INVALID_CREDENTIALS',
      `The header Authorization must be "Bearer <ACCESS_TOKEN>" or begin with ${algorithm}.`,
    );
  }
  const parts = rest
    .join('')
    .split(',')
    .map((part) => part.split('=', 1)[0]);
  const missing = SIGNATURE_PARTS.find((name) => !parts.includes(name));
  if (missing !== undefined) {
    throw new Refusal(
      'INVALID_CREDENTIALS',
      `The ${algorithm} signature in the header Authorization has no ${missing}=….`,
    );
  }
}
