import { defineCheck } from '../check.ts';
import { everyAnswer } from './answers.ts';
import { expectText } from './expect-text.ts';

export const stEnvelopeMessage = defineCheck('ST-ENVELOPE-MESSAGE', ['storageCredentials'], (t) =>
  expectText(t, 'message', everyAnswer(t)),
);
