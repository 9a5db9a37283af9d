import type { Check } from '../check.ts';
import { gwErrorNotFound } from './gw-error-not-found.ts';

export const gatewayErrors: readonly Check[] = [gwErrorNotFound];
