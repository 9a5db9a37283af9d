export {
  events,
  GatewayError,
  type Routes,
  routes,
  type ServiceEvent,
} from '../services/helpers.ts';
export type { FetchHandler, ServiceHandler } from '../services/service.ts';
export type { SessionFile, SessionFiles } from '../session-files.ts';
export { type MswHandlers, type MswHandlersOptions, mswHandlers } from './msw-handlers.ts';
