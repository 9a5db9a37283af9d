export * from './key-pairs.ts';
export * from './signatures.ts';
export { type Credential, type StorageSigning, signStorageRequest } from './tc3.ts';
