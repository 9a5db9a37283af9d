export { ConfigError } from './config/problems.ts';
export type { ConfigInput } from './config/schema.ts';
export { type BerthServer, createServer, type ServerOptions } from './server.ts';
