import type { Mutant } from '../mutant.ts';
import { gwErrorNotFound } from './gw-error-not-found.ts';

export const gatewayErrors: readonly Mutant[] = [gwErrorNotFound];
