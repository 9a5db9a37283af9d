import { ABORTS } from './cases/aborts.ts';
import { CALLS } from './cases/calls.ts';
import { CONNECTIONS } from './cases/connections.ts';
import { ERRORS } from './cases/errors.ts';
import { EVENTS } from './cases/events.ts';
import { FILES } from './cases/files.ts';
import { ORIGINS } from './cases/origins.ts';
import { SIGNATURES } from './cases/signatures.ts';
import { WEB_SOCKETS } from './cases/web-sockets.ts';
import type { PlatformCase } from './platform-case.ts';

/** The cases, for every platform and any deployment that has the services in `services.ts`. */
export const SUITE: readonly PlatformCase[] = [
  ...CALLS,
  ...ERRORS,
  ...SIGNATURES,
  ...EVENTS,
  ...WEB_SOCKETS,
  ...FILES,
  ...ABORTS,
  ...CONNECTIONS,
  ...ORIGINS,
];
