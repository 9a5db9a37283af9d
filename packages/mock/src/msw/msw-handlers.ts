import { toWireProfile, type WireProfileInput } from '@berth/spec/wire-profile';
import { createMemoryStore, createStorage, type Signer } from '@berth/storage';
import type { RequestHandler, WebSocketHandler } from 'msw';
import { BUCKET } from '../contract/surface.ts';
import { FaultRules, type SessionFaults } from '../faults/fault-rules.ts';
import { findNameFault } from '../services/routes.ts';
import { createSessionFiles, type SessionFiles } from '../session-files.ts';
import { createGateway, createSockets } from './gateway.ts';
import type { HostedService } from './services.ts';
import { createLinkSurface, createStorageSurface, createUploadSurface } from './storage.ts';
import { handleSurface, report } from './surface.ts';

/** API URLs, as passed to the clients: one for both APIs, or one for each. */
type Addresses =
  | {
      /** URL of both APIs, such as `https://api.example.com`. */
      readonly baseUrl: string;
      /** Not allowed with `baseUrl`. */
      readonly gatewayUrl?: undefined;
      /** Not allowed with `baseUrl`. */
      readonly storageUrl?: undefined;
    }
  | {
      /** Not allowed with `gatewayUrl` and `storageUrl`. */
      readonly baseUrl?: undefined;
      /** Gateway URL. */
      readonly gatewayUrl: string;
      /** Storage API URL. Upload URLs and links also start with it. */
      readonly storageUrl: string;
    };

/** Options for {@link mswHandlers}. */
export type MswHandlersOptions = Addresses & {
  /** The environment. Storage calls to any other are rejected. Default: `dev`. */
  readonly env?: string | undefined;
  /** Hosted services by name. Calls to any other get `SERVICE_NOT_FOUND`. */
  readonly services?: Readonly<Record<string, HostedService>> | undefined;
  /** The deployment's wire profile. Default: the contract's names. */
  readonly wireProfile?: WireProfileInput | undefined;
};

/** What {@link mswHandlers} returns. */
export interface MswHandlers {
  /** For `setupServer` or `setupWorker`. MSW uses the first handler that matches, so put your own before these. */
  readonly handlers: readonly (RequestHandler | WebSocketHandler)[];
  /** The hosted services. A test may add and replace them. */
  readonly services: Map<string, HostedService>;
  /** The stored files. */
  readonly files: SessionFiles;
  /** Rules that make calls slow or fail. */
  readonly faults: SessionFaults;
  /** Removes all files and faults, and restores the services that were passed. Call it after each test. */
  reset(): void;
}

/**
 * Creates MSW handlers for both APIs, the upload target and links, for tests and pages without a server. They
 * keep files in memory, and validate requests as the mock does.
 *
 * @throws TypeError if a URL or the name of a service is invalid
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
  const { baseUrl = '', env = 'dev', services: given = {} } = options;
  const gatewayUrl = toAddress(options.gatewayUrl ?? baseUrl);
  const storageUrl = toAddress(options.storageUrl ?? baseUrl);
  const profile = toWireProfile(options.wireProfile);
  const faults = new FaultRules();
  const context = { profile, faults };
  const services = new Map(toServices(given));
  const blobs = createMemoryStore();
  const storage = createStorage({
    blobs,
    signer: createSigner(),
    bucketOf: (name) => (name === env ? BUCKET : undefined),
    onlyEnv: env,
    publicUrl: storageUrl,
    inline: true,
    wireProfile: () => profile,
    onError: report,
  });
  const surfaces = [
    createStorageSurface(storageUrl, storage, context),
    createUploadSurface(storageUrl, storage, context),
    createLinkSurface(storageUrl, storage),
    createGateway(gatewayUrl, services, context),
  ];
  return {
    handlers: [
      ...surfaces.map((surface) => handleSurface(surface, context)),
      createSockets(gatewayUrl, services),
    ],
    services,
    files: createSessionFiles(blobs, env),
    faults,
    reset() {
      blobs.clear();
      faults.reset();
      services.clear();
      for (const [name, service] of toServices(given)) services.set(name, service);
    },
  };
}

function toServices(given: Readonly<Record<string, HostedService>>): [string, HostedService][] {
  const entries = Object.entries(given);
  for (const [name] of entries) {
    const fault = findNameFault(name);
    if (fault !== undefined) throw new TypeError(`services: ${name} ${fault}`);
  }
  return entries;
}

/** Returns a URL in the form that requests use, without a trailing `/`. */
function toAddress(url: string): string {
  if (!URL.canParse(url))
    throw new TypeError(`baseUrl, gatewayUrl and storageUrl must be URLs, got "${url}".`);
  return new URL(url).href.replace(/\/$/, '');
}

/** Remembers what it has signed: a page or a test has no secret to keep, and often no `crypto.subtle`. */
function createSigner(): Signer {
  const signed = new Map<string, string>();
  return {
    sign(values) {
      const signature = crypto.randomUUID().replaceAll('-', '');
      signed.set(signature, JSON.stringify(values));
      return signature;
    },
    verify: (values, signature) => signed.get(signature) === JSON.stringify(values),
  };
}
