import type { ServerResponse } from 'node:http';
import { FieldError } from '../field-error.ts';
import { INVALID, toRefusal } from '../refusals/to-refusal.ts';
import { toBodyShape } from './body-shape.ts';
import { dueFaults, FAULT_HEADER } from './due-faults.ts';
import type { DueFault } from './fault-rules.ts';
import type { FaultedCall, FaultedRequest } from './faulted-call.ts';
import { findRefusal } from './find-refusal.ts';
import { resetSocket } from './reset-socket.ts';
import { sendRefusal } from './send-refusal.ts';
import { shapeBody } from './shape-body.ts';

/**
 * Does to a call what its session and its header `X-Mock-Fault` ask for, and then, unless it is answered
 * or lost by that, lets it go on. Without faults it goes on in the same turn.
 *
 * @param next answers the call
 */
export function doFaults(call: FaultedRequest, next: () => void): void {
  const { request, response } = call;
  const faults = takeOr(call, (error) => refuse(error, call, response));
  if (faults === undefined) return;
  if (faults.length === 0) {
    next();
    return;
  }
  wait(faults, response, () => {
    if (faults.some(({ fault }) => fault.reset === true)) {
      resetSocket(request.socket);
      return;
    }
    const shape = toBodyShape(faults);
    if (shape !== undefined) shapeBody(response, shape);
    const refusal = findRefusal(faults, call.subject().surface);
    if (refusal === undefined) next();
    else sendRefusal(refusal, call, response);
  });
}

/** The faults of a call; undefined where its header was refused. */
export function takeOr(
  call: FaultedCall,
  refuse: (error: FieldError) => void,
): readonly DueFault[] | undefined {
  try {
    const faults = dueFaults(call);
    if (faults.length > 0) {
      call.note(
        faults.map(({ name }) => name),
        call.subject(),
      );
      if (latencyOf(faults) > 0) call.begin?.();
    }
    return faults;
  } catch (error) {
    if (!(error instanceof FieldError)) throw error;
    refuse(error);
    return undefined;
  }
}

/** Refuses a header that asks for what there is not. */
export function refuse(error: FieldError, call: FaultedCall, response: ServerResponse): void {
  const { surface } = call.subject();
  const message = `${FAULT_HEADER}: ${error.message}`;
  sendRefusal(toRefusal(surface, INVALID[surface], { message }), call, response);
}

/** Waits as long as all faults together; whoever goes away meanwhile is forgotten. */
export function wait(
  faults: readonly DueFault[],
  connection: NodeJS.EventEmitter,
  then: () => void,
): void {
  const latency = latencyOf(faults);
  if (latency === 0) {
    then();
    return;
  }
  const forget = () => clearTimeout(timer);
  const timer = setTimeout(() => {
    connection.off('close', forget);
    then();
  }, latency);
  connection.once('close', forget);
}

/** Milliseconds of all faults together. */
function latencyOf(faults: readonly DueFault[]): number {
  return faults.reduce((sum, fault) => sum + fault.latency, 0);
}
