import { toWireProfile, type WireProfileInput } from '@berth/spec/wire-profile';
import { createMemoryStore, createStorage, type Signer } from '@berth/storage';
import type { RequestHandler, WebSocketHandler } from 'msw';
import { CODE, isCode } from '../services/run-code.ts';
import { findNameProblem, type ServiceHandler, type ServiceSocket } from '../services/service.ts';
import { createSessionFiles, type SessionFiles } from '../sessions/session-files.ts';
import { BUCKET } from '../surface.ts';
import {
  assertOptions,
  ENVIRONMENT,
  FieldError,
  isRecord,
  type OptionRule,
} from '../user-input.ts';
import { handleGateway, handleSockets } from './gateway.ts';
import { report } from './handle-surface.ts';
import { handleLinks, handleStorage, handleUploads } from './storage.ts';

export { GatewayError } from '@berth/server-stubs/contract';
export { events } from '../services/events.ts';
export { routes } from '../services/routes.ts';
export type { SessionFile } from '../sessions/session-files.ts';
export type { ServiceHandler, ServiceSocket, SessionFiles };

/** Options for {@link mswHandlers}: at least one URL, as passed to the clients. */
export interface MswHandlersOptions {
  /** URL of both APIs, such as `https://api.example.com`. */
  readonly baseUrl?: string | undefined;
  /** URL of the gateway. Default: `baseUrl`. Without either, calls of the gateway are not handled. */
  readonly gatewayUrl?: string | undefined;
  /** URL of the storage API, upload target and links. Default: `baseUrl`. Without either, they are not handled. */
  readonly storageUrl?: string | undefined;
  /** The environment. Storage calls to any other are rejected. Default: `dev`. */
  readonly env?: string | undefined;
  /** Hosted services by name. Calls to any other get `SERVICE_NOT_FOUND`. Default: none. */
  readonly services?: Readonly<Record<string, ServiceHandler>> | undefined;
  /** The deployment's wire profile. Default: the contract's names. */
  readonly wireProfile?: WireProfileInput | undefined;
}

/** What {@link mswHandlers} returns. */
export interface MswHandlers {
  /** For `setupServer` or `setupWorker`. MSW uses the first handler that matches, so put your own before these. */
  readonly handlers: readonly (RequestHandler | WebSocketHandler)[];
  /** The hosted services. A test may add and replace them. */
  readonly services: Map<string, ServiceHandler>;
  /** The stored files. */
  readonly files: SessionFiles;
  /** Removes all files, and restores the services that were passed. Call it after each test. */
  reset(): void;
}

/**
 * Creates MSW handlers for both APIs, the upload target and links, for tests and pages without a server. They
 * keep files in memory, and validate requests as the mock does.
 *
 * @throws TypeError that names an invalid option or service
 * @example
 * const berth = mswHandlers({
 *   baseUrl: 'https://api.example.com',
 *   services: { users: routes({ 'GET /7': () => Response.json({ name: 'Ada' }) }) },
 * });
 * const server = setupServer(...berth.handlers);
 * beforeAll(() => server.listen());
 * afterEach(() => berth.reset());
 * afterAll(() => server.close());
 */
export function mswHandlers(options: MswHandlersOptions): MswHandlers {
  assertOptions(options, OPTIONS);
  const { baseUrl, env = 'dev', services: initialServices = {} } = options;
  const gatewayUrl = toAddress(options.gatewayUrl ?? baseUrl);
  const storageUrl = toAddress(options.storageUrl ?? baseUrl);
  const profile = toWireProfile(options.wireProfile);
  const services = new Map<string, ServiceHandler>();
  const blobs = createMemoryStore();
  const handlers: (RequestHandler | WebSocketHandler)[] = [];
  if (gatewayUrl === undefined && storageUrl === undefined) {
    throw new TypeError('Pass baseUrl, gatewayUrl or storageUrl, such as https://api.example.com.');
  }
  if (gatewayUrl !== undefined) {
    const gateway = { baseUrl: gatewayUrl, profile };
    handlers.push(handleGateway(gateway, services), handleSockets(gateway, services));
  }
  if (storageUrl !== undefined) {
    const storage = createStorage({
      blobs,
      signer: SIGNER,
      bucketOf: (name) => (name === env ? BUCKET : undefined),
      publicUrl: storageUrl,
      inline: true,
      onError: (error) => report(error),
    });
    for (const handle of [handleStorage, handleUploads, handleLinks]) {
      handlers.push(handle({ baseUrl: storageUrl, profile }, storage));
    }
  }

  function reset(): void {
    blobs.clear();
    services.clear();
    for (const [name, service] of Object.entries(initialServices)) {
      const problem = findNameProblem(name);
      if (problem !== undefined) throw new FieldError(`services: ${name}`, problem);
      if (!isCode(service)) throw new FieldError(`services: ${name}`, `must be ${CODE}.`);
      services.set(name, service);
    }
  }

  reset();
  return { handlers, services, files: createSessionFiles(blobs, env), reset };
}

const ADDRESS: OptionRule = {
  isValid: (value) => URL.canParse(String(value)),
  requirement: 'a URL such as https://api.example.com',
};

const OPTIONS: { readonly [Name in keyof MswHandlersOptions]-?: OptionRule } = {
  baseUrl: ADDRESS,
  gatewayUrl: ADDRESS,
  storageUrl: ADDRESS,
  env: ENVIRONMENT,
  services: { isValid: isRecord, requirement: 'an object with services by name' },
  wireProfile: { isValid: isRecord, requirement: 'an object' },
};

function toAddress(url: string | undefined): string | undefined {
  return url === undefined ? undefined : new URL(url).href.replace(/\/$/, '');
}

/** The signature is what it signs: a page or a test has no secret to keep, and often no `crypto.subtle`. */
const SIGNER: Signer = {
  sign(values) {
    const bytes = new TextEncoder().encode(JSON.stringify(values));
    return Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join('');
  },
  verify: (values, signature) => SIGNER.sign(values) === signature,
};
