import type { Context } from '../context.ts';
import { gatewayErrors } from '../contract/defaults.ts';
import { consult } from '../oracle/consult.ts';
import { Refusal } from '../refusal.ts';
import { findOperation } from '../routing/find-operation.ts';
import type { Surface } from '../surface.ts';
import { checkGatewayCredentials } from './check-credentials.ts';
import { checkHost } from './check-host.ts';
import { isAttachment } from './content-disposition.ts';
import { toGatewayError } from './gateway-error.ts';
import { isWebSocketRequest } from './is-web-socket-request.ts';
import { readPayload } from './read-payload.ts';
import { toServiceAnswer } from './to-service-answer.ts';

const PATH_CODES = {
  unknownPath: 'INVALID_PATH',
  method: 'METHOD_NOT_ALLOWED',
  invalid: 'INVALID_REQUEST',
};

/** The gateway: every hosted service answers with the examples of the contract. */
export function createGateway(context: Context): Surface {
  return {
    name: 'gateway',
    codes: { tooLarge: 'EXCEED_MAX_PAYLOAD_SIZE', failed: 'SYS_ERR', broken: PATH_CODES.invalid },
    async answer(call) {
      checkHost(call, context);
      const { operation, params } = findOperation(call, context.router, PATH_CODES);
      checkGatewayCredentials(call.request.headers.authorization);
      if (isWebSocketRequest(call.request)) {
        throw new Refusal(PATH_CODES.invalid, 'This mock takes no WebSocket yet.', { status: 501 });
      }
      const body = await readPayload(call);
      const { invalid } = PATH_CODES;
      const question = { operation, params, body, invalid, errors: gatewayErrors };
      const { documented } = await consult(context, call, question);
      const name = decodeURIComponent(params.name ?? '');
      if (context.services?.has(name) === false) throw toMissing(name, context.services);
      return toServiceAnswer(documented, call.requestId, context);
    },
    refuse: toGatewayError,
    headers: (answer, call) =>
      isAttachment(call, answer) ? { 'content-disposition': 'attachment' } : {},
  };
}

function toMissing(name: string, services: ReadonlySet<string>): Refusal {
  const known = [...services].join(', ') || 'none';
  return new Refusal(
    'SERVICE_NOT_FOUND',
    `The hosted service ${name} is missing; this mock has: ${known}.`,
  );
}
