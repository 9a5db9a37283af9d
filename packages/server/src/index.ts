export type { Config, EnvironmentConfig, KeyPair, KeySet } from './config/config.ts';
export { ConfigError, type ConfigFault } from './config/config.ts';
export type { ConfigInput } from './config/config-schema.ts';
export { loadConfig } from './config/load-config.ts';
export { type BerthServer, createServer, type ServerOptions } from './server.ts';
