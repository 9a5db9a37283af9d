import type {
  GatewayCall,
  GatewayInput,
  ServiceAnswer,
  WebSocketAnswer,
} from '@berth/server-stubs';
import type { Session } from '../session/session.ts';
import type { ServiceFault } from '../util/source-file.ts';
import type { Params } from './routes.ts';

/** What a defined service answers. */
export interface MockedAnswer extends ServiceAnswer {
  /** No route of the service fits: the service answers 404, or 405 where one fits another method. */
  readonly unmatched?: true;
}

/** The hosted services of a mock: those built in, those of files, or any name with the contract's example. */
export interface Services {
  /** Whether there is a service of that name: where nothing was said of services, there is every one. */
  has(name: string): boolean;
  /** Names that are defined. */
  names(): readonly string[];
  /** Routes of a defined service, the most exact first: `GET /orders/{id}`. */
  routes(name: string): readonly string[];
  /** What is wrong with the files now; the last good version of those services goes on answering. */
  faults(): readonly ServiceFault[];
  /**
   * Answers a call of a defined service.
   *
   * @returns undefined where the contract's example is to answer: the caller does that by the mock's mode
   * @throws GatewayError where the service is in a state of the error table
   */
  answer(
    input: GatewayInput,
    call: GatewayCall,
    session: Session,
  ): Promise<MockedAnswer> | MockedAnswer | undefined;
  /** The same for WebSockets. A route that is none is answered like any call. */
  open(
    input: GatewayInput,
    call: GatewayCall,
    session: Session,
  ): Promise<WebSocketAnswer | MockedAnswer> | WebSocketAnswer | MockedAnswer | undefined;
  /** Stops watching files and ends what is open. */
  close(): Promise<void>;
}

/** What is open for as long as a caller stays: it ends with the mock at the latest. */
interface OpenEnds {
  /** Remembers how to end something; gives a function that forgets it. */
  add(end: () => void): () => void;
  /** Ends all that is open, and whatever is added later at once. */
  close(): void;
}

/** A call on the route that fits it. */
export interface RouteContext {
  readonly input: GatewayInput;
  readonly call: GatewayCall;
  readonly params: Params;
  /** What the service keeps between calls of the session. */
  readonly memory: () => Map<string, unknown>;
  readonly openEnds: OpenEnds;
  /** Tells whoever runs the mock that a function failed. */
  readonly report: (error: unknown) => void;
}

export type Answerer = (context: RouteContext) => MockedAnswer | Promise<MockedAnswer>;

/** An answer that a service itself gives to a call that it cannot take, in words for the developer. */
export class ServiceRefusal extends Error {
  override readonly name = 'ServiceRefusal';
  readonly status: number;

  constructor(status: number, message: string) {
    super(message);
    this.status = status;
  }
}

/** `{ "message": … }`: no error of the gateway, which has a code and a request ID. */
export function toRefusal(
  status: number,
  message: string,
  headers?: Readonly<Record<string, string>>,
): MockedAnswer {
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
