import { defineCheck } from '../check.ts';
import { everyAnswer } from './answers.ts';
import { expectText } from './expect-text.ts';

export const stEnvelopeRequestId = defineCheck(
  'ST-ENVELOPE-REQUEST-ID',
  ['storageCredentials'],
  (t) => expectText(t, 'requestId', everyAnswer(t)),
);
