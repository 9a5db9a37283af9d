import type { FetchLike, OpenWebSocket } from '@berth/client';
import type { FeatureId } from './features.ts';

/** Addresses of the three surfaces over one protocol. */
export interface Surfaces {
  readonly gateway: string;
  readonly storage: string;
}

/** The same over https. */
interface SecureSurfaces extends Surfaces {
  /** What to trust, as PEM. */
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
  /** The same over https, with a certificate that the platform is configured to trust. */
  readonly secure: SecureSurfaces;
  /** The same with a certificate that the platform does not know. */
  readonly strange: SecureSurfaces;
  /** The same for pages of another origin only. */
  readonly closed: Surfaces;
  /** An address where nothing listens. */
  readonly nowhere: string;
}

/** What a program on a platform brings itself. */
export interface Tools {
  /** A WebSocket that is not the client's choice: that of a package, or the platform's. */
  readonly openWebSocket: OpenWebSocket;
  /** Local files. */
  readonly disk?: {
    write(name: string, bytes: Uint8Array): Promise<string>;
    read(path: string): Promise<Uint8Array>;
  };
  /** A `fetch` that trusts a certificate. */
  readonly trustingFetch: (ca: string) => FetchLike;
  /** An `agent` that trusts this certificate alone. */
  readonly createAgent: (ca: string) => object;
}

/** One case. It passes if nothing throws. */
export interface PlatformCase {
  readonly name: string;
  readonly feature: FeatureId;
  run(deployment: Deployment, tools: Tools): Promise<void>;
  /** On a platform that lacks the feature, proves that the documented behaviour happens instead. */
  without?(deployment: Deployment, tools: Tools): Promise<void>;
}
