export { type ClientOptions, checkClient, toCommandLine } from './check-client.ts';
