import {
  createEventStream,
  type GatewayCall,
  GatewayError,
  type GatewayHandler,
  type GatewayInput,
  type ServiceResponse,
} from '@berth/server-stubs';
import document from '@berth/spec/gateway.v1.json' with { type: 'json' };
import { SERVICE_NAMES } from '../choices.ts';

type Service = (
  input: GatewayInput,
  call: GatewayCall,
) => ServiceResponse | Promise<ServiceResponse>;

const EVENTS = 'text/event-stream';
const TEXT = 'text/plain';
const { examples, responses } = document.components;

/** The events of the contract's example. */
const EXAMPLE = responses.ServiceResponse['x-berth-content'][EVENTS].examples.events.value
  .trim()
  .split('\n\n')
  .map((event) => event.replace(/^id: .*\ndata: /, ''));

/** Milliseconds between two events, so that readers see them arrive. */
const PACE = 500;

const TICKS = Array.from({ length: 10 }, (_, at) => `tick ${at + 1}`);

/** The hosted services of the playground, by name. */
const SERVICES: Readonly<Record<(typeof SERVICE_NAMES)[number], Service>> = {
  /** Returns the contract's example in the type that the caller accepts. */
  hello(input, call) {
    if (input.headers.accept === EVENTS) return toStream(input, call, EXAMPLE);
    if (input.headers.accept !== TEXT) return toJson(examples.Greeting.value);
    return { status: 200, headers: { 'content-type': TEXT }, body: examples.Text.value };
  },
  /** Returns what it receives; as events, each value of `data` in the query. */
  async echo(input, call) {
    const { method, target, headers, rawQuery } = input;
    const data = new URLSearchParams(rawQuery).getAll('data');
    if (headers.accept === EVENTS) return toStream(input, call, data);
    return toJson({ method, target, headers, body: await toText(input) });
  },
  /** Sends ten events, whatever the caller accepts. */
  clock: (input, call) => toStream(input, call, TICKS),
};

/** Calls a hosted service. */
export const callService: GatewayHandler = (input, call) => {
  const name = SERVICE_NAMES.find((one) => one === input.name);
  if (name) return SERVICES[name](input, call);
  const message = `The hosted service ${input.name} does not exist; the playground has: ${SERVICE_NAMES.join(', ')}.`;
  throw new GatewayError('SERVICE_NOT_FOUND', { message });
};

function toJson(value: unknown): ServiceResponse {
  return {
    status: 200,
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(value),
  };
}

/** Sends each text as an event, starting after the one that the caller has received last. */
function toStream(
  { headers }: GatewayInput,
  call: GatewayCall,
  events: readonly string[],
): ServiceResponse {
  const start = Number(headers['last-event-id'] ?? 0) || 0;
  // WHATWG HTML, section 9.2.1: a 204 makes clients stop reconnecting.
  if (events.length > 0 && start >= events.length) return { status: 204 };
  const { body, send, close } = createEventStream(call, { heartbeat: 0 });
  void (async () => {
    for (const [at, data] of events.entries()) {
      if (at < start) continue;
      if (at > start) await new Promise((resolve) => setTimeout(resolve, PACE));
      if (!(await send({ id: String(at + 1), data }))) return;
    }
    close();
  })();
  return { status: 200, headers: { 'content-type': EVENTS, 'cache-control': 'no-cache' }, body };
}

async function toText({ body }: GatewayInput): Promise<string | undefined> {
  if (body === undefined) return undefined;
  const chunks: Uint8Array<ArrayBuffer>[] = [];
  for await (const chunk of body) chunks.push(chunk);
  return new Blob(chunks).text();
}
