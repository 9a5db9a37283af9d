import type { Documents, Operation } from '../contract.ts';
import { createInstance, getHttpOperationsFromSpec } from './prism.ts';
import type { Preferences } from './read-preferences.ts';

/** An operation of a document in the form that Prism expects. */
type Resource = Awaited<ReturnType<typeof getHttpOperationsFromSpec>>[number];

type Prism = ReturnType<typeof createInstance>;

/** Discards Prism's logs, which cover every step. */
const silentLogger = {
  child: () => silentLogger,
  trace() {},
  debug() {},
  info() {},
  warn() {},
  error() {},
  fatal() {},
  success() {},
};

/**
 * Creates a Prism instance. It checks no credentials: the contract's surfaces do, with their own error codes.
 *
 * @param components replace Prism's own
 */
export function createPrism(components: Partial<Parameters<typeof createInstance>[1]> = {}): Prism {
  return createInstance(
    {
      isProxy: false,
      checkSecurity: false,
      validateRequest: true,
      validateResponse: false,
      errors: false,
      upstreamProxy: undefined,
      mock: { dynamic: false },
    },
    { logger: silentLogger as never, ...components },
  );
}

export interface Documented {
  readonly status: number;
  readonly headers: Record<string, unknown>;
  readonly body: unknown;
}

/** Returns the documented response to a valid request, or what the preferences request in vain. */
export type Oracle = (
  operation: Operation,
  headers: Record<string, string>,
  preferences: Preferences,
) => Promise<Documented | { readonly missing: 'example' | 'status' | 'type' }>;

export async function createOracle(documents: Documents): Promise<Oracle> {
  // The routers have found the operation and validated the request.
  const prism = createPrism({
    route: ({ resources: [resource] }) => ({ _tag: 'Right', right: resource as Resource }),
    validateInput: ({ element }) => ({ _tag: 'Right', right: element }),
  });
  const resources = await Promise.all(Object.values(documents).map(getHttpOperationsFromSpec));
  const byId = new Map(resources.flat().map((resource) => [resource.iid, resource]));

  return async ({ id, method }, headers, preferences) => {
    const { code, exampleKey, dynamic } = preferences;
    const resource = byId.get(id);
    if (resource === undefined) throw new TypeError(`Prism does not know the operation ${id}.`);
    const input = { method, url: { path: '/' }, headers };
    // Prism modifies the preferences.
    const result = await prism.request(input, [resource], { mock: { ...preferences } } as never)();
    if (result._tag === 'Left') {
      const { status } = result.left as Error & { status?: number };
      if (status === 406) return { missing: 'type' };
      // If Prism finds nothing for `code` and `example` together, it wraps both errors in one that has no
      // status.
      if (status === 404 || status === undefined) return { missing: 'example' };
      throw result.left;
    }
    // Otherwise Prism would use the first example of the `default` error response, whatever its status.
    const isFree = exampleKey === undefined && !dynamic;
    if (code !== undefined && (code < 400 || isFree) && !hasStatus(resource, code)) {
      return { missing: 'status' };
    }
    const { statusCode: status, headers: own = {}, body } = result.right.output;
    return { status, headers: own, body };
  };
}

/** Returns whether an operation documents a status, by itself or as part of a range such as `4XX`. */
function hasStatus({ responses }: Resource, status: number): boolean {
  const range = `${Math.floor(status / 100)}XX`;
  return responses.some(({ code }) => code === `${status}` || code.toUpperCase() === range);
}
