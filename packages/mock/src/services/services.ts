import type {
  GatewayCall,
  GatewayInput,
  ServiceAnswer,
  WebSocketAnswer,
} from '@berth/server-stubs';
import type { Session } from '../session/session.ts';

/** The hosted services of a mock: those built in, those of files, or any name with the contract's example. */
export interface Services {
  /** Names that are defined. */
  names(): readonly string[];
  /**
   * Answers a call of a defined service.
   *
   * @returns undefined where no service of that name is defined, or none of its routes fits: the caller
   *   answers by the mock's mode, and logs it as unmatched
   * @throws GatewayError where the service is in a state of the error table
   */
  answer(
    input: GatewayInput,
    call: GatewayCall,
    session: Session,
  ): Promise<ServiceAnswer> | ServiceAnswer | undefined;
  /** The same for WebSockets. */
  open(
    input: GatewayInput,
    call: GatewayCall,
    session: Session,
  ): Promise<WebSocketAnswer | ServiceAnswer> | WebSocketAnswer | ServiceAnswer | undefined;
  /** Stops watching files and ends what is open. */
  close(): Promise<void>;
}
