import type { Mutant } from '../mutant.ts';
import { gwRequestId } from './gw-request-id.ts';
import { gwRequestIdEqual } from './gw-request-id-equal.ts';
import { gwRequestIdError } from './gw-request-id-error.ts';
import { gwRequestIdNew } from './gw-request-id-new.ts';
import { gwRequestIdNewCaller } from './gw-request-id-new-caller.ts';
import { gwRequestIdOptions } from './gw-request-id-options.ts';
import { gwRequestIdOwn } from './gw-request-id-own.ts';
import { gwRequestIdOwnSocket } from './gw-request-id-own-socket.ts';
import { gwRequestIdUpgrade } from './gw-request-id-upgrade.ts';

export const gatewayRequestId: readonly Mutant[] = [
  gwRequestId,
  gwRequestIdError,
  gwRequestIdEqual,
  gwRequestIdNew,
  gwRequestIdNewCaller,
  gwRequestIdOwn,
  gwRequestIdOwnSocket,
  gwRequestIdUpgrade,
  gwRequestIdOptions,
];
