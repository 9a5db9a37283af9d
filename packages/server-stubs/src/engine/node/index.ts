export {
  createDownloadListener,
  type DownloadListenerOptions,
} from './create-download-listener.ts';
export { createSigner } from './create-signer.ts';
export { type Credential, createKeyPairs, type KeyPair, type KeyPairs } from './key-pairs.ts';
export {
  type StorageSigning,
  signGatewayRequest,
  signStorageRequest,
  type UnsignedRequest,
} from './sign-request.ts';
export {
  type Caller,
  type Clock,
  createClock,
  createGatewaySignature,
  createStorageSignature,
  type GatewaySignatureOptions,
  type StorageSignatureOptions,
} from './signatures.ts';
/** Functions to build and parse version 3 signatures. */
export * as tc3 from './tc3.ts';
