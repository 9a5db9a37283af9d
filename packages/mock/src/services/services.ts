import type { GatewayCall, GatewayInput, ServiceResponse } from '@berth/server-stubs';
import type { Params } from './routes.ts';

export interface MockedResponse extends ServiceResponse {
  /**
   * Whether no route of the service matched. The response is then a 404, or a 405 if a route matches another
   * method.
   */
  readonly unmatched?: true;
}

/** A call that matched a route. */
export interface RouteContext {
  readonly input: GatewayInput;
  readonly call: GatewayCall;
  readonly params: Params;
  readonly memory: () => Map<string, unknown>;
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
export function toMessageResponse(
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

/** An error in a service definition, with its location. */
export interface ServiceFault {
  /** Path as in the option; undefined for services defined in code. */
  readonly file?: string;
  /** From 1. */
  readonly line?: number;
  readonly column?: number;
  /** One or more sentences: the field, what it must be, and how to fix it. */
  readonly message: string;
}

/** Thrown if services cannot be loaded at startup, when there is no earlier valid version. */
export class ServicesError extends TypeError {
  override readonly name = 'ServicesError';
  readonly faults: readonly ServiceFault[];

  constructor(faults: readonly ServiceFault[]) {
    super(faults.map(describeServiceFault).join('\n'));
    this.faults = faults;
  }
}

/** Formats an error with its location: `services/orders.ts:4:12: …` */
export function describeServiceFault({ file, line, column, message }: ServiceFault): string {
  const place = [file, line, column].filter((part) => part !== undefined).join(':');
  return place === '' ? message : `${place}: ${message}`;
}

const WORDS: Readonly<Record<string, string>> = {
  ENOENT: 'no such file or folder',
  EISDIR: 'it is a folder',
  ENOTDIR: 'it is a file, not a folder',
  EACCES: 'permission denied',
};

/** Returns why a file or a folder cannot be read, as the end of a sentence without its full stop. */
export function describeFileError({ code = '', message }: NodeJS.ErrnoException): string {
  return WORDS[code] ?? message;
}
