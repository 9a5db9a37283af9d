import type { FakeService, FakeServices } from './fake-service.ts';

/**
 * A hosted service for the mock, typed; the default export of a file in a folder of services.
 *
 * @example
 * // services/orders.ts
 * export default defineService({
 *   routes: { 'GET /orders/{id}': ({ params }) => ({ json: { id: params.id } }) },
 * });
 */
export function defineService<const Service extends FakeService>(service: Service): Service {
  return service;
}

/** Several hosted services by name, typed; the default export of a file of services. */
export function defineServices<const Services extends FakeServices>(services: Services): Services {
  return services;
}
