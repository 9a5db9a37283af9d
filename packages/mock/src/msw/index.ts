export { GatewayError } from '@berth/server-stubs/contract';
export type { SessionFaults } from '../faults/fault-rules.ts';
export type { FakeSocket, ServiceEvent } from '../services/fake-service.ts';
export type { SessionFile, SessionFiles } from '../session-files.ts';
export {
  type MswHandlers,
  type MswHandlersOptions,
  mswHandlers,
} from './msw-handlers.ts';
export {
  events,
  type FetchHandler,
  type HostedService,
  type RouteHandler,
  type RouteHandlers,
  routes,
  type SocketHandler,
} from './services.ts';
