import type { FetchLike, OpenWebSocket } from '@berth/client';
import type { FeatureId } from './features.ts';

/** URLs of the three surfaces for one protocol. */
export interface Surfaces {
  readonly gateway: string;
  readonly storage: string;
}

/** The same, over https. */
interface SecureSurfaces extends Surfaces {
  /** Certificate to trust, as PEM. */
  readonly ca: string;
}

/**
 * A deployment that the suite runs against: addresses and accepted credentials, as JSON. Its gateway has the
 * services of `services.ts`.
 */
export interface Deployment extends Surfaces {
  readonly envId: string;
  /** A token that the gateway accepts. */
  readonly token: string;
  /** A key pair that both APIs accept. */
  readonly keyPair: { readonly secretId: string; readonly secretKey: string };
  /** The same, over https, with a certificate that the platform is configured to trust. */
  readonly secure: SecureSurfaces;
  /** The same, with a certificate that the platform does not know. */
  readonly strange: SecureSurfaces;
  /** The same, but only for pages from another origin. */
  readonly closed: Surfaces;
  /** A URL where nothing is listening. */
  readonly nowhere: string;
}

/** What a program on a platform provides. */
export interface Tools {
  /** A WebSocket that the client would not choose by itself: from a package, or the platform's. */
  readonly openWebSocket: OpenWebSocket;
  /** Local files. */
  readonly disk?: {
    write(name: string, bytes: Uint8Array): Promise<string>;
    read(path: string): Promise<Uint8Array>;
  };
  /** A `fetch` that trusts a certificate. */
  readonly trustingFetch: (ca: string) => FetchLike;
  /** An `agent` that only trusts this certificate. */
  readonly createAgent: (ca: string) => object;
}

/** A case passes if it does not throw. */
export interface PlatformCase {
  readonly name: string;
  readonly feature: FeatureId;
  run(deployment: Deployment, tools: Tools): Promise<void>;
  /** Proves that the documented behavior happens instead, on platforms that lack the feature. */
  without?(deployment: Deployment, tools: Tools): Promise<void>;
}
