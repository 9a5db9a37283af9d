import type {
  GatewayCall,
  GatewayInput,
  ServiceResponse,
  WebSocketResponse,
} from '@berth/server-stubs';
import type { Session } from '../session/session.ts';
import type { ServiceFault } from '../util/source-file.ts';
import type { Params } from './routes.ts';

/** The response from a defined service. */
export interface MockedResponse extends ServiceResponse {
  /**
   * Whether no route of the service matched. The response is then a 404, or a 405 if a route matches another
   * method.
   */
  readonly unmatched?: true;
}

/**
 * A mock's hosted services. They are built in or defined by the user. If no services are configured, services
 * with any name exist and return the contract's example.
 */
export interface Services {
  /** Returns whether a service with that name exists. Every service does unless services are configured. */
  has(name: string): boolean;
  /** Names of the defined services. */
  names(): readonly string[];
  /** Returns the routes of a defined service, most specific first: `GET /orders/{id}`. */
  routes(name: string): readonly string[];
  /** Returns the collections that a service remembers: `items (POST, GET)`. */
  remembers(name: string): readonly string[];
  /** Returns the routes that come from the service's document. */
  samples(name: string): readonly SampleRoute[];
  /** Current errors in the files; the last valid version of those services stays in use. */
  faults(): readonly ServiceFault[];
  /**
   * Handles a call to a defined service.
   *
   * @returns undefined for the contract's example, which the caller sends according to the mock's mode
   * @throws GatewayError if the service is in a state of the error table
   */
  respond(
    input: GatewayInput,
    call: GatewayCall,
    session: Session,
  ): Promise<MockedResponse> | MockedResponse | undefined;
  /** Same for WebSockets. Other routes respond as to any call. */
  open(
    input: GatewayInput,
    call: GatewayCall,
    session: Session,
  ): Promise<WebSocketResponse | MockedResponse> | WebSocketResponse | MockedResponse | undefined;
  /** Stops watching files and closes open connections. */
  close(): Promise<void>;
}

/** A route from a document. */
export interface SampleRoute {
  readonly text: string;
  readonly method: string;
  /** Creates a valid call. */
  readonly create: () => Promise<SampleCall>;
}

export interface SampleCall {
  readonly target: string;
  /** Media type of the body. */
  readonly type?: string;
  readonly body?: string;
}

/** Things that stay open while a caller is connected, and end with the mock at the latest. */
interface OpenEnds {
  /** Registers a function that ends something; returns a function that unregisters it. */
  add(end: () => void): () => void;
  /** Ends everything that is open, and immediately ends anything added later. */
  close(): void;
}

/** A call that matched a route. */
export interface RouteContext {
  readonly input: GatewayInput;
  readonly call: GatewayCall;
  readonly params: Params;
  /** Data shared by the session's calls. */
  readonly memory: () => Map<string, unknown>;
  readonly openEnds: OpenEnds;
  /** Reports that a function failed. */
  readonly report: (error: unknown) => void;
}

export type RouteHandler = (context: RouteContext) => MockedResponse | Promise<MockedResponse>;

/** A response from the service itself to a call that it cannot handle, with a message for the developer. */
export class ServiceRefusal extends Error {
  override readonly name = 'ServiceRefusal';
  readonly status: number;

  constructor(status: number, message: string) {
    super(message);
    this.status = status;
  }
}

/**
 * Creates the response `{ "message": … }` for a call that the service rejects. It is not a gateway error,
 * which would have a code and a request ID.
 */
export function toRefusal(
  status: number,
  message: string,
  headers?: Readonly<Record<string, string>>,
): MockedResponse {
  return {
    status,
    headers: { 'content-type': 'application/json', ...headers },
    body: JSON.stringify({ message }),
  };
}

export function createOpenEnds(): OpenEnds {
  const ends = new Set<() => void>();
  let isClosed = false;
  return {
    add(end) {
      if (isClosed) end();
      else ends.add(end);
      return () => ends.delete(end);
    },
    close() {
      isClosed = true;
      for (const end of ends) end();
      ends.clear();
    },
  };
}
