export { GatewayError } from '@berth/server-stubs/contract';
export { createMock, type Mock, type MockSession } from './create-mock.ts';
export type { LoggedRequest } from './log/request-log.ts';
export type { MockOptions } from './options.ts';
export { events } from './services/events.ts';
export { routes } from './services/routes.ts';
export type { HostedServices, ServiceSocket } from './services/service.ts';
export type { MockCredentials } from './surfaces/auth.ts';
