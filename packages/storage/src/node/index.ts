export * from './download-listener.ts';
export * from './signer.ts';
