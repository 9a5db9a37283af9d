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
/** The parts that signatures of version 3 are made of and read with. */
export * as tc3 from './tc3.ts';
