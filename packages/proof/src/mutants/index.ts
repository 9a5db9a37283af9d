import { auth } from './auth/index.ts';
import { authSignature } from './auth-signature/index.ts';
import { authStorage } from './auth-storage/index.ts';
import { gatewayAddress } from './gateway-address/index.ts';
import { gatewayAnswers } from './gateway-answers/index.ts';
import { gatewayDisposition } from './gateway-disposition/index.ts';
import { gatewayErrors } from './gateway-errors/index.ts';
import { gatewayNames } from './gateway-names/index.ts';
import { gatewayRequestId } from './gateway-request-id/index.ts';
import { gatewayRequests } from './gateway-requests/index.ts';
import { gatewayStreams } from './gateway-streams/index.ts';
import type { Mutant } from './mutant.ts';
import { storageCalls } from './storage-calls/index.ts';
import { storageRefusals } from './storage-refusals/index.ts';

/** Every mutant, in the order of the rules. */
export const mutants: readonly Mutant[] = [
  ...auth,
  ...authSignature,
  ...authStorage,
  ...storageCalls,
  ...storageRefusals,
  ...gatewayAddress,
  ...gatewayAnswers,
  ...gatewayDisposition,
  ...gatewayErrors,
  ...gatewayNames,
  ...gatewayRequestId,
  ...gatewayRequests,
  ...gatewayStreams,
];
