import { defineCheck } from '../check.ts';
import { everyAnswer } from './answers.ts';
import { expectPresent } from './expect-text.ts';

export const stEnvelopeRequestIdPresent = defineCheck(
  'ST-ENVELOPE-REQUEST-ID-PRESENT',
  ['storageCredentials'],
  (t) => expectPresent(t, 'requestId', everyAnswer(t)),
);
