export {
  createDownloadListener,
  type DownloadListenerOptions,
} from './create-download-listener.ts';
export { createSigner } from './create-signer.ts';
