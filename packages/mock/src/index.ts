export { GatewayError } from '@berth/server-stubs';
export type { WireProfile, WireProfileInput } from '@berth/spec/wire-profile';
export { createMock, type Mock } from './create-mock.ts';
export type { Fault } from './faults/fault-kinds.ts';
export type { FaultRule, SessionFaults } from './faults/fault-rules.ts';
export type { LoggedRequest } from './log.ts';
export type { MockSession, SessionClock } from './mock-session.ts';
export type { MockOptions } from './options.ts';
export type {
  EventsResponse,
  FakeService,
  FakeServices,
  FakeSocket,
  FixedResponse,
  Route,
  RouteFunction,
  RouteResponse,
  ServiceCall,
  ServiceEvent,
  WebSocketFunction,
  WebSocketRoute,
} from './services/fake-service.ts';
export { defineService, defineServices } from './services/fake-service.ts';
export type { SessionFile, SessionFiles } from './session-files.ts';
export type { MockCredentials } from './surfaces/auth.ts';
