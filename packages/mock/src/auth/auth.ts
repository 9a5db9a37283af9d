import type { IncomingMessage } from 'node:http';
import type {
  GatewayCall,
  GatewayInput,
  GatewaySecurity,
  StorageSecurity,
} from '@berth/server-stubs';

/** Who is let in. */
export interface Auth {
  readonly gateway: GatewaySecurity;
  readonly storage: StorageSecurity;
  /** Puts credentials where there are none, if everybody is let in. */
  prepare?(request: IncomingMessage): void;
  /**
   * Judges what of a signature covers the body.
   *
   * @returns the input with its body still to be read; undefined where there is nothing to judge
   * @throws GatewayError INVALID_CREDENTIALS, asynchronously
   */
  verifyBody(input: GatewayInput, call: GatewayCall): Promise<GatewayInput> | undefined;
}
