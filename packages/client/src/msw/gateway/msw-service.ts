import type {
  HttpHandler,
  PathParams,
  RequestHandlerOptions,
  WebSocketHandler,
  WebSocketHandlerConnection,
} from 'msw';

/** One call of a hosted service. It has credentials. */
export interface ServiceRequest {
  /** The request, its body unread. */
  readonly request: Request;
  /** What stands in the place of the parameters of the path. */
  readonly params: PathParams;
}

/**
 * What a hosted service answers: a whole answer, such as `HttpResponse.json(…)`; a text; anything
 * else, as JSON; or nothing, and then the handler before it answers.
 */
export type ServiceAnswer = Response | string | number | boolean | object | null | undefined;

/** Answers a call; `gatewayError(code)` is the gateway's own answer instead. */
export type ServiceResolver = (call: ServiceRequest) => ServiceAnswer | Promise<ServiceAnswer>;

/** An event to send. */
export interface ServiceEventInit {
  /** Type of the event. Default: `message`. */
  readonly event?: string | undefined;
  /** A text, or anything else as JSON. */
  readonly data: unknown;
  /** Default: none; in a list the number of the event, from 1. */
  readonly id?: string | undefined;
}

/**
 * The events of a path. A list is sent once: who comes back after its last event, as clients do, gets
 * 204, which ends their events. A function tells for each connection what it gets: a list, something
 * that gives events in turn, such as an async generator, or a whole answer.
 */
export type EventSourceOf =
  | readonly ServiceEventInit[]
  | ((
      call: ServiceRequest & { readonly lastEventId: string | undefined },
    ) => MaybePromise<
      readonly ServiceEventInit[] | AsyncIterable<ServiceEventInit> | Response | undefined
    >);

type MaybePromise<Value> = Value | Promise<Value>;

/**
 * Handlers of one hosted service, to be given to `setupServer`, `setupWorker` or `server.use`. A path
 * is what follows the service's name, with or without a leading `/`, in the syntax of MSW: `users/:id`.
 * The gateway's rules hold: calls without credentials are refused, and its headers are on the answers.
 */
export interface MswService {
  /**
   * Answers GET, and HEAD without the body.
   *
   * @example
   * server.use(berth.service('users').get('7', () => ({ name: 'Ada' })));
   */
  get(path: string, resolver: ServiceResolver, options?: RequestHandlerOptions): HttpHandler;
  /**
   * Answers POST.
   *
   * @example
   * const orders = berth.service('orders');
   * server.use(orders.post(':user', async ({ request }) => ({ id: 3, ...(await request.json()) })));
   */
  post(path: string, resolver: ServiceResolver, options?: RequestHandlerOptions): HttpHandler;
  /**
   * Answers requests for server-sent events.
   *
   * @example
   * server.use(berth.service('users').events('7/news', [{ event: 'mail', data: { from: 'Bob' } }]));
   */
  events(path: string, events: EventSourceOf, options?: RequestHandlerOptions): HttpHandler;
  /**
   * Takes WebSockets, as `connection` of MSW's `ws.link` does.
   *
   * @example
   * server.use(berth.service('echo').connect('', ({ client }) => {
   *   client.addEventListener('message', ({ data }) => client.send(data));
   * }));
   */
  connect(
    path: string,
    listener: (connection: WebSocketHandlerConnection) => void,
  ): WebSocketHandler;
}
