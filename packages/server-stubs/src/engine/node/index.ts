export { type Caller, type Clock, createClock } from './caller.ts';
export {
  createDownloadListener,
  type DownloadListenerOptions,
} from './create-download-listener.ts';
export { createSigner } from './create-signer.ts';
export { createGatewaySignature, type GatewaySignatureOptions } from './gateway-signature.ts';
export { type Credential, createKeyPairs, type KeyPair, type KeyPairs } from './key-pairs.ts';
export {
  type StorageSigning,
  signGatewayRequest,
  signStorageRequest,
  type UnsignedRequest,
} from './sign-request.ts';
export { createStorageSignature, type StorageSignatureOptions } from './storage-signature.ts';
/** Functions to build and parse version 3 signatures. */
export * as tc3 from './tc3.ts';
