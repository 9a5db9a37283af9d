import { randomUUID } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Duplex } from 'node:stream';
import { type Call, type Cors, toAnswer } from '@berth/server-stubs';
import { INVALID, type SurfaceName, toRefusal } from '../contract/surface.ts';
import type { WireProfile } from '../contract/wire-profile.ts';
import { FieldError } from '../util/values.ts';
import { type DueFault, type FaultRules, type FaultSubject, RATE_CODES } from './fault.ts';
import { parseFault, toHeaderFault } from './parse-fault.ts';
import { resetSocket, shapeBody, toBodyShape } from './shape-body.ts';

/** A call to which faults may be done, before anything of it is judged. */
export interface FaultedCall {
  readonly request: IncomingMessage;
  /** The faults of its session. */
  readonly rules: FaultRules;
  /** Which call it is; asked only where there are faults. */
  readonly subject: () => FaultSubject;
  /** Cross-origin headers of its surface. */
  readonly cors: Cors;
  readonly profile: WireProfile;
  /** Its identifier, where it has one before it is answered. Default: a new one. */
  readonly requestId?: () => string;
  /** Hears the names of what is done, and to which call, for a refused one reaches no router. */
  readonly note: (names: readonly string[], subject: FaultSubject) => void;
  /** Hears that the call has to wait. Default: nobody listens. */
  readonly begin?: () => void;
}

/** The same for a WebSocket, before the upgrade. */
export interface FaultedUpgrade extends FaultedCall {
  readonly socket: Duplex;
}

interface FaultedRequest extends FaultedCall {
  readonly response: ServerResponse;
}

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

/** What each surface says of a credential that was valid once. */
const EXPIRED: Readonly<Record<SurfaceName, { code: string; message: string }>> = {
  gateway: { code: 'ACCESS_TOKEN_EXPIRED', message: 'The access token has expired.' },
  storage: { code: 'SIGN_PARAM_INVALID', message: 'The credentials have expired.' },
  upload: { code: 'AccessDenied', message: 'The grant has expired.' },
  link: { code: 'AccessDenied', message: 'The link has expired.' },
};

/** The error that a call ends with because of its faults: the first of them that has one. */
export function findRefusal(
  faults: readonly DueFault[],
  surface: SurfaceName,
): ReturnType<typeof toRefusal> | undefined {
  for (const { fault, retryAfter } of faults) {
    if (retryAfter !== undefined) return toRefusal(surface, RATE_CODES[surface], { retryAfter });
    if (fault.code !== undefined) return toRefusal(surface, fault.code);
    if (fault.expiredToken === true) {
      const { code, message } = EXPIRED[surface];
      return toRefusal(surface, code, { message });
    }
  }
  return undefined;
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

/** Request header that asks for a fault of one call, in the compact form. */
export const FAULT_HEADER = 'X-Mock-Fault';

const HEADER = FAULT_HEADER.toLowerCase();

const NONE: readonly DueFault[] = [];

/**
 * The faults that are to be done to a call: those of its session, then the one of its header. A preflight
 * has none, for then a browser would not send the call that is meant.
 *
 * @throws FieldError for a bad header
 */
function dueFaults({ request, rules, subject }: FaultedCall): readonly DueFault[] {
  const asked = request.headers[HEADER];
  if ((asked === undefined && rules.isEmpty) || request.method === 'OPTIONS') return NONE;
  const call = subject();
  // A bad header is told before a rule is counted.
  const own = asked === undefined ? undefined : toHeaderFault(parseFault(String(asked)), call);
  const due = rules.take(call);
  return own === undefined ? due : [...due, rules.draw(FAULT_HEADER, own)];
}

/** Milliseconds of all faults together. */
function latencyOf(faults: readonly DueFault[]): number {
  return faults.reduce((sum, fault) => sum + fault.latency, 0);
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

/**
 * Answers with an error of the contract in place of the router: with the headers of every answer, and
 * the body unread. Node reads and drops the rest of it, so that the connection can be kept.
 */
export function sendRefusal(
  error: ReturnType<typeof toRefusal>,
  { request, cors, profile, requestId = randomUUID }: FaultedCall,
  response: ServerResponse,
): void {
  const rawPath = request.url?.split('?', 1)[0] ?? '/';
  const call = { request, requestId: requestId(), rawPath } as unknown as Call;
  const { status, headers, body } = error[toAnswer](call);
  const text = typeof body === 'string' ? body : JSON.stringify(body);
  const all = {
    ...cors.answer(request.headers.origin),
    'content-type': 'application/json',
    ...(status === 401 && { 'www-authenticate': toChallenge(error.name, profile) }),
    // A client that waits for the word to send its body is told no, and sends none.
    ...(request.headers.expect !== undefined && { connection: 'close' }),
    ...headers,
    'content-length': Buffer.byteLength(text),
  };
  for (const [name, value] of Object.entries(all)) {
    if (value !== undefined) response.setHeader(name, value);
  }
  response.writeHead(status);
  response.end(isHead(request) ? undefined : text);
}

/** RFC 9110, section 15.5.2: a 401 "MUST send a WWW-Authenticate header field". */
function toChallenge(error: string, { storageHeaders }: FaultedCall['profile']): string {
  return error === 'StorageError'
    ? `ApiKey realm="mock", in="header", name="${storageHeaders.authorization}"`
    : 'Bearer realm="mock"';
}

function isHead({ method }: IncomingMessage): boolean {
  return method === 'HEAD';
}
