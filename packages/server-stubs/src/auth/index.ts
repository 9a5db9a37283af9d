export * from './key-pairs.ts';
export * from './signatures.ts';
export { type Credential, signStorageRequest } from './tc3.ts';
