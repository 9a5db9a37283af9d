import type { Check } from '../check.ts';
import { gwForwardBody } from './gw-forward-body.ts';
import { gwForwardHeaders } from './gw-forward-headers.ts';
import { gwForwardMethod } from './gw-forward-method.ts';

export const gatewayRequests: readonly Check[] = [gwForwardMethod, gwForwardHeaders, gwForwardBody];
