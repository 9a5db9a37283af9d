import {
  createGatewayRouter,
  type EnvOption,
  type Fault,
  type GatewayCall,
  GatewayError,
  type GatewayHandler,
  type GatewayInput,
  type GatewayRouter,
  type WebSocketHandler,
} from '@berth/server-stubs';
import type { Auth } from '../auth/auth.ts';
import type { Context } from '../context.ts';
import { listExamples } from '../contract/examples.ts';
import { consult, preferencesOf } from '../oracle/consult.ts';
import { type RecordedRequest, recordOf } from '../record/recorded-request.ts';
import { toRouterOptions } from '../router-options.ts';
import { readPayload } from './read-payload.ts';
import { toEnvOption } from './to-env-option.ts';
import { toExample } from './to-example.ts';

const OPERATIONS = [
  'cloudrun-get-root',
  'cloudrun-post-root',
  'cloudrun-get',
  'cloudrun-post',
] as const;

/** The gateway: services that are defined answer, all others with the examples of the contract. */
export function createGateway(context: Context, auth: Auth): GatewayRouter {
  const examples = listExamples();
  const { options } = context;

  const call: GatewayHandler = (input, call) => {
    const record = noteService(input, call);
    const preferences = preferencesOf(call, 'gateway', context);
    if (preferences !== undefined) return ask(input, call, preferences);
    const verified = auth.verifyBody(input, call);
    if (verified !== undefined) return verified.then((signed) => answer(signed, call, record));
    return answer(input, call, record);
  };

  function answer(input: GatewayInput, call: GatewayCall, record: ReturnType<typeof recordOf>) {
    const answer = context.services.answer(input, call, record.session);
    if (answer === undefined) return answerStatic(input, call);
    // What takes its time is in the log while it does.
    if (answer instanceof Promise) record.begin(call.requestId);
    return answer;
  }

  function answerStatic(input: GatewayInput, call: GatewayCall) {
    const record = recordOf(call.request);
    const isDefined = context.services.names().includes(input.name);
    record.matched = !isDefined && options.services === undefined;
    if (options.services !== undefined && !isDefined) throw toMissing(input.name, context);
    const example = toExample(
      examples.get(call.operationId) ?? new Map(),
      call.request.headers.accept,
    );
    if (input.body === undefined && example !== undefined) return example;
    return readPayload(input, record).then((body) => example ?? ask(input, call, undefined, body));
  }

  async function ask(
    input: GatewayInput,
    call: GatewayCall,
    preferences: ReturnType<typeof preferencesOf>,
    known?: unknown,
  ) {
    const { name, anyPath } = input;
    const body = known ?? (await readPayload(input, recordOf(call.request)));
    if (options.services !== undefined && !context.services.names().includes(name)) {
      throw toMissing(name, context);
    }
    const params = { name, anyPath };
    return consult(context, call, { surface: 'gateway', params, body }, preferences);
  }

  const webSocket: WebSocketHandler = async (input, call) => {
    const record = noteService(input, call);
    const answer = await context.services.open(input, call, record.session);
    if (answer !== undefined) {
      record.status = answer.status;
      record.begin(call.requestId);
      return answer;
    }
    record.matched = false;
    throw new GatewayError('SYS_ERR', {
      status: 501,
      message: `No WebSocket of the service ${input.name} is defined in this mock.`,
    });
  };

  return createGatewayRouter(
    { ...Object.fromEntries(OPERATIONS.map((id) => [id, call])), webSocket },
    {
      ...toRouterOptions(context, 'gateway', toWords),
      env: toEnvOption(options) as EnvOption,
      security: auth.gateway,
    },
  );
}

function noteService({ name }: GatewayInput, { request, operationId }: GatewayCall) {
  const record = recordOf(request as RecordedRequest);
  record.service = name;
  record.operationId = operationId;
  return record;
}

function toMissing(name: string, { services }: Context): GatewayError {
  const known = services.names().join(', ') || 'none';
  return new GatewayError('SERVICE_NOT_FOUND', {
    message: `The hosted service ${name} is missing; this mock has: ${known}.`,
  });
}

function toWords({ kind }: Fault): string | undefined {
  return kind === 'unauthorized'
    ? 'The header Authorization must be "Bearer <ACCESS_TOKEN>" or a TC3-HMAC-SHA256 signature.'
    : undefined;
}
