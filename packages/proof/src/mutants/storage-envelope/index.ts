import type { Mutant } from '../mutant.ts';
import { stCopyStatusCode } from './st-copy-status-code.ts';
import { stCopyStatusCodeSuccess } from './st-copy-status-code-success.ts';
import { stEnvelopeBody } from './st-envelope-body.ts';
import { stEnvelopeBodyText } from './st-envelope-body-text.ts';
import { stEnvelopeCode } from './st-envelope-code.ts';
import { stEnvelopeCodeData } from './st-envelope-code-data.ts';
import { stEnvelopeData } from './st-envelope-data.ts';
import { stEnvelopeMessage } from './st-envelope-message.ts';
import { stEnvelopeMessagePresent } from './st-envelope-message-present.ts';
import { stEnvelopeRequestId } from './st-envelope-request-id.ts';
import { stEnvelopeRequestIdPresent } from './st-envelope-request-id-present.ts';
import { stEnvelopeStatusCode } from './st-envelope-status-code.ts';
import { stEnvelopeStatusCodeAbsent } from './st-envelope-status-code-absent.ts';
import { stEnvelopeSuccess } from './st-envelope-success.ts';

export const storageEnvelope: readonly Mutant[] = [
  stEnvelopeStatusCode,
  stEnvelopeStatusCodeAbsent,
  stEnvelopeSuccess,
  stCopyStatusCode,
  stCopyStatusCodeSuccess,
  stEnvelopeBody,
  stEnvelopeBodyText,
  stEnvelopeRequestId,
  stEnvelopeRequestIdPresent,
  stEnvelopeData,
  stEnvelopeCode,
  stEnvelopeCodeData,
  stEnvelopeMessage,
  stEnvelopeMessagePresent,
];
