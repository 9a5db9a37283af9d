import type { FakeService, ServiceCall } from '../../../src/services/fake-service.ts';

type Mark = PromiseWithResolvers<void>;

/** Something that happens once, whether somebody waits for it already or not yet. */
function markOf({ state }: Pick<ServiceCall, 'state'>, name: string): Mark {
  const mark = (state.get(name) as Mark | undefined) ?? Promise.withResolvers<void>();
  state.set(name, mark);
  return mark;
}

/** Calls of `/{id}` are never answered; `/begun/{id}` and `/ended/{id}` tell of them. */
export default {
  routes: {
    'GET /begun/{id}': async (call) => {
      await markOf(call, `begun ${call.params.id}`).promise;
      return { status: 204 };
    },
    'GET /ended/{id}': async (call) => {
      await markOf(call, `ended ${call.params.id}`).promise;
      return { status: 204 };
    },
    'GET /{id}': hang,
    'POST /{id}': hang,
  },
} satisfies FakeService;

async function hang(call: ServiceCall) {
  const { params, headers, signal } = call;
  const ended = markOf(call, `ended ${params.id}`);
  signal.addEventListener('abort', () => ended.resolve());
  markOf(call, `begun ${params.id}`).resolve();
  if (headers.accept === 'text/event-stream') {
    return { events: [{ event: 'started', data: '' }], keepOpen: true };
  }
  return new Promise<never>(() => {});
}
