export { type Config, loadConfig } from './config/config.ts';
export { ConfigError } from './config/problems.ts';
export type { ConfigInput } from './config/schema.ts';
export { type BerthServer, createServer } from './server.ts';
