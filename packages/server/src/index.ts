export { ConfigError } from './config/problems.ts';
export type { ConfigInput } from './config/schema.ts';
export { type BerthServer, createServer } from './server.ts';
