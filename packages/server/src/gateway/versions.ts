import type { ServiceVersion } from './service-registry.ts';
import type { Upstream } from './upstream/upstream.ts';
import type { Upstreams } from './upstream/upstreams.ts';

/** The endpoints of a version, found once for as long as the registry gives the same version. */
export class Versions {
  readonly #upstreams: Upstreams;
  readonly #known = new WeakMap<ServiceVersion, readonly Upstream[]>();

  constructor(upstreams: Upstreams) {
    this.#upstreams = upstreams;
  }

  endpointsOf(version: ServiceVersion): readonly Upstream[] {
    let found = this.#known.get(version);
    if (found === undefined) {
      found = version.endpoints.map(({ origin }) => this.#upstreams.of(origin));
      this.#known.set(version, found);
    }
    return found;
  }
}
