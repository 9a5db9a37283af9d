import type { IncomingHttpHeaders } from 'node:http';
import { buffer } from 'node:stream/consumers';
import {
  createGatewayRouter,
  type GatewayCall,
  GatewayError,
  type GatewayHandler,
  type GatewayInput,
  type GatewayRouter,
  type HttpError,
  type ServiceResponse,
  type WebSocketHandler,
} from '@berth/server-stubs';
import { type EnvOption, isLoopback } from '@berth/server-stubs/contract';
import type { Context } from '../context.ts';
import { listExamples, toExample } from '../contract/contract.ts';
import type { Preferences } from '../contract/oracle/read-preferences.ts';
import { type CallRecord, recordOf } from '../log.ts';
import type { ResolvedOptions } from '../options.ts';
import { isObject } from '../util/values.ts';
import type { Auth } from './auth/auth.ts';
import { consult, preferencesOf } from './consult.ts';
import { toRouterOptions } from './router-options.ts';

/**
 * Creates the gateway. Defined services respond to their calls; for all other services, the gateway returns
 * the contract's examples.
 */
export function createGateway(context: Context, auth: Auth): GatewayRouter {
  const examples = listExamples();

  const call: GatewayHandler = (input, call) => {
    const record = noteService(input, call);
    // A document has responses of its own to choose from.
    const isDocument = context.services.find(input.name)?.document !== undefined;
    const preferences = isDocument ? undefined : preferencesOf(call, 'gateway', context);
    if (preferences !== undefined) return ask(input, call, preferences);
    const response = context.services.respond(input, call);
    if (response === undefined) {
      return context.standard.dynamic
        ? ask(input, call, context.standard)
        : serveExample(input, call, record);
    }
    return response;
  };

  function serveExample(input: GatewayInput, call: GatewayCall, record: CallRecord) {
    const example = toExample(examples.get(call.operationId), call.request.headers.accept);
    if (example === undefined) return ask(input, call, context.standard);
    assertThere(input);
    const response = () => toServiceResponse(example, input.headers);
    return input.body === undefined ? response() : assertPayload(input, record).then(response);
  }

  async function ask(input: GatewayInput, call: GatewayCall, preferences: Preferences) {
    const record = recordOf(call.request);
    assertThere(input);
    await assertPayload(input, record);
    return consult(context, call, 'gateway', preferences);
  }

  function assertThere({ name }: GatewayInput): void {
    if (context.services.has(name)) return;
    const known = context.services.names().join(', ') || 'none';
    throw new GatewayError('SERVICE_NOT_FOUND', {
      message: `The hosted service ${name} does not exist; this mock has: ${known}.`,
    });
  }

  const webSocket: WebSocketHandler = async (input, call) => {
    const record = noteService(input, call);
    const response = await context.services.open(input, call);
    if (response !== undefined) {
      record.status = response.status;
      return response;
    }
    assertThere(input);
    throw new GatewayError('SYS_ERR', {
      status: 501,
      message: `This mock does not define a WebSocket for the service ${input.name}.`,
    });
  };

  return createGatewayRouter(
    { call, webSocket },
    {
      ...toRouterOptions(context, toWords),
      env: toEnvOption(context.options),
      security: auth.gateway,
    },
  );
}

/**
 * Validates the body of a call to a service without a definition, as the contract documents it: JSON must be
 * an object.
 *
 * D13: "The gateway forwards a POST of any content type." So for a body with another type, or a compressed
 * one, only the size is checked, and it is validated like an empty object. A POST may also have no body.
 *
 * @throws GatewayError INVALID_REQUEST
 */
async function assertPayload({ body, headers }: GatewayInput, record: CallRecord): Promise<void> {
  if (body === undefined) return;
  const bytes = await buffer(body);
  if (bytes.length === 0 || !isJson(headers)) return;
  const refuse = (message: string) => {
    record.reason = message;
    return new GatewayError('INVALID_REQUEST', { message });
  };
  const value = parse(bytes);
  if (value === undefined) {
    throw refuse('The body is not valid JSON: check quotes, commas and brackets.');
  }
  if (!isObject(value)) {
    const kind = value === null ? 'null' : Array.isArray(value) ? 'an array' : `a ${typeof value}`;
    throw refuse(`The body must be an object, got ${kind}.`);
  }
}

function isJson(headers: IncomingHttpHeaders): boolean {
  const { 'content-type': contentType = 'application/json', 'content-encoding': coding } = headers;
  if (coding !== undefined && coding.toLowerCase() !== 'identity') return false;
  return /^\s*application\/(json|[^;]+\+json)\s*(;|$)/i.test(contentType);
}

function parse(bytes: Buffer): unknown {
  try {
    return JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(bytes));
  } catch {
    return undefined;
  }
}

function noteService({ name }: GatewayInput, { request, operationId }: GatewayCall) {
  const record = recordOf(request);
  record.service = name;
  record.operationId = operationId;
  return record;
}

function toServiceResponse(
  { type, value }: NonNullable<ReturnType<typeof toExample>>,
  { 'last-event-id': lastId }: GatewayInput['headers'],
): ServiceResponse {
  const text = typeof value === 'string' ? value : JSON.stringify(value);
  const isEvents = type === 'text/event-stream';
  const body = isEvents ? eventsAfter(text, lastId) : text;
  // WHATWG HTML, section 9.2.1: a 204 makes clients stop reconnecting.
  if (isEvents && body === '') return { status: 204 };
  return { status: 200, headers: { 'content-type': type }, body };
}

/** Returns the events after the one with an ID; all events if there is none. */
function eventsAfter(text: string, id: string | string[] | undefined): string {
  const events = text.split(/(?<=\n\n)/);
  return events.slice(events.findIndex((event) => event.startsWith(`id: ${id}\n`)) + 1).join('');
}

function toWords({ kind }: HttpError): string | undefined {
  return kind === 'unauthorized'
    ? 'The Authorization header must be "Bearer <ACCESS_TOKEN>" or a TC3-HMAC-SHA256 signature.'
    : undefined;
}

/**
 * Returns the router option for the hosts that belong to the mock's environment. D12: "a server that
 * has a single environment also accepts any loopback host". A mock that is exposed to the network also
 * accepts any IP address, because it does not know which one callers use.
 */
function toEnvOption({ env, host }: Pick<ResolvedOptions, 'env' | 'host'>): EnvOption {
  if (isLoopback(host)) return env;
  const own = [env, host.split('.', 1)[0]].map((label) => label?.toLowerCase());
  // The router passes the first label, or a complete loopback host.
  return (label) =>
    own.includes(label.toLowerCase()) || isLoopback(label) || /^(\d{1,3}$|\[)/.test(label);
}
