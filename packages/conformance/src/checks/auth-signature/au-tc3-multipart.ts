import type { Trial } from '../../trial/trial.ts';
import { toMultipart } from '../../trial/upload-tool.ts';
import { defineCheck } from '../check.ts';
import { expectLetThrough } from '../support/expect-admission.ts';
import { reachSignature } from './reach-signature.ts';
import { type SignedCall, signCall } from './sign-call.ts';

const BOUNDARY = 'Conformance-Boundary';

export const auTc3Multipart = defineCheck(
  'AU-TC3-MULTIPART',
  ['fixture', 'signature'],
  async (t: Trial) => {
    await reachSignature(t);
    const body = toMultipart([['field', 'value']], BOUNDARY).toString();
    const type = `multipart/form-data; boundary=${BOUNDARY}`;
    const form: SignedCall = { path: '/form', body, headers: [['Content-Type', type]] };
    const tight: SignedCall = { ...form, headers: [['Content-Type', type.replace(' ', '')]] };
    const kept = { instead: { boundary: 'kept' } } as const;
    const spellings = {
      'POST of a form signed without the boundary': signCall(t, form),
      'POST of a form signed with the boundary': signCall(t, { ...form, ...kept }),
      'POST of a form without spaces signed without the boundary': signCall(t, tight),
      'POST of a form without spaces signed with the boundary': signCall(t, { ...tight, ...kept }),
    };
    // A gateway may refuse forms as such (D13); then nothing can be learnt about their signature.
    const plain = { path: '/form', headers: form.headers ?? [], body };
    let isTaken = false;
    for (const call of [plain, ...Object.values(spellings)]) {
      const exchange = await t.gateway.call({ ...call, acceptsRefusal: true });
      isTaken ||= t.fixture.readEcho(exchange) !== undefined;
      if (isTaken) break;
    }
    t.apply(isTaken, 'the gateway takes no multipart/form-data');
    await expectLetThrough(t, spellings);
  },
);
