import { relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import {
  defaultWireProfile,
  GatewayError,
  type GatewayInput,
  type WireProfile,
} from '@berth/server-stubs';
import type { ServiceState } from '../session/service-states.ts';
import type { Session } from '../session/session.ts';
import { type ServiceFault, ServicesError } from '../util/source-file.ts';
import { isObject } from '../util/values.ts';
import { createExample, createHello, createShop, echo } from './built-in.ts';
import { type CompiledRoute, type CompiledService, compileService } from './compile-service.ts';
import type { DocumentOptions } from './documents/documented.ts';
import type { FakeServices } from './fake-service.ts';
import { handleCall, openCall, type ServiceContext } from './handle-call.ts';
import type { FileSource } from './loading/create-file-source.ts';
import { createOpenEnds, type SampleRoute, type Services } from './services.ts';

/** The source of services: the path of a folder or file, definitions, or a list of names. */
export type ServicesSource = string | FakeServices | readonly string[];

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
  /** Whether to add `hello`, `echo` and `shop` unless the source defines them. Default true. */
  readonly builtIn?: boolean;
  /** How OpenAPI documents are served. Default: as hosted services. */
  readonly documents?: Partial<DocumentOptions>;
  /** Current wire names. Default: the contract's. */
  readonly wireProfile?: () => WireProfile;
}

/**
 * Creates the hosted services. Services from files are reloaded when the files change.
 *
 * @throws ServicesError that names file, line and column if a service is invalid on startup
 */
export async function createServices(options: ServicesOptions): Promise<Services> {
  const {
    source,
    builtIn = true,
    wireProfile = () => defaultWireProfile,
    onFault = () => {},
  } = options;
  const openEnds = createOpenEnds();
  const names = Array.isArray(source) ? (source as readonly string[]) : undefined;
  const own = await loadSource(source, options);
  const beside = builtIn ? createBuiltIns() : new Map<string, CompiledService>();
  const find = (name: string): CompiledService | undefined => {
    const found = own.services().get(name);
    if (found !== undefined && !found.isExample) return found;
    if (names === undefined || found !== undefined) return beside.get(name) ?? found;
    return undefined;
  };
  const listNames = () => names ?? [...new Set([...own.services().keys(), ...beside.keys()])];

  const enter = (input: GatewayInput, { services, clock }: Session) => {
    const service = find(input.name);
    const state = services.find(input.name, service?.state);
    if (state !== undefined) throw toStateError(state, clock.now());
    return service;
  };
  const toContext = (
    input: GatewayInput,
    call: ServiceContext['call'],
    session: Session,
  ): ServiceContext => ({
    input,
    call,
    openEnds,
    memory: () => session.services.memoryOf(input.name),
    report: (route, error) => onFault(describeFailure(error, input.name, route)),
  });

  return {
    has: (name) => source === undefined || find(name) !== undefined,
    names: listNames,
    routes: (name) => find(name)?.routes.map(({ text }) => text) ?? [],
    remembers: (name) => find(name)?.remembers ?? [],
    samples: (name) => find(name)?.routes.flatMap(toSample) ?? [],
    faults: own.faults,
    respond(input, call, session) {
      const service = enter(input, session);
      if (service === undefined || service.isExample) return undefined;
      return handleCall(service, toContext(input, call, session));
    },
    open(input, call, session) {
      const service = enter(input, session);
      if (service === undefined || !takesWebSockets(service)) return undefined;
      const { upstreamStatus } = wireProfile().gatewayHeaders;
      return openCall(service, toContext(input, call, session), upstreamStatus);
    },
    async close() {
      own.close();
      openEnds.close();
    },
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

function takesWebSockets({ routes, proxy }: CompiledService): boolean {
  return routes.length > 0 || proxy !== undefined;
}

async function loadSource(
  source: ServicesSource | undefined,
  { onChange = () => {}, onFault = () => {}, documents }: ServicesOptions,
): Promise<FileSource> {
  if (typeof source === 'string') {
    const { createFileSource } = await import('./loading/create-file-source.ts');
    return createFileSource(source, {
      onChange,
      onFault,
      documents: { ...OF_SERVICES, ...documents },
    });
  }
  const services = new Map<string, CompiledService>();
  if (Array.isArray(source)) {
    for (const name of source as readonly string[]) services.set(name, createExample(name));
  } else if (isObject(source)) {
    const { validateServices } = await import('./loading/validate-services.ts');
    const validated = await validateServices(source, process.cwd());
    if ('faults' in validated) throw new ServicesError(validated.faults);
    for (const service of validated.services) services.set(service.name, service);
  }
  return { services: () => services, faults: () => [], close() {} };
}

const OF_SERVICES: DocumentOptions = {
  isRoot: false,
  checksSecurity: false,
  remembers: false,
  standard: { dynamic: false },
};

function toSample(route: CompiledRoute): SampleRoute[] {
  if (!('sample' in route) || route.sample === undefined) return [];
  return [{ text: route.text, method: route.method, create: route.sample }];
}

function createBuiltIns(): ReadonlyMap<string, CompiledService> {
  return new Map([
    ['hello', createHello()],
    ['echo', compileService('echo', echo, '')],
    ['shop', createShop()],
  ]);
}

/**
 * Creates the error response for a service's state. If its code is retryable, `Retry-After` is when the state
 * ends.
 */
function toStateError({ code, until }: ServiceState, now: number): GatewayError {
  const error = new GatewayError(code);
  if (until === undefined || error.retryAfter === undefined) return error;
  return new GatewayError(code, { retryAfter: Math.max(1, Math.ceil((until - now) / 1_000)) });
}
