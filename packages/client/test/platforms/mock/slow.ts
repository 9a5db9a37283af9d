import { defineService, type ServiceCall } from '@berth/mock';

/** The `slow` service for the mock, whose calls share `state`. */
export const slow = defineService({
  routes: {
    'GET /begun/{id}': (call) => sendMark(call, 'begun'),
    'GET /ended/{id}': (call) => sendMark(call, 'ended'),
    'GET /{id}': hang,
    'POST /{id}': hang,
  },
});

type Mark = PromiseWithResolvers<void>;

async function sendMark(call: ServiceCall, kind: 'begun' | 'ended') {
  await markOf(call, kind).promise;
  return { status: 204 };
}

async function hang(call: ServiceCall) {
  const ended = markOf(call, 'ended');
  call.signal.addEventListener('abort', () => ended.resolve());
  markOf(call, 'begun').resolve();
  if (call.headers.accept === 'text/event-stream') {
    return { events: [{ event: 'started', data: '' }], keepOpen: true };
  }
  return new Promise<never>(() => {});
}

/** A one-time event that can be awaited before and after it happens. */
function markOf({ state, params }: ServiceCall, kind: 'begun' | 'ended'): Mark {
  const name = `${kind} ${params.id}`;
  const mark = (state.get(name) as Mark | undefined) ?? Promise.withResolvers<void>();
  state.set(name, mark);
  return mark;
}
