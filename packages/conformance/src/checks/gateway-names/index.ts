import type { Check } from '../check.ts';
import { gwNameAccepted } from './gw-name-accepted.ts';
import { gwNameLength } from './gw-name-length.ts';
import { gwNamePattern } from './gw-name-pattern.ts';

export const gatewayNames: readonly Check[] = [gwNameAccepted, gwNameLength, gwNamePattern];
