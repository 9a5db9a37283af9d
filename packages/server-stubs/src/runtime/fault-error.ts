import type { Fault } from './fault.ts';

/**
 * A fault as an error. The multipart stream throws it for a broken or too large form; a handler may
 * let it pass, and the router answers with the fault.
 */
export class FaultError extends Error {
  override readonly name = 'FaultError';
  readonly fault: Fault;

  constructor(fault: Fault) {
    super(fault.message, { cause: fault.cause });
    this.fault = fault;
  }
}
