import type { Check } from './check.ts';
import { gatewayAddress } from './gateway-address/index.ts';
import { gatewayErrors } from './gateway-errors/index.ts';
import { storageRefusals } from './storage-refusals/index.ts';

/** Every check, in the order of the rules. */
export const checks: readonly Check[] = [...gatewayAddress, ...gatewayErrors, ...storageRefusals];
