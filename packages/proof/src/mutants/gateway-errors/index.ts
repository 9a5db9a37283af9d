import type { Mutant } from '../mutant.ts';
import { gwErrorBody } from './gw-error-body.ts';
import { gwErrorCode } from './gw-error-code.ts';
import { gwErrorForbidden } from './gw-error-forbidden.ts';
import { gwErrorMessage } from './gw-error-message.ts';
import { gwErrorNotFound } from './gw-error-not-found.ts';
import { gwErrorRequestId } from './gw-error-request-id.ts';

export const gatewayErrors: readonly Mutant[] = [
  gwErrorBody,
  gwErrorCode,
  gwErrorMessage,
  gwErrorRequestId,
  gwErrorForbidden,
  gwErrorNotFound,
];
