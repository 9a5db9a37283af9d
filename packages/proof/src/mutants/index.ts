import { gatewayErrors } from './gateway-errors/index.ts';
import type { Mutant } from './mutant.ts';

/** Every mutant, in the order of the rules. */
export const mutants: readonly Mutant[] = [...gatewayErrors];
