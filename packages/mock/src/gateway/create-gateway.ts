import {
  createGatewayRouter,
  type Fault,
  type GatewayCall,
  GatewayError,
  type GatewayHandler,
  type GatewayInput,
  type GatewayRouter,
  type ServiceAnswer,
  type WebSocketHandler,
} from '@berth/server-stubs';
import type { Auth } from '../auth/auth.ts';
import type { Context } from '../context.ts';
import { listExamples } from '../contract/examples.ts';
import { idsOf } from '../contract/operations.ts';
import { type Example, toExample } from '../contract/to-example.ts';
import { consult, preferencesOf } from '../oracle/consult.ts';
import type { Preferences } from '../oracle/read-preferences.ts';
import type { CallRecord } from '../record/call-record.ts';
import { recordOf } from '../record/recorded-request.ts';
import { toRouterOptions } from '../router-options.ts';
import type { MockedAnswer } from '../services/services.ts';
import { readPayload } from './read-payload.ts';
import { toEnvOption } from './to-env-option.ts';

/** The gateway: services that are defined answer, all others with the examples of the contract. */
export function createGateway(context: Context, auth: Auth): GatewayRouter {
  const examples = listExamples(context.contract.documents);

  const call: GatewayHandler = (input, call) => {
    const record = noteService(input, call);
    const verified = auth.verifyBody(input, call);
    return verified === undefined
      ? answer(input, call, record)
      : verified.then((signed) => answer(signed, call, record));
  };

  function answer(input: GatewayInput, call: GatewayCall, record: CallRecord) {
    const preferences = preferencesOf(call, 'gateway', context);
    if (preferences !== undefined) return ask(input, call, preferences);
    const answer = context.services.answer(input, call, record.session);
    if (answer === undefined) {
      const { dynamic } = context;
      return dynamic ? ask(input, call, dynamic) : answerStatic(input, call, record);
    }
    if (!(answer instanceof Promise)) return note(answer, record);
    // What takes its time is in the log while it does.
    record.begin(call.requestId);
    return answer.then((late) => note(late, record));
  }

  function answerStatic(input: GatewayInput, call: GatewayCall, record: CallRecord) {
    assertThere(input, record);
    const example = toExample(examples.get(call.operationId), call.request.headers.accept);
    if (input.body === undefined && example !== undefined) return toServiceAnswer(example);
    return readPayload(input, record).then((body) =>
      example === undefined ? askFor(body, input, call) : toServiceAnswer(example),
    );
  }

  async function ask(input: GatewayInput, call: GatewayCall, preferences: Preferences) {
    const record = recordOf(call.request);
    assertThere(input, record);
    return askFor(await readPayload(input, record), input, call, preferences);
  }

  function askFor(
    body: unknown,
    { name, anyPath }: GatewayInput,
    call: GatewayCall,
    preferences?: Preferences,
  ) {
    const question = { surface: 'gateway', params: { name, anyPath }, body } as const;
    return consult(context, call, question, preferences);
  }

  function assertThere({ name }: GatewayInput, record: CallRecord): void {
    if (context.services.has(name)) return;
    record.matched = false;
    const known = context.services.names().join(', ') || 'none';
    throw new GatewayError('SERVICE_NOT_FOUND', {
      message: `The hosted service ${name} is missing; this mock has: ${known}.`,
    });
  }

  const webSocket: WebSocketHandler = async (input, call) => {
    const record = noteService(input, call);
    const answer = await context.services.open(input, call, record.session);
    if (answer !== undefined) {
      record.status = answer.status;
      record.matched = !('unmatched' in answer && answer.unmatched === true);
      record.begin(call.requestId);
      return answer;
    }
    assertThere(input, record);
    record.matched = false;
    throw new GatewayError('SYS_ERR', {
      status: 501,
      message: `No WebSocket of the service ${input.name} is defined in this mock.`,
    });
  };

  return createGatewayRouter(
    {
      ...Object.fromEntries(idsOf(context.operations, 'gateway').map((id) => [id, call])),
      webSocket,
    },
    {
      ...toRouterOptions(context, 'gateway', toWords),
      env: toEnvOption(context.options),
      security: auth.gateway,
    },
  );
}

function noteService({ name }: GatewayInput, { request, operationId }: GatewayCall) {
  const record = recordOf(request);
  record.service = name;
  record.operationId = operationId;
  return record;
}

function toServiceAnswer({ type, value }: Example): ServiceAnswer {
  return {
    status: 200,
    headers: { 'content-type': type },
    body: typeof value === 'string' ? value : JSON.stringify(value),
  };
}

function note(answer: MockedAnswer, record: CallRecord): MockedAnswer {
  record.matched = answer.unmatched !== true;
  return answer;
}

function toWords({ kind }: Fault): string | undefined {
  return kind === 'unauthorized'
    ? 'The header Authorization must be "Bearer <ACCESS_TOKEN>" or a TC3-HMAC-SHA256 signature.'
    : undefined;
}
