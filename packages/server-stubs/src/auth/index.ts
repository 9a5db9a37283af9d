export * from './key-pairs.ts';
export * from './signatures.ts';
export {
  type Credential,
  type StorageSigning,
  signGatewayRequest,
  signStorageRequest,
  type UnsignedRequest,
} from './tc3.ts';
