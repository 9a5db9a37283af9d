import { toTc3Header } from '../../credentials/sign-tc3.ts';
import type { Trial } from '../../trial/trial.ts';
import { defineCheck } from '../check.ts';
import { expectRefused } from '../support/expect-admission.ts';
import { toCallsWith } from './marked-calls.ts';

const BASIC = Buffer.from('admin:admin').toString('base64');
const HEX = 'a'.repeat(64);

export const auSchemeUnknown = defineCheck('AU-SCHEME-UNKNOWN', ['fixture'], async (t) => {
  const mark = t.uniqueName();
  await expectRefused(t, mark, toCallsWith({ ...MADE_UP, ...toGoodTokens(t) }, mark));
});

const MADE_UP = {
  Basic: `Basic ${BASIC}`,
  'Basic without credentials': 'Basic',
  Digest: `Digest username="admin", realm="a", nonce="b", uri="/", response="${'a'.repeat(32)}"`,
  Negotiate: `Negotiate ${BASIC}`,
  'a signature of another version': toTc3Header({
    Credential: 'id/2026-01-01/svc/tc3_request',
    SignedHeaders: 'host',
    Signature: HEX,
    Timestamp: '1767225600',
  }).replace(/^\S+/, 'TC2-HMAC-SHA256'),
  'a signature of another platform': `AWS4-HMAC-SHA256 Credential=id/20260101/a/s3/aws4_request, SignedHeaders=host, Signature=${HEX}`,
  'a scheme that nobody knows': 'Conformance x',
};

/** A token that is good, in a scheme that is not its own. */
function toGoodTokens({ settings: { gatewayToken } }: Trial): Record<string, string> {
  if (gatewayToken === undefined) return {};
  const basic = Buffer.from(`token:${gatewayToken}`).toString('base64');
  return {
    'a good token as Basic': `Basic ${gatewayToken}`,
    'a good token as a password of Basic': `Basic ${basic}`,
    'a good token as Token': `Token ${gatewayToken}`,
    'a good token as BearerX': `BearerX ${gatewayToken}`,
    'a good token without a scheme': gatewayToken,
  };
}
