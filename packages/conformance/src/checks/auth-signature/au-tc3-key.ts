import { defineSignatureCheck } from './define-signature-check.ts';
import { JSON_TYPE, keysOf, now, type SignedCall } from './sign-call.ts';

const DAY = 86_400;

export const auTc3Key = defineSignatureCheck('AU-TC3-KEY', (t, mark) => {
  const path = `/key?mark=${mark}`;
  const post = { path, headers: [JSON_TYPE], body: '{"a":1}' };
  const { secretId, secretKey, service } = keysOf(t);
  /** Signs with one scope, and names that of a good signature in the header. */
  const misname = (keys: SignedCall['keys'], from: RegExp, to: string): SignedCall => ({
    path,
    keys: keys ?? {},
    change: (parts) => ({ ...parts, Credential: parts.Credential.replace(from, to) }),
  });
  const date = (seconds: number) => new Date(seconds * 1000).toISOString().slice(0, 10);
  return {
    bad: {
      'GET signed with another secret': { path, keys: { secretKey: `${secretKey}x` } },
      'POST signed with another secret': { ...post, keys: { secretKey: `${secretKey}x` } },
      'GET signed with an empty secret': { path, keys: { secretKey: '' } },
      'GET of an unknown id': { path, keys: { secretId: `${secretId}x` } },
      'GET of an unknown id with an empty secret': {
        path,
        keys: { secretId: `${secretId}x`, secretKey: '' },
      },
      'POST of an unknown id with an empty secret': {
        ...post,
        keys: { secretId: `${secretId}x`, secretKey: '' },
      },
      'GET signed for another service than the header names': misname(
        { service: `${service}x` },
        /[^/]*\/tc3_request$/,
        `${service}/tc3_request`,
      ),
      'GET signed for this service, whose header names another': misname(
        {},
        /[^/]*\/tc3_request$/,
        `${service}x/tc3_request`,
      ),
      'GET whose header names the day before': misname({}, /\d{4}-\d\d-\d\d/, date(now() - DAY)),
      'GET signed with the first half of the signature right': {
        path,
        change: ({ Signature, ...rest }) => ({ Signature: changeEnd(Signature), ...rest }),
      },
      'GET with half a signature': {
        path,
        change: ({ Signature, ...rest }) => ({ Signature: Signature.slice(0, 32), ...rest }),
      },
    },
  };
});

function changeEnd(signature: string): string {
  const end = signature.slice(32).replace(/./g, (digit) => (digit === '0' ? '1' : '0'));
  return signature.slice(0, 32) + end;
}
