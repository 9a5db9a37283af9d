export type { Config, EnvironmentConfig, KeyPair, KeySet } from './config/config.ts';
export { ConfigError, type ConfigFault } from './config/config.ts';
export { loadConfig } from './config/load.ts';
export type { ConfigInput } from './config/schema.ts';
export { type BerthServer, createServer, type ServerOptions } from './server.ts';
