import { relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { GatewayCall, GatewayInput } from '@berth/server-stubs';
import { defaultWireProfile, type WireProfile } from '@berth/spec/wire-profile';
import { type CallRecord, recordOf } from '../log.ts';
import type { Session } from '../session.ts';
import { createHello, echo } from './built-in.ts';
import {
  type CompiledService,
  compileService,
  findServiceFaults,
  handleCall,
  openCall,
  type ServiceContext,
} from './compile-service.ts';
import type { DocumentOptions } from './document-service.ts';
import type { FakeServices } from './fake-service.ts';
import type { FileSource } from './loading/create-file-source.ts';
import { findNameFault } from './routes.ts';
import { type ServiceFault, ServicesError } from './services.ts';

/** The source of services: the path of a folder or file, or definitions. */
export type ServicesSource = string | FakeServices;

/** Callbacks for reloads and errors while the services are in use. */
export interface ServicesEvents {
  /** Called with the changed files once they have been reloaded. */
  readonly onChange?: (files: readonly string[]) => void;
  /** Called for errors in a changed file and for a route function that fails. */
  readonly onFault?: (fault: ServiceFault) => void;
}

export interface ServicesOptions extends ServicesEvents {
  /** Undefined: services of any name exist and return the contract's example. */
  readonly source: ServicesSource | undefined;
  /** Whether to add `hello` and `echo` unless the source defines them. Default true. */
  readonly builtIn?: boolean;
  /** How OpenAPI documents are served. Default: as hosted services. */
  readonly documents?: DocumentOptions;
  /** Default: the contract's names. */
  readonly wireProfile?: WireProfile;
}

/**
 * The hosted services, which are built in or defined by the user. If no services are configured, services with
 * any name exist and return the contract's example.
 */
export type Services = Awaited<ReturnType<typeof createServices>>;

/**
 * Creates the hosted services. Services from files are reloaded when the files change.
 *
 * @throws ServicesError that names file, line and column if a service is invalid on startup
 */
export async function createServices(options: ServicesOptions) {
  const { source, builtIn = true, wireProfile = defaultWireProfile, onFault = () => {} } = options;
  const own = await loadSource(source, options);
  const beside = builtIn ? createBuiltIns() : new Map<string, CompiledService>();
  const find = (name: string) => own.services().get(name) ?? beside.get(name);
  const memories = new WeakMap<Session, Map<string, Map<string, unknown>>>();
  const memoryOf = (name: string, { session }: CallRecord) => {
    const services = memories.get(session) ?? new Map<string, Map<string, unknown>>();
    memories.set(session, services);
    const memory = services.get(name) ?? new Map<string, unknown>();
    services.set(name, memory);
    return memory;
  };
  const toContext = (input: GatewayInput, call: GatewayCall): ServiceContext => ({
    input,
    call,
    memory: () => memoryOf(input.name, recordOf(call.request)),
    report: (route, error) => onFault(describeFailure(error, input.name, route)),
  });

  return {
    find,
    /** Returns whether a service with that name exists. Every service does unless services are configured. */
    has: (name: string) => source === undefined || find(name) !== undefined,
    /** Names of the defined services. */
    names: () => [...new Set([...own.services().keys(), ...beside.keys()])],
    /**
     * Handles a call to a defined service.
     *
     * @returns undefined for the contract's example, which the caller sends
     */
    respond(input: GatewayInput, call: GatewayCall) {
      const service = find(input.name);
      if (service === undefined || service.isExample) return undefined;
      return handleCall(service, toContext(input, call));
    },
    /** Same for WebSockets. Other routes respond as to any call. */
    open(input: GatewayInput, call: GatewayCall) {
      const service = find(input.name);
      if (service === undefined || !canOpen(service)) return undefined;
      const { upstreamStatus } = wireProfile.gatewayHeaders;
      return openCall(service, toContext(input, call), upstreamStatus);
    },
    /** Stops watching files. */
    close: () => own.close(),
  };
}

const FRAME = /(?:\(|at )(file:\/\/[^:]*?)(?:\?[^:)]*)?:(\d+):(\d+)\)?$/m;

/** Describes an error in a route function, with its location. */
function describeFailure(error: unknown, service: string, route: string): ServiceFault {
  const text = error instanceof Error ? `${error.name}: ${error.message}` : String(error);
  const message = `${route} of the service ${service} failed: ${text}`;
  const stack = error instanceof Error ? (error.stack ?? '') : '';
  const [, url, line, column] = FRAME.exec(stack) ?? [];
  if (url === undefined) return { message };
  const file = relative(process.cwd(), fileURLToPath(url));
  return { file, line: Number(line), column: Number(column), message };
}

/** Whether a service has a response of its own to a WebSocket, if only a refusal. */
function canOpen({ routes, proxy, document }: CompiledService): boolean {
  return routes.length > 0 || proxy !== undefined || document !== undefined;
}

async function loadSource(
  source: ServicesSource | undefined,
  {
    onChange = () => {},
    onFault = () => {},
    documents = { isRoot: false, standard: { dynamic: false } },
  }: ServicesOptions,
): Promise<FileSource> {
  if (typeof source === 'string') {
    const { createFileSource } = await import('./loading/create-file-source.ts');
    return createFileSource(source, { onChange, onFault, documents });
  }
  const definitions = Object.entries(source ?? {});
  const faults = definitions.flatMap(([name, service]) => {
    const fault = findNameFault(name);
    const named = fault === undefined ? [] : [`${name} ${fault}`];
    return [...named, ...findServiceFaults(service).map((one) => `${name}: ${one}`)];
  });
  if (faults.length > 0) throw new ServicesError(faults.map((message) => ({ message })));
  const services = new Map(definitions.map(([name, one]) => [name, compileService(name, one)]));
  return { services: () => services, close() {} };
}

function createBuiltIns(): ReadonlyMap<string, CompiledService> {
  return new Map([
    ['hello', createHello()],
    ['echo', compileService('echo', echo)],
  ]);
}
