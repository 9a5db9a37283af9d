import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Duplex } from 'node:stream';
import type { Cors } from '@berth/server-stubs';
import { type Refusal, refusalFor, sendRefusal } from '../contract/surface.ts';
import type { WireProfile } from '../contract/wire-profile.ts';
import { resetSocket, respondTo } from '../util/sockets.ts';
import { FieldError } from '../util/values.ts';
import { type BodyShape, type DueFault, toEffects } from './fault.ts';
import type { FaultRules, FaultSubject } from './fault-rules.ts';
import { parseHeaderFault } from './parse-fault.ts';
import { cutSocket, shapeBody } from './shape-body.ts';

/** A call that faults may apply to, before it is validated. */
export interface FaultedCall {
  readonly request: IncomingMessage;
  /** The session's faults. */
  readonly rules: FaultRules;
  /** Identifies the call. Only called if there are faults. */
  readonly subject: () => FaultSubject;
  /** Called with the call and the names of the faults that apply to it. A rejected call reaches no router. */
  readonly note: (names: readonly string[], subject: FaultSubject) => void;
  /** Called if the call is delayed. Default: does nothing. */
  readonly begin?: () => void;
  /** The surface's CORS headers. */
  readonly cors: Cors;
  readonly profile: WireProfile;
  /** Request ID, if the call already has one. Default: a new one. */
  readonly requestId?: () => string;
}

/** What the faults of a call act on: its response, or the socket of a WebSocket. */
interface FaultTarget {
  readonly connection: NodeJS.EventEmitter;
  readonly socket: Duplex;
  shape(shape: BodyShape): void;
  response(): ServerResponse;
}

/**
 * Applies the faults requested by the session and by the call's `X-Mock-Fault` header, then calls `next`
 * unless a fault ended the call. Without faults, `next` is called synchronously.
 *
 * @param next handles the call
 */
export function doFaults(
  call: FaultedCall & { readonly response: ServerResponse },
  next: () => void,
): void {
  const { request, response } = call;
  const target: FaultTarget = {
    connection: response,
    socket: request.socket,
    shape: (shape) => shapeBody(response, shape),
    response: () => response,
  };
  apply(call, target, next);
}

/**
 * Like `doFaults`, but for a WebSocket. Latency, resets and error responses are applied before the upgrade,
 * and `truncate` and `reset` count the bytes after the response head. `bytesPerSecond` has no effect.
 *
 * @param next handles the upgrade
 */
export function doUpgradeFaults(
  call: FaultedCall & { readonly socket: Duplex },
  next: () => void,
): void {
  const { request, socket } = call;
  const target: FaultTarget = {
    connection: socket,
    socket,
    shape: (shape) => cutSocket(socket, shape),
    response: () => respondTo(request, socket),
  };
  apply(call, target, next);
}

function apply(call: FaultedCall, target: FaultTarget, next: () => void): void {
  let faults: readonly DueFault[];
  try {
    faults = takeFaults(call);
  } catch (error) {
    if (!(error instanceof FieldError)) throw error;
    const { surface } = call.subject();
    const message = `${FAULT_HEADER}: ${error.message}`;
    refuse(refusalFor('invalid', surface, { message }), call, target.response());
    return;
  }
  if (faults.length === 0) {
    next();
    return;
  }
  const subject = call.subject();
  const { latency, reset, refusal, body } = toEffects(faults, subject.surface);
  call.note(
    faults.map(({ name }) => name),
    subject,
  );
  if (latency > 0) call.begin?.();
  wait(latency, target.connection, () => {
    if (reset) {
      resetSocket(target.socket);
      return;
    }
    if (body.limit < Infinity || body.bytesPerSecond < Infinity) target.shape(body);
    if (refusal === undefined) next();
    else refuse(refusal, call, target.response());
  });
}

/** Request header that applies a fault to one call, in compact form. */
export const FAULT_HEADER = 'X-Mock-Fault';

const HEADER = FAULT_HEADER.toLowerCase();

/**
 * Returns the faults to apply to a call: those of its session, followed by the one in its header. Preflights
 * have none, because after a failed preflight the browser would not send the actual call.
 *
 * @throws FieldError for an invalid header
 */
function takeFaults({ request, rules, subject }: FaultedCall): readonly DueFault[] {
  const asked = request.headers[HEADER];
  if ((asked === undefined && rules.isEmpty) || request.method === 'OPTIONS') return [];
  const call = subject();
  // Rejects an invalid header before any rule counts the call.
  const own = asked === undefined ? undefined : parseHeaderFault(String(asked), call);
  const due = rules.take(call);
  return own === undefined ? due : [...due, rules.draw(FAULT_HEADER, own)];
}

/** Waits for a number of milliseconds, or until the client disconnects. */
function wait(ms: number, connection: NodeJS.EventEmitter, then: () => void): void {
  if (ms === 0) {
    then();
    return;
  }
  const forget = () => clearTimeout(timer);
  const timer = setTimeout(() => {
    connection.off('close', forget);
    then();
  }, ms);
  connection.once('close', forget);
}

/** RFC 9110, section 15.5.2: a 401 "MUST send a WWW-Authenticate header field". */
function refuse(
  error: Refusal,
  { request, cors, profile, requestId }: FaultedCall,
  response: ServerResponse,
): void {
  const challenge =
    error.name === 'StorageError'
      ? `ApiKey realm="mock", in="header", name="${profile.storageHeaders.authorization}"`
      : 'Bearer realm="mock"';
  const headers = {
    ...cors.response(request.headers.origin),
    ...(error.status === 401 && { 'www-authenticate': challenge }),
  };
  sendRefusal(error, response, headers, requestId?.());
}
