import type { RequestHandler } from 'msw';
import { defaultWireProfile, type WireProfile } from '../wire-profile.ts';
import type { MswContext } from './context.ts';
import { createFileStore, type MswFiles, toMswFiles } from './files.ts';
import { createMswGateway, type MswService } from './gateway.ts';

import { createMswStorage, type MswStorage } from './storage.ts';

import { createMswUploads, type MswUploads } from './uploads.ts';

/** URLs of the APIs, as passed to the clients: one for both, or one each. */
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
      /** URL of the gateway. */
      readonly gatewayUrl: string;
      /** URL of the storage API. */
      readonly storageUrl: string;
    };

/**
 * Options of {@link mswHandlers}.
 *
 * @example
 * const options: MswHandlersOptions = {
 *   gatewayUrl: 'https://dev.gateway.example.com',
 *   storageUrl: 'https://storage.example.com',
 * };
 */
export type MswHandlersOptions = Addresses & {
  /** Environment; calls of another one are refused. Default: `dev`. */
  readonly envId?: string | undefined;
  /** Wire profile of the deployment (D1). Default: that of the contract. */
  readonly wireProfile?: WireProfile | undefined;
};

/** The handlers created by {@link mswHandlers}, and functions to create more. */
export interface MswHandlers {
  /** The default handlers. MSW uses the first one that matches: put these last. */
  readonly handlers: RequestHandler[];
  /** Creates handlers of one hosted service. Without any, calls get `SERVICE_NOT_FOUND`. */
  service(name: string): MswService;
  /** Creates handlers of the storage operations. */
  readonly storage: MswStorage;
  /** Creates handlers of the upload target and of links. */
  readonly uploads: MswUploads;
  /** The files that the default handlers keep in memory. */
  readonly files: MswFiles;
}

/**
 * Creates MSW handlers of both APIs for unit tests of applications: no server, no port, no `vi.mock`.
 * The storage keeps files in memory, with uploads in two steps, links that expire, copies and moves.
 * Responses and errors follow the contract.
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
  const { baseUrl = '', envId = 'dev', wireProfile = defaultWireProfile } = options;
  const { gatewayUrl = baseUrl, storageUrl = baseUrl } = options;
  const context: MswContext = {
    envId,
    gatewayUrl: toAddress(gatewayUrl),
    storageUrl: toAddress(storageUrl),
    profile: wireProfile,
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
    files: toMswFiles(context.store),
  };
}

/** Normalizes a URL as a request shows it, without a trailing `/`. */
function toAddress(url: string): string {
  return new URL(url).href.replace(/\/$/, '');
}
