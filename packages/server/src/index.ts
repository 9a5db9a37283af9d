export { type Config, ConfigError } from './config/config.ts';
export { loadConfig } from './config/load.ts';
export type { ConfigInput } from './config/schema.ts';
export { type BerthServer, createServer } from './server.ts';
