import type {
  GatewayCall,
  GatewayInput,
  ServiceAnswer,
  WebSocketAnswer,
} from '@berth/server-stubs';
import type { Session } from '../session/session.ts';
import type { ServiceFault } from './loading/service-fault.ts';

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

/** What a defined service answers. */
export interface MockedAnswer extends ServiceAnswer {
  /** No route of the service fits: the service answers 404, or 405 where one fits another method. */
  readonly unmatched?: true;
}
