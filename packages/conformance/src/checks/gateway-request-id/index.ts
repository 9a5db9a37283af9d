import type { Check } from '../check.ts';
import { gwRequestId } from './gw-request-id.ts';
import { gwRequestIdEqual } from './gw-request-id-equal.ts';
import { gwRequestIdNew } from './gw-request-id-new.ts';
import { gwRequestIdOptions } from './gw-request-id-options.ts';
import { gwRequestIdOwn } from './gw-request-id-own.ts';
import { gwRequestIdUpgrade } from './gw-request-id-upgrade.ts';

export const gatewayRequestId: readonly Check[] = [
  gwRequestId,
  gwRequestIdEqual,
  gwRequestIdNew,
  gwRequestIdOwn,
  gwRequestIdUpgrade,
  gwRequestIdOptions,
];
