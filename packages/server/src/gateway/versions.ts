import type { ServiceVersion } from './service-registry.ts';
import type { Target } from './upstream/choose-upstream.ts';
import type { Upstreams } from './upstream/upstreams.ts';

/** The endpoints of a version, found once for as long as the registry gives the same version. */
export class Versions {
  readonly #upstreams: Upstreams;
  readonly #known = new WeakMap<ServiceVersion, readonly Target[]>();

  constructor(upstreams: Upstreams) {
    this.#upstreams = upstreams;
  }

  targetsOf(version: ServiceVersion): readonly Target[] {
    let found = this.#known.get(version);
    if (found === undefined) {
      const { endpoints, shares } = version;
      found = endpoints.map((endpoint) => ({
        upstream: this.#upstreams.of(endpoint),
        share: shares?.get(endpoint) ?? 1,
      }));
      this.#known.set(version, found);
    }
    return found;
  }
}
