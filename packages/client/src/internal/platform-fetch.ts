/**
 * The platform's `fetch`, looked up at each call, so that what replaces it later (a test, a tracer)
 * is met.
 */
export function platformFetch(request: Request | string, init?: RequestInit): Promise<Response> {
  return globalThis.fetch(request, init);
}
