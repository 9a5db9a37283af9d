import { GatewayError, type GatewayHandler } from '@berth/server-stubs';
import type { Caller } from '../security.ts';

/**
 * Calls the root of a hosted service with POST.
 * TODO: send `method`, `target`, `headers` and `body` to the service, with `call.signal`, and return
 * its status, headers and body. Until then there is no service.
 */
export const cloudrunPostRoot: GatewayHandler<Caller> = async ({ name }) => {
  throw new GatewayError('SERVICE_NOT_FOUND', { message: `There is no service ${name}.` });
};
