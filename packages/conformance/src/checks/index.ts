import type { Check } from './check.ts';
import { gatewayErrors } from './gateway-errors/index.ts';

/** Every check, in the order of the rules. */
export const checks: readonly Check[] = [...gatewayErrors];
