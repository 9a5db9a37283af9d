/** What users write as hosted services, in the mock and in MSW. Also runs in browsers: must not import Node modules. */
import { GatewayError } from '@berth/server-stubs/contract';
import { suggest } from '../user-input.ts';

/** Responds to calls. The request has the path and query that follow the service's name, and no credentials. */
type FetchHandler = (request: Request) => Response | Promise<Response>;

/** The service's side of a WebSocket. Iterate over it to receive messages until the caller disconnects. */
export interface ServiceSocket extends AsyncIterable<string | Uint8Array> {
  /** Subprotocol; empty if there is none. */
  readonly protocol: string;
  /** Resolves when the next message may be sent, or when the caller has disconnected. */
  send(message: string | Uint8Array): Promise<void>;
  close(code?: number, reason?: string): void;
}

/** Handles a WebSocket. When the function returns, the socket stays open and silent. */
export type SocketHandler = (socket: ServiceSocket, request: Request) => unknown;

/** A hosted service in code: a function, or an object with one or both of these, such as a Hono application. */
export type ServiceHandler =
  | FetchHandler
  | { readonly fetch?: FetchHandler; readonly webSocket?: SocketHandler };

export type OpenApiDocument = Readonly<Record<string, unknown>> &
  ({ readonly openapi: string } | { readonly swagger: string });

/** A hosted service: code, an OpenAPI document (an object, or the path of a file), or the URL of a real service. */
type HostedService = ServiceHandler | string | URL | OpenApiDocument;

/** Hosted services by name. */
export type HostedServices = Readonly<Record<string, HostedService>>;

/** The contract's pattern for names of hosted services. */
const SERVICE_NAME = /^[A-Za-z][\w-]{0,58}[A-Za-z\d]$/;

/** Returns what is wrong with the name of a service, as a predicate; undefined if it is valid. */
export function findNameProblem(name: string): string | undefined {
  if (SERVICE_NAME.test(name)) return undefined;
  return 'is not a valid service name: it must begin with a letter, end with a letter or digit, and have 2 to 60 letters, digits, _ and -.';
}

/** @param where the user adds services: `to the services option` */
export function unknownService(
  name: string,
  names: readonly string[],
  where: string,
): GatewayError {
  const key = name.includes('-') ? `'${name}'` : name;
  const example = `${key}: () => Response.json({})`;
  const message = `The hosted service ${name} does not exist.${suggest(name, names, 'services')} Add it ${where}, such as ${example}.`;
  return new GatewayError('SERVICE_NOT_FOUND', { message });
}
