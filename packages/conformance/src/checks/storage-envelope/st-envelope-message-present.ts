import { defineCheck } from '../check.ts';
import { failures } from './answers.ts';
import { expectPresent } from './expect-text.ts';

export const stEnvelopeMessagePresent = defineCheck(
  'ST-ENVELOPE-MESSAGE-PRESENT',
  ['storageCredentials'],
  (t) => expectPresent(t, 'message', failures(t)),
);
