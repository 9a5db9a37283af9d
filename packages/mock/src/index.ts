export type { WireProfile } from './contract/wire-profile.ts';
export { createMock, type Mock } from './create-mock.ts';
export type { MockOptions } from './options.ts';
