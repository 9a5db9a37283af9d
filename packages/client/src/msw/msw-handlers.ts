import type { RequestHandler } from 'msw';
import { defaultWireProfile, type WireProfile } from '../wire-profile.ts';
import type { MswContext } from './context.ts';
import { createFileStore, type MswFiles, toMswFiles } from './files.ts';
import { createMswGateway, type MswService } from './gateway.ts';

import { createMswStorage, type MswStorage } from './storage.ts';

import { createMswUploads, type MswUploads } from './uploads.ts';

/** Where the APIs are, as the clients have it: at one address, or each at its own. */
type Addresses =
  | {
      /** Address of both APIs, such as `https://api.example.com`. */
      readonly baseUrl: string;
      /** Given with `storageUrl` instead. */
      readonly gatewayUrl?: undefined;
      /** Given with `gatewayUrl` instead. */
      readonly storageUrl?: undefined;
    }
  | {
      /** Given alone instead. */
      readonly baseUrl?: undefined;
      /** Address of the gateway. */
      readonly gatewayUrl: string;
      /** Address of the storage API. */
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
  /** The environment; calls of another one are refused. Default: `dev`. */
  readonly envId?: string | undefined;
  /** Names of the deployment (D1). Default: the contract's own. */
  readonly wireProfile?: WireProfile | undefined;
};

/** The handlers of {@link mswHandlers}, and what makes further ones. */
export interface MswHandlers {
  /** What answers by default. Of several handlers the first one answers: put these last. */
  readonly handlers: RequestHandler[];
  /** Makes handlers of one hosted service. Without any it is `SERVICE_NOT_FOUND`. */
  service(name: string): MswService;
  /** Makes handlers of the storage operations. */
  readonly storage: MswStorage;
  /** Makes handlers of the upload target and of the links. */
  readonly uploads: MswUploads;
  /** The files that the default handlers keep in memory. */
  readonly files: MswFiles;
}

/**
 * Handlers of MSW for both APIs, for unit tests of applications: no server, no port, no `vi.mock`. The
 * storage really keeps files in memory, in the two steps of an upload, with links that expire, copies
 * and moves. Answers are those of the contract, and so are the errors.
 *
 * @throws TypeError where an address is none
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

/** The address as a request has it, without a `/` at its end. */
function toAddress(url: string): string {
  return new URL(url).href.replace(/\/$/, '');
}
