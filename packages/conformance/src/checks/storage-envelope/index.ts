import type { Check } from '../check.ts';
import { stCopyStatusCode } from './st-copy-status-code.ts';
import { stEnvelopeBody } from './st-envelope-body.ts';
import { stEnvelopeCode } from './st-envelope-code.ts';
import { stEnvelopeData } from './st-envelope-data.ts';
import { stEnvelopeMessage } from './st-envelope-message.ts';
import { stEnvelopeMessagePresent } from './st-envelope-message-present.ts';
import { stEnvelopeRequestId } from './st-envelope-request-id.ts';
import { stEnvelopeRequestIdPresent } from './st-envelope-request-id-present.ts';
import { stEnvelopeStatusCode } from './st-envelope-status-code.ts';
import { stEnvelopeSuccess } from './st-envelope-success.ts';

export const storageEnvelope: readonly Check[] = [
  stEnvelopeStatusCode,
  stEnvelopeSuccess,
  stCopyStatusCode,
  stEnvelopeBody,
  stEnvelopeRequestId,
  stEnvelopeRequestIdPresent,
  stEnvelopeData,
  stEnvelopeCode,
  stEnvelopeMessage,
  stEnvelopeMessagePresent,
];
