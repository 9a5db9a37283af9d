import { toWireProfile, type WireProfileInput } from '@berth/spec/wire-profile';
import type { RequestHandler } from 'msw';
import { createFileStore, type MswContext, type MswFiles } from './context.ts';
import { createMswGateway, type MswService } from './gateway.ts';
import { createMswStorage, type MswStorage } from './storage.ts';
import { createMswUploads, type MswUploads } from './uploads.ts';

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
      /** Storage API URL. */
      readonly storageUrl: string;
    };

/**
 * Options for {@link mswHandlers}.
 *
 * @example
 * const options: MswHandlersOptions = {
 *   gatewayUrl: 'https://dev.gateway.example.com',
 *   storageUrl: 'https://storage.example.com',
 * };
 */
export type MswHandlersOptions = Addresses & {
  /** ID of the environment. Calls to any other are rejected. Default: `dev`. */
  readonly envId?: string | undefined;
  /** The deployment's wire profile (D1). Default: the contract's. */
  readonly wireProfile?: WireProfileInput | undefined;
};

/** The handlers created by {@link mswHandlers}, and functions to create more. */
export interface MswHandlers {
  /** The default handlers. MSW uses the first handler that matches, so put these last. */
  readonly handlers: RequestHandler[];
  /** Creates handlers for one hosted service. A service without handlers responds with `SERVICE_NOT_FOUND`. */
  service(name: string): MswService;
  /** Creates handlers for storage operations. */
  readonly storage: MswStorage;
  /** Creates handlers for the upload target and for links. */
  readonly uploads: MswUploads;
  /** The files that the default handlers keep in memory. */
  readonly files: MswFiles;
}

/**
 * Creates MSW handlers for both APIs, to unit-test applications without a server, a port or `vi.mock`.
 * Files are kept in memory, with two-step uploads, expiring links, copies and moves. Responses and
 * errors follow the contract.
 *
 * @throws TypeError if a URL is invalid
 *
 * @example
 * const berth = mswHandlers({ baseUrl: 'https://api.example.com' });
 * const user = berth.service('users').get('7', () => ({ name: 'Ada' }));
 * const server = setupServer(user, ...berth.handlers);
 * beforeAll(() => server.listen());
 * afterEach(() => server.resetHandlers());
 * afterEach(() => berth.files.clear());
 * afterAll(() => server.close());
 */
export function mswHandlers(options: MswHandlersOptions): MswHandlers {
  const { baseUrl = '', envId = 'dev' } = options;
  const { gatewayUrl = baseUrl, storageUrl = baseUrl } = options;
  const context: MswContext = {
    envId,
    gatewayUrl: toAddress(gatewayUrl),
    storageUrl: toAddress(storageUrl),
    profile: toWireProfile(options.wireProfile),
    store: createFileStore(envId),
    grants: new Map(),
    links: new Map(),
  };
  const gateway = createMswGateway(context);
  const storage = createMswStorage(context);
  const uploads = createMswUploads(context);
  return {
    handlers: [...storage.defaults, ...uploads.defaults, ...gateway.defaults],
    service: gateway.service,
    storage: storage.storage,
    uploads: uploads.uploads,
    files: context.store.forTests,
  };
}

/** Returns a URL in the form that requests use, without a trailing `/`. */
function toAddress(url: string): string {
  return new URL(url).href.replace(/\/$/, '');
}
